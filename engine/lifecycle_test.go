package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/enginetest"
)

func TestStartReturnsIdentity(t *testing.T) {
	e, _ := withFake(t)
	j := start(t, e, engine.Spec{Command: []string{"npm", "run", "dev"}, Labels: map[string]string{"a": "b"}})
	if !strings.HasPrefix(string(j.ID), "npm-run-dev-") || j.Name != "npm run dev" || j.Status != engine.Running || j.Leader.PID == 0 || j.StartedAt.IsZero() {
		t.Errorf("job = %+v", j)
	}
	if want := filepath.Join(e.StateDir(), "jobs", string(j.ID), "output.log"); j.OutputPath != want {
		t.Errorf("OutputPath = %q, want %q", j.OutputPath, want)
	}
	if diff := cmp.Diff(j, get(t, e, j.ID)); diff != "" {
		t.Errorf("read again it differs:\n%s", diff)
	}
}

func TestStartRejectsInvalidRequests(t *testing.T) {
	e, _ := withFake(t)
	for name, spec := range map[string]engine.Spec{
		"no command":            {},
		"blank script":          {Script: " \n"},
		"both":                  {Command: []string{"a"}, Script: "b"},
		"empty first word":      {Command: []string{"", "x"}},
		"negative timeout":      {Script: "a", Timeout: -1},
		"negative grace":        {Script: "a", Grace: -1},
		"small log":             {Script: "a", LogLimit: 1 << 20},
		"half a size":           {Script: "a", Size: engine.Size{Cols: 10}},
		"huge size":             {Script: "a", Size: engine.Size{Cols: 10, Rows: 1 << 20}},
		"NUL":                   {Command: []string{"a\x00b"}},
		"variable without name": {Script: "a", Env: map[string]string{"": "x"}},
		"variable with =":       {Script: "a", Env: map[string]string{"a=b": "x"}},
		"name like a reference": {Script: "a", Name: "@2"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := e.Start(t.Context(), spec)
			var ee *engine.Error
			if !errors.Is(err, engine.ErrInvalid) || !errors.As(err, &ee) || ee.Hint == "" {
				t.Errorf("err = %v, want ErrInvalid with a hint", err)
			}
		})
	}
	if jobs, err := e.List(t.Context(), engine.Filter{}); err != nil || len(jobs) != 0 {
		t.Errorf("refused requests left %d jobs, err %v", len(jobs), err)
	}
}

