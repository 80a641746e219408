package local_test

import (
	"errors"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine"
)

// A poll returns output even if the cursor cannot be saved.
func TestPollOnReadOnlyDisk(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, "2m")
	p := openPlace(t, filepath.Join(dir, "state"))
	e, err := engine.New(engine.WithStateDir(p.root.Path()), engine.WithBackend(p.b))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	jobs := map[string]started{
		"a terminal":       p.start(t, engine.Spec{PTY: true, Script: "echo one; exit 3"}),
		"separate streams": p.start(t, engine.Spec{Split: true, Script: "echo one; exit 3"}),
	}
	want := map[string]string{"a terminal": "one\r\n", "separate streams": "one\n"}
	for _, s := range jobs {
		s.wait(t)
	}
	eventually(t, "no holder has a file open to write", func() bool {
		return unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, "") == nil
	})
	for name, s := range jobs {
		for range 2 { // the first poll is not recorded
			got := ""
			_, err := e.Handle(s.rec.ID).Poll(t.Context(), engine.PollOptions{Client: "a", Deliver: func(p *engine.Poll) error {
				got += string(p.Output)
				return nil
			}})
			if got != want[name] || !errors.Is(err, engine.ErrUnkept) || !errors.Is(err, unix.EROFS) {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		}
		at, err := e.Handle(s.rec.ID).Poll(t.Context(), engine.PollOptions{Cursor: new(int64(2))})
		if err != nil || string(at.Output) != want[name][2:] {
			t.Errorf("%s from a cursor: %q, %v", name, at.Output, err)
		}
	}
}
