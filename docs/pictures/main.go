//go:build unix

// Command pictures draws the pictures of README.md and the pages in docs: it runs hob
// itself on a terminal of its own, in a home directory with a few made-up jobs, and
// writes the screen as SVG. firstminute.go has the steps of the animation, scenes.go
// those of the stills. After a change of the screens, run
//
//	go generate ./docs/pictures
//
// Ids and times differ in each run. Each step waits for the text that the picture has to
// show, so the frames and their order do not.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/app/cli"
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
		frames, err := h.play(ctx, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if err := write(dir, s.name, frames[len(frames)-1].svg()); err != nil {
			return err
		}
	}
	return drawFirstMinute(ctx, dir, haste)
}

// drawFirstMinute writes the animation, which begins without the jobs of the stills.
func drawFirstMinute(ctx context.Context, dir string, haste bool) error {
	h, err := newHome()
	if err != nil {
		return err
	}
	h.haste = haste
	defer h.close()
	s := firstMinute()
	frames, err := h.play(ctx, s)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	still := slices.IndexFunc(s.steps, func(s step) bool { return s.still })
	return write(dir, s.name, animate(frames, still))
}

func write(dir, name string, picture []byte) error {
	return os.WriteFile(filepath.Join(dir, name+".svg"), picture, 0o644)
}