func TestFailedStartLeavesNoDirectory(t *testing.T) {
	e, f := withFake(t)
	boom := errors.New("boom")
	f.FailStarts(boom)
	_, err := e.Start(t.Context(), engine.Spec{Script: "true"})
	if !errors.Is(err, boom) {
		t.Errorf("err = %v", err)
	}
	entries, err := os.ReadDir(filepath.Join(e.StateDir(), "jobs"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range entries {
		if !strings.HasPrefix(d.Name(), ".") {
			t.Errorf("left behind: %s", d.Name())
		}
	}
}

func TestNoBackendForHost(t *testing.T) {
	e, _ := withFake(t)
	if _, err := e.Start(t.Context(), engine.Spec{Script: "true", Host: "web1"}); !errors.Is(err, engine.ErrUnsupported) {
		t.Errorf("err = %v, want ErrUnsupported", err)
	}
}

// A system that cannot run jobs itself, such as Windows, reports what to do and leaves no trace of
// the job.
func TestNoBackendForThisMachine(t *testing.T) {
	e := open(t)
	_, err := e.Start(t.Context(), engine.Spec{Command: []string{"true"}, Split: true})
	var said *engine.Error
	if !errors.Is(err, engine.ErrUnsupported) || !errors.As(err, &said) || !strings.Contains(said.Hint, "WSL") {
		t.Errorf("err = %v (%+v), want ErrUnsupported and what to do", err, said)
	}
	if jobs, err := e.List(t.Context(), engine.Filter{}); err != nil || len(jobs) != 0 {
		t.Errorf("left behind: %v, %v", jobs, err)
	}
}

func TestEnvironment(t *testing.T) {
	e, f := withFake(t)
	j := start(t, e, engine.Spec{Script: "true", Env: map[string]string{"SECRET": "s3cret", "TERM": "vt100", "KEEP": "mine"}},
		engine.WithEnviron([]string{"PATH=/bin", "TERM=xterm", "TMUX=1", "TMUX_PANE=2", "LINES=4", "TERM_PROGRAM=x", "KEEP=theirs", "HOB_JOB_ID=outer"}))
	want := []string{"PATH=/bin", "KEEP=mine", "SECRET=s3cret", "TERM=vt100", "HOB_JOB_ID=" + string(j.ID)}
	if diff := cmp.Diff(want, f.Job(j.ID).Launch.Env); diff != "" {
		t.Errorf("environment:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"KEEP", "SECRET", "TERM"}, j.EnvNames); diff != "" {
		t.Errorf("EnvNames:\n%s", diff)
	}
	err := filepath.WalkDir(e.StateDir(), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), "s3cret") {
			t.Errorf("%s holds the value of a variable", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWaitReturnsTheEnd(t *testing.T) {
	e, f := withFake(t)
	j := start(t, e, engine.Spec{})
	go f.Job(j.ID).Exit(42)
	exit, err := e.Handle(j.ID).Wait(t.Context())
	if err != nil || exit.Status != engine.Exited || code(t, exit) != 42 || exit.Reason != engine.ReasonExit {
		t.Errorf("exit = %+v, err %v", exit, err)
	}
	if again, err := e.Handle(j.ID).Wait(t.Context()); err != nil || code(t, again) != 42 {
		t.Errorf("late: %+v, %v", again, err)
	}
	if _, err := e.Handle("nothing-22222").Wait(t.Context()); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("unknown: %v", err)
	}
}

func TestWaitForJobOfAnotherEngine(t *testing.T) {
	e, f := withFake(t)
	j := start(t, e, engine.Spec{})
	other := open(t, engine.WithStateDir(e.StateDir()), engine.WithBackend(f))
	got := make(chan engine.Exit, 1)
	go func() {
		exit, err := other.Handle(j.ID).Wait(context.Background())
		if err != nil {
			t.Error(err)
		}
		got <- exit
	}()
	f.Job(j.ID).Exit(3)
	if exit := <-got; code(t, exit) != 3 {
		t.Errorf("exit = %+v", exit)
	}
}

func TestWaitIsBoundedByItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := withFake(t)
		j := start(t, e, engine.Spec{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := e.Handle(j.ID).Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("err = %v", err)
		}
		if got := get(t, e, j.ID); got.Status != engine.Running {
			t.Errorf("status = %s", got.Status)
		}
	})
}

func TestJobOfDeadHolderStaysLost(t *testing.T) {
	e, f := withFake(t)
	j := start(t, e, engine.Spec{})
	f.Job(j.ID).Print("last words")
	f.Job(j.ID).Die()
	exit, err := e.Handle(j.ID).Wait(t.Context())
	if err != nil || exit.Status != engine.Lost || exit.Reason != engine.ReasonHolderDied || exit.Code != nil {
		t.Fatalf("exit = %+v, err %v", exit, err)
	}
	// The end is recorded, so other engines need not determine it again.
	other := open(t, engine.WithStateDir(e.StateDir()))
	got := get(t, other, j.ID)
	if got.Status != engine.Lost || got.Output != int64(len("last words")) || !got.Unsuccessful() {
		t.Errorf("read elsewhere: %+v", got)
	}
	if _, err := os.Stat(filepath.Join(e.StateDir(), "jobs", string(j.ID), "exit_code")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a lost job has an exit_code: %v", err)
	}
}

func TestUnreachableIsNotAnEnd(t *testing.T) {
	f := fakeHost()
	e := open(t, engine.WithBackend(f))
	j := start(t, e, engine.Spec{Host: "web1"})
	f.Cut(errors.New("no route"))
	got := get(t, e, j.ID)
	if got.Status != engine.Running || got.Link != engine.LinkUnreachable || got.LinkError != "no route" || got.StaleSince.IsZero() {
		t.Errorf("cut off: %+v", got)
	}
	if _, err := e.Handle(j.ID).Stop(t.Context(), engine.StopOptions{}); !errors.Is(err, engine.ErrUnreachable) {
		t.Errorf("stop: %v", err)
	}
	f.Cut(nil)
	if got := get(t, e, j.ID); got.Link != engine.LinkOK || !got.StaleSince.IsZero() {
		t.Errorf("healed: %+v", got)
	}
}

func TestStopTwice(t *testing.T) {
	e, f := withFake(t)
	j := start(t, e, engine.Spec{})
	if _, err := e.Handle(j.ID).Stop(t.Context(), engine.StopOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Handle(j.ID).Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow}); err != nil {
		t.Errorf("the second time: %v", err)
	}
	got := get(t, e, j.ID)
	if got.Status != engine.Killed || got.Exit.Reason != engine.ReasonKill || got.Exit.EndedBy != "test" || code(t, got.Exit) != 143 || got.Unsuccessful() {
		t.Errorf("job = %+v", got)
	}
	if n := len(f.Job(j.ID).Stops()); n != 1 {
		t.Errorf("asked %d times", n)
	}
	done := start(t, e, engine.Spec{})
	f.Job(done.ID).Exit(0)
	if _, err := e.Handle(done.ID).Stop(t.Context(), engine.StopOptions{}); !errors.Is(err, engine.ErrNotRunning) {
		t.Errorf("stop of one that ended by itself: %v", err)
	}
}

func TestBackgroundAndRun(t *testing.T) {
	t.Run("finishes in the foreground", func(t *testing.T) {
		e, f := withFake(t)
		var id engine.ID
		r, err := e.Run(t.Context(), engine.Spec{Script: "x"}, engine.RunOptions{OnStart: func(i engine.ID) {
			id = i
			f.Job(i).Print("one\ntwo\n")
			f.Job(i).Exit(5)
		}})
		if err != nil || r.ID != id || r.Backgrounded || string(r.Output) != "one\ntwo\n" || r.Truncated || code(t, r.Exit) != 5 {
			t.Errorf("result = %+v, err %v", r, err)
		}
	})
	t.Run("backgrounded by another process", func(t *testing.T) {
		e, f := withFake(t)
		other := open(t, engine.WithStateDir(e.StateDir()), engine.WithBackend(f))
		r, err := e.Run(t.Context(), engine.Spec{Script: "x"}, engine.RunOptions{OnStart: func(i engine.ID) {
			f.Job(i).Print("so far")
			if err := other.Handle(i).Background(); err != nil {
				t.Error(err)
			}
			if err := other.Handle(i).Background(); err != nil {
				t.Errorf("the second time: %v", err)
			}
		}})
		if err != nil || !r.Backgrounded || r.Tail != "so far" || r.Cursor != 6 || r.Status != engine.Running {
			t.Errorf("result = %+v, err %v", r, err)
		}
		f.Job(r.ID).Exit(0)
		if err := e.Handle(r.ID).Background(); !errors.Is(err, engine.ErrNotRunning) {
			t.Errorf("of one that ended: %v", err)
		}
	})
	t.Run("what comes next is polled from the cursor", func(t *testing.T) {
		for _, split := range []bool{false, true} {
			e, f := withFake(t)
			out, more := engine.StreamOutput, engine.StreamOutput
			if split {
				out, more = engine.StreamStdout, engine.StreamStderr
			}
			r, err := e.Run(t.Context(), engine.Spec{Script: "x", Split: split}, engine.RunOptions{OnStart: func(i engine.ID) {
				if split {
					f.Job(i).PrintTo(engine.StreamStderr, "error\n")
				}
				f.Job(i).PrintTo(out, strings.Repeat("é", 3000)+"\n\xc3") // the first byte of another é
				if err := e.Handle(i).Background(); err != nil {
					t.Error(err)
				}
			}})
			if err != nil || utf8.RuneCountInString(r.Tail) != 2000 || !utf8.ValidString(r.Tail) {
				t.Errorf("split %v: %d characters of tail, err %v", split, utf8.RuneCountInString(r.Tail), err)
			}
			f.Job(r.ID).PrintTo(out, "\xa9 out ")
			f.Job(r.ID).PrintTo(more, "and err")
			next, err := e.Handle(r.ID).Poll(t.Context(), engine.PollOptions{Cursor: &r.Cursor})
			if err != nil || string(next.Output) != "é out and err" {
				t.Errorf("split %v: from %d on %q, err %v", split, r.Cursor, next.Output, err)
			}
		}
	})
	t.Run("yields", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			e, _ := withFake(t)
			began := time.Now()
			r, err := e.Run(t.Context(), engine.Spec{Script: "x"}, engine.RunOptions{YieldAfter: 20 * time.Second})
			if err != nil || !r.Backgrounded || time.Since(began) != 20*time.Second {
				t.Errorf("result = %+v, err %v after %v", r, err, time.Since(began))
			}
			if !get(t, e, r.ID).Backgrounded {
				t.Error("not recorded")
			}
		})
	})
	t.Run("cancelled in the foreground", func(t *testing.T) {
		e, f := withFake(t)
		ctx, cancel := context.WithCancel(t.Context())
		r, err := e.Run(ctx, engine.Spec{Script: "x"}, engine.RunOptions{MaxOutput: 4, OnStart: func(i engine.ID) {
			f.Job(i).Print("123456789")
			cancel()
		}})
		if !errors.Is(err, context.Canceled) || r.Status != engine.Killed || string(r.Output) != "6789" {
			t.Errorf("result = %+v, output %q, err %v", r, r.Output, err)
		}
	})
	t.Run("cancelled after it was backgrounded", func(t *testing.T) {
		e, f := withFake(t)
		ctx, cancel := context.WithCancel(t.Context())
		r, err := e.Run(ctx, engine.Spec{Script: "x"}, engine.RunOptions{OnStart: func(i engine.ID) {
			if err := e.Handle(i).Background(); err != nil {
				t.Error(err)
			}
		}})
		cancel()
		if err != nil || !r.Backgrounded {
			t.Fatalf("result = %+v, err %v", r, err)
		}
		f.Job(r.ID).Exit(0)
		if exit, err := e.Handle(r.ID).Wait(t.Context()); err != nil || code(t, exit) != 0 {
			t.Errorf("exit = %+v, err %v", exit, err)
		}
	})
	t.Run("long output is cut at its beginning", func(t *testing.T) {
		e, f := withFake(t)
		r, err := e.Run(t.Context(), engine.Spec{Script: "x"}, engine.RunOptions{MaxOutput: 4, OnStart: func(i engine.ID) {
			f.Job(i).Print("123456789")
			f.Job(i).Exit(0)
		}})
		if err != nil || string(r.Output) != "6789" || !r.Truncated {
			t.Errorf("output %q, truncated %v, err %v", r.Output, r.Truncated, err)
		}
	})
}

