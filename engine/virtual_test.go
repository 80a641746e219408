package engine_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/enginetest"
)

func create(t *testing.T, e *engine.Engine, spec engine.ExecutionSpec) *engine.Execution {
	t.Helper()
	if spec.Name == "" {
		spec.Name = "virtual thing"
	}
	x, err := e.NewExecution(spec)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestVirtualExecutionIsOrdinaryJob(t *testing.T) {
	e := open(t)
	other := open(t, engine.WithStateDir(e.StateDir()))
	x := create(t, e, engine.ExecutionSpec{})
	x.Append([]byte("hello "))
	x.Append([]byte("world"))
	for name, eng := range map[string]*engine.Engine{"its own engine": e, "another": other} {
		j := get(t, eng, x.ID())
		if j.Status != engine.Running || j.Kind != engine.KindVirtual || j.Leader.PID != 0 || j.Name != "virtual thing" || j.Output != 11 || !active(t, eng, j.ID) {
			t.Errorf("%s sees %+v", name, j)
		}
		buf := make([]byte, 5)
		if n, size, err := enginetest.ReadStream(t.Context(), eng.Handle(j.ID), engine.StreamOutput, buf, 6); err != nil || string(buf[:n]) != "world" || size != 11 {
			t.Errorf("%s reads %q of %d, err %v", name, buf[:n], size, err)
		}
	}
	if err := other.Handle(x.ID()).Background(); err != nil {
		t.Fatal(err)
	}
	<-x.Backgrounded()
	if !get(t, e, x.ID()).Backgrounded {
		t.Error("not recorded as backgrounded")
	}
	seven := 7
	if err := x.Complete(engine.Exit{Code: &seven}); err != nil {
		t.Fatal(err)
	}
	for name, eng := range map[string]*engine.Engine{"its own engine": e, "another": other} {
		exit, err := eng.Handle(x.ID()).Wait(t.Context())
		if err != nil || exit.Status != engine.Exited || code(t, exit) != 7 || active(t, eng, x.ID()) {
			t.Errorf("%s: exit %+v, err %v, active %v", name, exit, err, active(t, eng, x.ID()))
		}
	}
}

func TestVirtualEnds(t *testing.T) {
	e := open(t)
	for name, c := range map[string]struct {
		end  func(*engine.Execution) error
		want engine.Exit
	}{
		"complete": {func(x *engine.Execution) error { return x.Complete(engine.Exit{}) },
			engine.Exit{Status: engine.Exited, Code: new(int), Reason: engine.ReasonExit}},
		"signal": {func(x *engine.Execution) error { return x.Complete(engine.Exit{Signal: "SIGTERM"}) },
			engine.Exit{Status: engine.Killed, Signal: "SIGTERM", Reason: engine.ReasonSignal}},
		"fail": {func(x *engine.Execution) error {
			return x.Complete(engine.Exit{Status: engine.Failed, Error: "the disk ate it"})
		},
			engine.Exit{Status: engine.Failed, Reason: engine.ReasonExit, Error: "the disk ate it"}},
		"kill": {func(x *engine.Execution) error {
			return x.Complete(engine.Exit{Status: engine.Killed, EndedBy: "test"})
		},
			engine.Exit{Status: engine.Killed, Reason: engine.ReasonKill, EndedBy: "test"}},
	} {
		t.Run(name, func(t *testing.T) {
			x := create(t, e, engine.ExecutionSpec{})
			if err := c.end(x); err != nil {
				t.Fatal(err)
			}
			// Calls after the end have no effect.
			x.Append([]byte("late"))
			if err := errors.Join(x.Complete(engine.Exit{Status: engine.Failed}), x.Complete(engine.Exit{})); err != nil {
				t.Errorf("late: %v", err)
			}
			j := get(t, e, x.ID())
			j.Exit.At, j.Exit.Ran, j.Exit.SinceBoot = c.want.At, 0, 0
			if diff := cmp.Diff(c.want, j.Exit); diff != "" || j.Output != 0 {
				t.Errorf("output %d, exit:\n%s", j.Output, diff)
			}
		})
	}
}

func TestKillVirtualExecutionFromAnotherProcess(t *testing.T) {
	e := open(t)
	other := open(t, engine.WithStateDir(e.StateDir()), engine.WithClient("other"))
	var kills atomic.Int32
	var typed strings.Builder
	var size engine.Size
	var x *engine.Execution
	x = create(t, e, engine.ExecutionSpec{Hooks: engine.ExecutionHooks{
		Write:  func(_ context.Context, p []byte) error { typed.Write(p); return nil },
		Resize: func(_ context.Context, s engine.Size) error { size = s; return nil },
		Kill:   func(context.Context) error { kills.Add(1); x.Append([]byte("bye")); return nil },
	}})
	if err := other.Handle(x.ID()).Write(t.Context(), []byte("typed")); err != nil {
		t.Fatal(err)
	}
	if err := other.Handle(x.ID()).Resize(t.Context(), engine.Size{Cols: 90, Rows: 20}); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if _, err := other.Handle(x.ID()).Stop(t.Context(), engine.StopOptions{}); err != nil {
				t.Errorf("stop: %v", err)
			}
		})
	}
	wg.Wait()
	if kills.Load() != 1 || typed.String() != "typed" || size != (engine.Size{Cols: 90, Rows: 20}) {
		t.Errorf("%d kills, typed %q, size %v", kills.Load(), typed.String(), size)
	}
	j := get(t, other, x.ID())
	if j.Status != engine.Killed || j.Exit.EndedBy != "other" || j.Exit.Reason != engine.ReasonKill || j.Output != 3 {
		t.Errorf("job = %+v", j)
	}
}

