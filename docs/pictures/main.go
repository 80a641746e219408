//go:build unix

// Command pictures draws the pictures of README.md: it runs hob itself on a
// terminal of its own, in a home with a few made-up jobs, and writes what is on
// the screen as SVG. Every scene is what the program shows, so the pictures are
// made anew with
//
//	go generate ./docs/pictures
//
// Ids and times are those of the day; what must be seen in a scene is part of it
// and is waited for.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/cli"
)

//go:generate go run . -o .

// patience is how long all scenes together may take.
const patience = 5 * time.Minute

func main() {
	if local.IsHolder() {
		os.Exit(local.RunHolder())
	}
	if filepath.Base(os.Args[0]) == "hob" { // as the scenes call it
		os.Exit(cli.Main(os.Args))
	}
	if filepath.Base(os.Args[0]) == "vite" {
		serve(os.Stdout)
	}
	dir := flag.String("o", ".", "where the pictures go")
	flag.Parse()
	if err := draw(*dir, false); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

// draw writes a picture for each scene. In haste, jobs are no older than they must
// be.
func draw(dir string, haste bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	h, err := newHome()
	if err != nil {
		return err
	}
	h.haste = haste
	defer h.close()
	for _, s := range scenes() {
		screen, err := h.play(ctx, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, s.name+".svg"), svg(screen), 0o644); err != nil {
			return err
		}
	}
	return nil
}
