//go:build linux || darwin

package local_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
)

// newEngine returns an engine for the jobs of p.
func newEngine(t *testing.T, p *place) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.WithStateDir(p.root.Path()), engine.WithBackend(p.b))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// silence makes clients of the job in dir meet a holder that accepts connections and never answers.
func silence(t *testing.T, dir string) {
	t.Helper()
	socket := filepath.Join(shortDir(t), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	st, err := jobdir.ReadState(dir)
	if err != nil {
		t.Fatal(err)
	}
	real := st.Socket
	st.Socket = socket
	if err := jobdir.WriteState(dir, &st); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.Close()
		st.Socket = real
		if err := jobdir.WriteState(dir, &st); err != nil {
			t.Error(err)
		}
	})
}

// A holder that hangs looks as one that has nothing to do. Every look at its job and every request says that it
// does not answer.
func TestHolderHangs(t *testing.T) {
	t.Parallel()
	const text = "its supervisor process does not answer"
	says := func(err error) string {
		if err == nil {
			return ""
		}
		return err.Error()
	}
	linkError := func(j engine.Job) string {
		if j.Status != engine.Running || j.Link != engine.LinkUnreachable {
			return string(j.Status) + ", link " + string(j.Link)
		}
		return j.LinkError
	}
	for name, ask := range map[string]func(ctx context.Context, e *engine.Engine, h *engine.Handle) string{
		"list": func(ctx context.Context, e *engine.Engine, _ *engine.Handle) string {
			jobs, err := e.List(ctx, engine.Filter{})
			if err != nil || len(jobs) != 1 {
				return says(err)
			}
			return linkError(jobs[0])
		},
		"status": func(ctx context.Context, _ *engine.Engine, h *engine.Handle) string {
			j, err := h.Facts(ctx)
			if err != nil {
				return says(err)
			}
			return linkError(j)
		},
		"poll": func(ctx context.Context, _ *engine.Engine, h *engine.Handle) string {
			p, err := h.Poll(ctx, engine.PollOptions{Client: "test"})
			if err != nil {
				return says(err)
			}
			return linkError(p.Job)
		},
		"why": func(ctx context.Context, _ *engine.Engine, h *engine.Handle) string {
			x, err := h.Explain(ctx, true)
			if err != nil || len(x.Evidence) != 1 {
				return says(err)
			}
			return x.Summary + "; " + x.Evidence[0].Text
		},
		"screen": func(ctx context.Context, _ *engine.Engine, h *engine.Handle) string {
			_, err := h.Screen(ctx)
			return says(err)
		},
		"write": func(ctx context.Context, _ *engine.Engine, h *engine.Handle) string {
			return says(h.Write(ctx, []byte("x")))
		},
		"stop": func(ctx context.Context, _ *engine.Engine, h *engine.Handle) string {
			_, err := h.Stop(ctx, engine.StopOptions{})
			return says(err)
		},
		"signal": func(ctx context.Context, _ *engine.Engine, h *engine.Handle) string {
			return says(h.Signal(ctx, "HUP"))
		},
		"attach": func(ctx context.Context, _ *engine.Engine, h *engine.Handle) string {
			_, err := h.Terminal(ctx, engine.TerminalOptions{})
			return says(err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			s := p.start(t, engine.Spec{PTY: true, Command: []string{"sleep", "1000"}})
			silence(t, s.dir)
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			e := newEngine(t, p)
			if got := ask(ctx, e, e.Handle(s.rec.ID)); !strings.Contains(got, text) {
				t.Errorf("%q does not contain %q", got, text)
			}
		})
	}
}

// A job is ended although the disk with its log hangs.
func TestKillWhileDiskHangs(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var log *os.File
	// A pipe that nobody reads stands for the log on a disk that hangs.
	l, err := p.makeWith(engine.Spec{PTY: true, Command: []string{"sh", "-c", "yes & exec yes"}}, func(dir string) (err error) {
		path := filepath.Join(dir, jobdir.OutputFile)
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			return err
		}
		log, err = os.OpenFile(path, os.O_RDWR, 0)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	s := p.launch(t, l)
	e := newEngine(t, p)
	h := e.Handle(s.rec.ID)
	const text = "its supervisor process waits for the disk"
	var j engine.Job
	eventually(t, "the holder waits for the disk", func() bool {
		j, err = h.Facts(t.Context())
		return err == nil && j.Link == engine.LinkUnreachable
	})
	if j.Status != engine.Running || j.LinkError != text {
		t.Errorf("%s: %s", j.Status, j.LinkError)
	}
	if _, err := h.Screen(t.Context()); err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("screen: %v", err)
	}
	if _, err = h.Stop(t.Context(), engine.StopOptions{Grace: time.Minute}); err != nil {
		t.Errorf("stop: %v", err)
	}
	if exit := s.wait(t); exit.Status != engine.Killed {
		t.Errorf("ended as %s", exit.Status)
	}
}