func TestProgramReportsItsOwnEndInTheKillHook(t *testing.T) {
	e := open(t)
	var x *engine.Execution
	three := 3
	x = create(t, e, engine.ExecutionSpec{Hooks: engine.ExecutionHooks{Kill: func(context.Context) error {
		return x.Complete(engine.Exit{Code: &three})
	}}})
	if _, err := e.Handle(x.ID()).Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow}); err != nil {
		t.Fatal(err)
	}
	if j := get(t, e, x.ID()); j.Status != engine.Killed || code(t, j.Exit) != 3 || j.Exit.EndedBy != "test" {
		t.Errorf("job = %+v", j)
	}
}

func TestMissingOrFailingHooks(t *testing.T) {
	e := open(t)
	bare := create(t, e, engine.ExecutionSpec{})
	if _, err := e.Handle(bare.ID()).Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow}); !errors.Is(err, engine.ErrUnsupported) {
		t.Errorf("kill without a hook: %v", err)
	}
	if err := e.Handle(bare.ID()).Write(t.Context(), nil); !errors.Is(err, engine.ErrNoInput) {
		t.Errorf("write without a hook: %v", err)
	}
	if err := e.Handle(bare.ID()).Resize(t.Context(), engine.Size{Cols: 1, Rows: 1}); !errors.Is(err, engine.ErrUnsupported) {
		t.Errorf("resize without a hook: %v", err)
	}
	no := errors.New("will not")
	x := create(t, e, engine.ExecutionSpec{Hooks: engine.ExecutionHooks{Kill: func(context.Context) error { return no }}})
	if _, err := e.Handle(x.ID()).Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow}); !errors.Is(err, no) {
		t.Errorf("kill: %v", err)
	}
	if j := get(t, e, x.ID()); j.Status != engine.Running {
		t.Errorf("status %s", j.Status)
	}
}

func TestKillWhileWriteHookHangs(t *testing.T) {
	e := open(t)
	began := make(chan struct{})
	x := create(t, e, engine.ExecutionSpec{Hooks: engine.ExecutionHooks{
		Write: func(ctx context.Context, _ []byte) error { close(began); <-ctx.Done(); return ctx.Err() },
		Kill:  func(context.Context) error { return nil },
	}})
	writing := make(chan error, 1)
	go func() { writing <- e.Handle(x.ID()).Write(context.Background(), []byte("x")) }()
	<-began
	if _, err := e.Handle(x.ID()).Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow}); err != nil {
		t.Fatal(err)
	}
	if err := <-writing; !errors.Is(err, context.Canceled) {
		t.Errorf("write: %v", err)
	}
}

// hangs returns an execution whose Kill hook ignores its context. The hook closes called and
// returns the value sent to result.
func hangs(t *testing.T, e *engine.Engine) (x *engine.Execution, called chan struct{}, result chan error) {
	t.Helper()
	called, result = make(chan struct{}), make(chan error, 1)
	x = create(t, e, engine.ExecutionSpec{Hooks: engine.ExecutionHooks{Kill: func(context.Context) error {
		close(called)
		return <-result
	}}})
	return x, called, result
}

func TestKillReturnsWhenContextIsDone(t *testing.T) {
	for from, other := range map[string]bool{"the program": false, "another process": true} {
		t.Run(from, func(t *testing.T) {
			e := open(t)
			asks := e
			if other {
				asks = open(t, engine.WithStateDir(e.StateDir()))
			}
			x, called, result := hangs(t, e)
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-called; cancel() }()
			if _, err := asks.Handle(x.ID()).Stop(ctx, engine.StopOptions{Grace: engine.KillNow}); !errors.Is(err, context.Canceled) {
				t.Errorf("kill: %v", err)
			}
			if j := get(t, e, x.ID()); j.Status != engine.Stopping {
				t.Errorf("while the hook is at work: %s", j.Status)
			}
			result <- nil
			if exit, err := e.Handle(x.ID()).Wait(t.Context()); err != nil || exit.Status != engine.Killed || exit.EndedBy != "test" {
				t.Errorf("after the hook has returned: %+v, %v", exit, err)
			}
		})
	}
}

