// Command esctest hosts esctest2, the conformance tests of a terminal that come
// with xterm, against the emulator, and prints a table of what passed.
//
//	go run ./internal/vt/testdata/esctest DIR [FLAG...]
//
// DIR is where esctest2 was checked out (github.com/ThomasDickey/esctest2); it is
// no part of this project. Flags go to it, for example --include=DECSTBM. It
// needs Python 3.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"

	"github.com/creack/pty"

	"github.com/hobjobs/hob/internal/vt"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("give the directory of esctest2")
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

func run(dir string, flags []string) error {
	out, err := os.CreateTemp("", "esctest*.log")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	args := append([]string{
		"esctest.py", "--expected-terminal=xterm", "--xterm-checksum=334", "--max-vt-level=4",
		"--xterm-reverse-wrap=383", "--timeout=2", "--no-print-logs", "--logfile=" + out.Name(),
	}, flags...)
	cmd := exec.Command("python3", args...)
	cmd.Dir = filepath.Join(dir, "esctest")
	cmd.Env = append(os.Environ(), "TERM=xterm-256color")
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 80, Rows: 25})
	if err != nil {
		return err
	}
	host(f)
	if err := cmd.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		return err
	}
	text, err := io.ReadAll(out)
	if err != nil {
		return err
	}
	report(os.Stdout, results(string(text)))
	return nil
}

// plainSums is XTCHECKSUM: checksums are positive sums of characters, without
// attributes, blanks at the end of a row included. The suite expects an xterm
// that was set up that way.
const plainSums = "\x1b[7#y"

// fullReset is RIS, which forgets that.
const fullReset = "\x1bc"

// host answers from the emulator until the tests have ended.
func host(f *os.File) {
	defer f.Close()
	// The suite takes the colours of an xterm that nobody set up for granted.
	facts := vt.Facts{Foreground: vt.RGB(0, 0, 0), Background: vt.RGB(255, 255, 255)}
	term := vt.New(80, 25, vt.WithScrollback(1<<20), vt.WithFacts(facts), vt.WithReply(func(b []byte) { f.Write(b) }))
	term.Write([]byte(plainSums))
	buf := make([]byte, 4096)
	for {
		n, err := f.Read(buf)
		term.Write(bytes.ReplaceAll(buf[:n], []byte(fullReset), []byte(fullReset+plainSums)))
		if err != nil {
			return
		}
	}
}

// result is how one test came out.
type result struct {
	class, test string
	outcome     outcome
}

type outcome int

const (
	passed outcome = iota
	notRun         // it fails in xterm too, or needs a level or an option that was not given
	failed
)

// line finds in the suite's log what test begins and how it came out.
var line = regexp.MustCompile(`(?m)^(?:Run test: (\w+)\.(\w+)|(Passed)\.|(Fails as expected|Skipped because).*|\*\*\* TEST \S+ (FAILED):)$`)

// results reads the suite's log: a test is announced, then its outcome follows.
func results(text string) []result {
	var list []result
	var now result
	for _, m := range line.FindAllStringSubmatch(text, -1) {
		switch {
		case m[1] != "":
			now = result{class: m[1], test: m[2]}
			continue
		case m[4] != "":
			now.outcome = notRun
		case m[5] != "":
			now.outcome = failed
		}
		list = append(list, now)
	}
	return list
}

// apart are the classes that are not core: margins, rectangles, queries of
// colours, operations on windows and titles.
var apart = regexp.MustCompile(`^(DECSLRM|DECLRMM|DECCRA|DECERA|DECFRA|DECSERA|DECRQCRA|DECCARA|DECRARA|DECSACE|DECIC|DECDC|DECBI|DECFI|ChangeColor|ChangeDynamicColor|ChangeSpecialColor|ResetColor|ResetSpecialColor|XtermWinops|SMTitle|RMTitle|SMTitleTests|DECSWL)`)

func report(w io.Writer, list []result) {
	type row struct{ passed, notRun, failed int }
	rows := map[string]*row{}
	count := func(name string, o outcome) {
		if rows[name] == nil {
			rows[name] = &row{}
		}
		switch o {
		case passed:
			rows[name].passed++
		case notRun:
			rows[name].notRun++
		default:
			rows[name].failed++
		}
	}
	var bad []string
	for _, r := range list {
		count(r.class, r.outcome)
		count("~all", r.outcome)
		if !apart.MatchString(r.class) {
			count("~core", r.outcome)
		}
		if r.outcome == failed {
			bad = append(bad, r.class+"."+r.test)
		}
	}
	names := make([]string, 0, len(rows))
	for n := range rows {
		names = append(names, n)
	}
	sort.Strings(names)
	fmt.Fprintln(w, "| class | tests passed | not run | failed | passed |\n|---|--:|--:|--:|--:|")
	for _, n := range names {
		r := rows[n]
		run := max(1, r.passed+r.failed)
		fmt.Fprintf(w, "| %s | %d | %d | %d | %.1f %% |\n", strings.TrimPrefix(n, "~"), r.passed, r.notRun, r.failed, 100*float64(r.passed)/float64(run))
	}
	sort.Strings(bad)
	fmt.Fprintln(w, "\nfailed:", strings.Join(bad, " "))
}