func TestClosedEngine(t *testing.T) {
	e, _ := withFake(t)
	j := start(t, e, engine.Spec{})
	waiting := make(chan error, 1)
	go func() {
		_, err := e.Handle(j.ID).Wait(context.Background())
		waiting <- err
	}()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-waiting; !errors.Is(err, engine.ErrClosed) {
		t.Errorf("a waiter got %v", err)
	}
	if _, err := e.Start(t.Context(), engine.Spec{Script: "x"}); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("start: %v", err)
	}
	for op, f := range map[string]func() error{
		"list":   func() error { _, err := e.List(t.Context(), engine.Filter{}); return err },
		"get":    func() error { _, err := e.Handle(j.ID).Facts(t.Context()); return err },
		"newest": func() error { _, err := e.Find(t.Context(), "@", engine.Read); return err },
		"poll":   func() error { _, err := e.Handle(j.ID).Poll(t.Context(), engine.PollOptions{}); return err },
		"clear":  func() error { _, err := e.Remove(t.Context(), engine.RemoveOptions{}, j.ID); return err },
		"undo":   func() error { _, err := e.Undo(t.Context()); return err },
		"read": func() error {
			_, _, err := enginetest.ReadStream(t.Context(), e.Handle(j.ID), engine.StreamOutput, nil, 0)
			return err
		},
		"log":    func() error { _, err := e.Handle(j.ID).Log(t.Context(), engine.StreamOutput); return err },
		"write":  func() error { return e.Handle(j.ID).Write(t.Context(), nil) },
		"screen": func() error { _, err := e.Handle(j.ID).Screen(t.Context()); return err },
		"stop":   func() error { _, err := e.Handle(j.ID).Stop(t.Context(), engine.StopOptions{}); return err },
		"wait":   func() error { _, err := e.Handle(j.ID).Wait(t.Context()); return err },
	} {
		if err := f(); !errors.Is(err, engine.ErrClosed) {
			t.Errorf("%s: %v", op, err)
		}
	}
	if err := e.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

func TestStartAdaptsRequestToCapabilities(t *testing.T) {
	f := fakeHost()
	f.Limit(engine.Capabilities{Stdin: true})
	e := open(t, engine.WithBackend(f))
	j := start(t, e, engine.Spec{Host: "web1", PTY: true})
	if j.Kind != engine.KindFile || j.Stdin.Writable() {
		t.Errorf("a terminal there is not: %+v", j)
	}
	j = start(t, e, engine.Spec{Host: "web1", TTYStdin: true})
	if j.Kind != engine.KindFile || !j.Stdin.Writable() || !f.Job(j.ID).Launch.Spec.Stdin {
		t.Errorf("input from a terminal there is not: %+v", j)
	}
	if _, err := e.Start(t.Context(), engine.Spec{Host: "web1", Script: "x", Split: true}); !errors.Is(err, engine.ErrUnsupported) {
		t.Errorf("separate streams: %v", err)
	}
}