func TestStopReturnsAfterGracePeriod(t *testing.T) {
	for from, other := range map[string]bool{"the program": false, "another process": true} {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			e := open(t)
			asks := e
			if other {
				asks = open(t, engine.WithStateDir(e.StateDir()))
			}
			x, called, result := hangs(t, e)
			for range 2 { // the second one waits for the hook that the first one called
				if _, err := asks.Handle(x.ID()).Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow}); err == nil || !strings.Contains(err.Error(), "did not end it within") {
					t.Errorf("stop: %v", err)
				}
			}
			<-called
			result <- errors.New("will not")
			for get(t, e, x.ID()).Status != engine.Running {
				<-time.After(time.Millisecond)
			}
			if err := x.Complete(engine.Exit{}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestCompleteReturnsKillWhoseHookHangs(t *testing.T) {
	e := open(t)
	x, called, result := hangs(t, e)
	go func() {
		<-called
		_ = x.Complete(engine.Exit{})
	}()
	if _, err := e.Handle(x.ID()).Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow}); err != nil {
		t.Errorf("kill: %v", err)
	}
	result <- nil
}

func TestAttach(t *testing.T) {
	e := open(t)
	spec := engine.ExecutionSpec{
		PID: os.Getpid(), Command: []string{"my", "tool"},
	}
	x, err := e.NewExecution(spec)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.NewExecution(spec); !errors.Is(err, engine.ErrExists) {
		t.Errorf("attached twice: %v", err)
	}
	if j := get(t, e, x.ID()); j.Leader.PID != os.Getpid() || j.Name != "my tool" {
		t.Errorf("job = %+v", j)
	}
	if err := x.Complete(engine.Exit{}); err != nil {
		t.Fatal(err)
	}
	again, err := e.NewExecution(spec)
	if err != nil {
		t.Fatalf("attached after the end: %v", err)
	}
	if err := again.Complete(engine.Exit{}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.NewExecution(engine.ExecutionSpec{PID: 1 << 30}); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("no such process: %v", err)
	}
}

func TestClosedEngineLosesItsExecutions(t *testing.T) {
	e := open(t)
	other := open(t, engine.WithStateDir(e.StateDir()))
	x := create(t, e, engine.ExecutionSpec{})
	ended := make(chan engine.Exit, 1)
	go func() {
		exit, err := other.Handle(x.ID()).Wait(t.Context())
		if err != nil {
			t.Error(err)
		}
		ended <- exit
	}()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if exit := <-ended; exit.Status != engine.Lost || exit.Reason != engine.ReasonHolderDied {
		t.Errorf("exit = %+v", exit)
	}
	x.Append([]byte("late"))
	if err := x.Complete(engine.Exit{}); err != nil {
		t.Errorf("late: %v", err)
	}
	if j := get(t, other, x.ID()); j.Status != engine.Lost {
		t.Errorf("job = %+v", j)
	}
}

func TestConcurrentUseOfExecution(t *testing.T) {
	e := open(t)
	x := create(t, e, engine.ExecutionSpec{Hooks: engine.ExecutionHooks{Kill: func(context.Context) error { return nil }}})
	s, _ := subscribe(t, e, engine.Filter{})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 50 {
				x.Append([]byte("0123456789\n"))
				get(t, e, x.ID())
			}
			switch i % 4 {
			case 0:
				x.Complete(engine.Exit{})
			case 1:
				x.Complete(engine.Exit{Status: engine.Killed})
			case 2:
				x.Complete(engine.Exit{Status: engine.Failed, Error: "x"})
			case 3:
				e.Handle(x.ID()).Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow})
			}
		})
	}
	wg.Wait()
	if _, err := e.Handle(x.ID()).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	kinds, _ := story(t, s, engine.EventExited)
	if n := strings.Count(strings.Join(kinds, " "), string(engine.EventExited)); n != 1 {
		t.Errorf("%d ends reported: %q", n, kinds)
	}
}

func TestFailureIsReportedToWaiters(t *testing.T) {
	e := open(t)
	x, err := e.NewExecution(engine.ExecutionSpec{Name: "work"})
	if err != nil {
		t.Fatal(err)
	}
	s, _ := subscribe(t, e, engine.Filter{})
	waited := make(chan engine.Exit, 1)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	go func() {
		exit, err := e.Handle(x.ID()).Wait(ctx)
		if err != nil {
			t.Error(err)
		}
		waited <- exit
	}()
	if err := x.Complete(engine.Exit{Status: engine.Failed, Error: "the disk ate it"}); err != nil {
		t.Fatal(err)
	}
	if _, evs := story(t, s, engine.EventExited); evs[len(evs)-1].Job.Status != engine.Failed {
		t.Errorf("reported %+v", evs)
	}
	if exit := <-waited; exit.Status != engine.Failed || exit.Error != "the disk ate it" {
		t.Errorf("waited for %+v", exit)
	}
}

func TestReadOutputRejectsNegativeOffset(t *testing.T) {
	e := open(t)
	x := create(t, e, engine.ExecutionSpec{})
	if _, _, err := enginetest.ReadStream(t.Context(), e.Handle(x.ID()), engine.StreamOutput, make([]byte, 8), -1); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("err = %v", err)
	}
}
