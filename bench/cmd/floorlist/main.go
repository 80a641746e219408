// Command floorlist is the floor that lists of jobs are measured against: it
// reads the names of the job directories and one file with a line for each, and
// writes that out.
//
//	floorlist JOBS INDEX
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: floorlist JOBS INDEX")
		os.Exit(2)
	}
	if err := list(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "floorlist:", err)
		os.Exit(1)
	}
}

func list(jobs, index string) error {
	dir, err := os.Open(jobs)
	if err != nil {
		return err
	}
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return err
	}
	there := make(map[string]bool, len(names))
	for _, name := range names {
		there[name] = true
	}
	b, err := os.ReadFile(index)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	for line := range bytes.Lines(b) {
		fmt.Fprintf(out, "%-40.40s\n", line)
	}
	fmt.Fprintln(out, len(there))
	return out.Flush()
}
