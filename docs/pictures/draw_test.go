//go:build unix

package pictures

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// patience is how long all scenes together may take.
const patience = 10 * time.Minute

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
