//go:build linux || darwin

package local_test

import (
	"io"
	"os"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
)

// A passed file has the requested number in the job, whatever its number here, and no other process
// keeps it open: a writer notices when its reader is gone.
func TestPassedFiles(t *testing.T) {
	t.Parallel()
	for place, opts := range map[string][]local.Option{"holder": nil, "this program": {local.InProcess()}} {
		for kind, pty := range map[string]bool{"terminal": true, "no terminal": false} {
			t.Run(place+"/"+kind, func(t *testing.T) {
				t.Parallel()
				p := newPlace(t, opts...)
				l, err := p.make(engine.Spec{Script: "cat /dev/fd/3 /dev/fd/63 >&5; cat >&5; { true <&4; } 2>/dev/null || echo closed >&5", PTY: pty})
				if err != nil {
					t.Fatal(err)
				}
				l.Files = map[int]*os.File{}
				for n, text := range map[int]string{0: "input ", 3: "three ", 63: "sixty-three "} {
					r, w, err := os.Pipe()
					if err != nil {
						t.Fatal(err)
					}
					defer r.Close()
					if _, err := io.WriteString(w, text); err != nil {
						t.Fatal(err)
					}
					if err := w.Close(); err != nil {
						t.Fatal(err)
					}
					l.Files[n] = r
				}
				r, w, err := os.Pipe()
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				l.Files[5] = w
				s := p.launch(t, l)
				w.Close()
				said, err := io.ReadAll(r) // until the last writer has closed it
				if want := "three sixty-three input closed\n"; string(said) != want || err != nil {
					t.Errorf("it wrote %q, %v, want %q", said, err, want)
				}
				s.wait(t)
			})
		}
	}
}

func TestManyPassedFiles(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l, err := p.make(engine.Spec{Script: "ls /dev/fd/700 && test ! -e /dev/fd/701 && exit 5"})
	if err != nil {
		t.Fatal(err)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	l.Files = map[int]*os.File{}
	for n := 3; n <= 700; n++ {
		l.Files[n] = null
	}
	if exit := p.launch(t, l).wait(t); exit.Code == nil || *exit.Code != 5 {
		t.Errorf("exit %+v", exit)
	}
}
