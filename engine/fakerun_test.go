package engine_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
)

// fakeRun is the engine's view of a fakeJob.
type fakeRun struct{ j *fakeJob }

var (
	_ engine.Run       = fakeRun{}
	_ engine.Throttler = fakeRun{}
)

func (r fakeRun) alive() error {
	if err := r.j.f.unreachable(); err != nil {
		return errors.Join(engine.ErrUnreachable, err)
	}
	r.j.mu.Lock()
	defer r.j.mu.Unlock()
	if r.j.end != nil || r.j.dead {
		return engine.ErrNotRunning
	}
	return nil
}

func (r fakeRun) Throttle(on bool) {
	r.j.mu.Lock()
	defer r.j.mu.Unlock()
	r.j.throttled = on
}

func (r fakeRun) Signal(_ context.Context, name, _ string) error {
	if err := r.alive(); err != nil {
		return err
	}
	r.j.change(func() { r.j.signals = append(r.j.signals, name) })
	return nil
}

// Stop ends the job at once, or a stubborn one after the grace period.
func (r fakeRun) Stop(ctx context.Context, o engine.StopOptions) (engine.StopReport, error) {
	if err := r.alive(); err != nil {
		return engine.StopReport{}, err
	}
	grace := o.Grace
	if grace == 0 {
		grace = r.j.Launch.Job.Grace.Duration()
	}
	began := r.j.f.now()
	stubborn := false
	r.j.change(func() {
		r.j.stops = append(r.j.stops, o)
		r.j.state.Stopping = &engine.StopRequest{By: o.By, Reason: o.Reason, At: began, Deadline: began.Add(grace)}
		stubborn = r.j.stubborn
	})
	code, signal := 143, "SIGTERM"
	if grace < 0 || stubborn {
		code, signal = 137, "SIGKILL"
		if grace > 0 {
			select {
			case <-time.After(grace):
			case <-r.j.ended:
			case <-ctx.Done():
				return engine.StopReport{}, ctx.Err()
			}
		}
	}
	r.j.finish(engine.Exit{Status: engine.Killed, Code: &code, Signal: signal, Reason: o.Reason, EndedBy: o.By})
	return engine.StopReport{Took: r.j.f.now().Sub(began), Escalated: code == 137 && grace >= 0}, nil
}

func (r fakeRun) Write(_ context.Context, p []byte) error {
	if err := r.alive(); err != nil {
		return err
	}
	var err error
	r.j.change(func() {
		if r.j.closed || !r.j.Launch.Job.Stdin.Writable() {
			err = engine.ErrNoInput
			return
		}
		r.j.input = append(r.j.input, p...)
	})
	return err
}

func (r fakeRun) CloseInput(context.Context) error {
	if err := r.alive(); err != nil {
		return err
	}
	r.j.change(func() { r.j.closed = true })
	return nil
}

func (r fakeRun) Resize(_ context.Context, s engine.Size) error {
	if err := r.alive(); err != nil {
		return err
	}
	r.j.change(func() { r.j.state.Size = s })
	return nil
}

// A fake job has no terminal.

func (fakeRun) SendKeys(context.Context, []string) error { return engine.ErrUnsupported }
func (fakeRun) Paste(context.Context, []byte) error      { return engine.ErrUnsupported }

func (fakeRun) Screen(context.Context) (engine.Screen, error) {
	return engine.Screen{}, engine.ErrUnsupported
}

func (fakeRun) OpenTerminal(context.Context, engine.TerminalOptions) (engine.Terminal, error) {
	return nil, engine.ErrUnsupported
}

func (r fakeRun) Background(context.Context) error {
	if err := r.alive(); err != nil {
		return err
	}
	r.j.change(func() {
		r.j.state.Backgrounded = true
		if err := jobdir.WriteState(r.j.Launch.Dir, &r.j.state); err != nil {
			panic(err)
		}
	})
	return nil
}

func (r fakeRun) Watch(ctx context.Context, notify func(engine.State, engine.Note)) error {
	for {
		s, note, changed := r.j.observe()
		notify(s, note)
		if s.Status.Finished() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (r fakeRun) OpenOutput(_ context.Context, s engine.Stream) (engine.Output, error) {
	if err := r.j.f.unreachable(); err != nil {
		return nil, errors.Join(engine.ErrUnreachable, err)
	}
	name := map[engine.Stream]string{engine.StreamOutput: jobdir.OutputFile, engine.StreamStdout: jobdir.StdoutFile, engine.StreamStderr: jobdir.StderrFile}[s]
	f, err := os.OpenFile(filepath.Join(r.j.Launch.Dir, name), os.O_RDONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return fakeOutput{f}, nil
}

type fakeOutput struct{ f *os.File }

func (o fakeOutput) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	n, err := o.f.ReadAt(p, off)
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

func (o fakeOutput) Size(context.Context) (int64, error) {
	fi, err := o.f.Stat()
	if err != nil {
		return 0, err
	}
	return fi.Size(), nil
}

func (fakeOutput) Holes(context.Context) ([]engine.Range, error) { return nil, nil }
func (o fakeOutput) Close() error                                { return o.f.Close() }
