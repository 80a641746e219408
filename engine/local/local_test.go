//go:build linux || darwin

package local_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/statedir"
	"github.com/hobjobs/hob/internal/testtool"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && (os.Args[2] == dyingHolder || os.Args[2] == silentHolder) {
		dieAsHolder()
	}
	if local.IsHolder() {
		os.Exit(local.RunHolder())
	}
	if name := os.Getenv("HOB_TEST_CLIENT"); name != "" {
		if os.Getenv("HOB_TEST_NPROC") != "" {
			if err := limitProcesses(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		os.Exit(runClient(name))
	}
	os.Exit(testtool.RunWithoutLeaks(m))
}

// patience bounds waits for events, on a slow machine.
const patience = 60 * time.Second

// place is a state directory with a backend.
type place struct {
	root *statedir.Root
	b    *local.Backend
}

func newPlace(t testing.TB, opts ...local.Option) *place {
	t.Helper()
	return openPlace(t, filepath.Join(shortDir(t), "state"), opts...)
}

// shortDir is a directory whose path leaves room for a socket's name, which that
// of t.TempDir may not.
func shortDir(t testing.TB) string {
	t.Helper()
	return testtool.TempDir(t)
}

func openPlace(t testing.TB, dir string, opts ...local.Option) *place {
	t.Helper()
	root, err := statedir.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	p := &place{root: root, b: local.New(opts...)}
	t.Cleanup(func() {
		if err := p.b.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// make creates the directory of a job that is not started.
func (p *place) make(spec engine.Spec) (engine.Launch, error) {
	return p.makeWith(spec, nil)
}

// makeHeld is like make, but locks the job from the first moment, as an engine does.
func (p *place) makeHeld(spec engine.Spec) (engine.Launch, error) {
	var held *jobdir.FileLock
	l, err := p.makeWith(spec, func(dir string) (err error) {
		held, err = jobdir.Lock(dir)
		return err
	})
	l.Lock = held
	return l, err
}

func (p *place) makeWith(spec engine.Spec, prepare func(dir string) error) (engine.Launch, error) {
	kind := "file"
	if spec.PTY {
		kind = "pty"
	}
	stdin := "null"
	switch {
	case spec.PTY:
		stdin = "pty"
	case spec.TTYStdin:
		stdin = "tty"
	case spec.Stdin:
		stdin = "pipe"
	}
	if spec.Dir == "" {
		spec.Dir = os.TempDir()
	}
	if spec.Size.Cols == 0 {
		spec.Size = engine.Size{Cols: 120, Rows: 40}
	}
	meta := jobdir.Meta{
		Request: record.Request{
			Token: statedir.NewToken(), Name: "test", Command: spec.Command, Script: spec.Script, Dir: spec.Dir,
			Backend: "local", Kind: record.Kind(kind), Split: spec.Split, Stdin: record.Input(stdin), InitialSize: spec.Size,
			Timeout: record.InMilliseconds(spec.Timeout), Grace: record.InMilliseconds(spec.Grace), LogLimit: spec.LogLimit,
			HealthCheck:       spec.Health,
			StartInBackground: spec.Backgrounded, Restart: spec.Restart, CreatedAt: time.Now(),
		},
	}
	dir, err := p.root.Create(&meta, "job", prepare)
	if err != nil {
		return engine.Launch{}, err
	}
	rec := engine.Record{ID: meta.ID, Dir: dir}
	rec.Job = engine.Job{Request: engine.Request{ID: rec.ID, Kind: engine.Kind(kind), Split: spec.Split}}
	return engine.Launch{Record: rec, Spec: spec, Env: os.Environ()}, nil
}

// start starts a job and ends it with the test.
func (p *place) start(t testing.TB, spec engine.Spec) started {
	t.Helper()
	l, err := p.make(spec)
	if err != nil {
		t.Fatal(err)
	}
	return p.launch(t, l)
}

func (p *place) launch(t testing.TB, l engine.Launch) started {
	t.Helper()
	if _, err := p.b.Start(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	run, err := p.b.Open(t.Context(), l.Record)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		run.Stop(ctx, engine.StopOptions{Grace: engine.KillNow, By: "cleanup"})
	})
	return started{run: run, dir: l.Dir, rec: l.Record}
}

type started struct {
	run engine.Run
	dir string
	rec engine.Record
}

// exitOf waits for the end of a run.
func exitOf(ctx context.Context, run engine.Run) (exit engine.Exit, err error) {
	err = run.Watch(ctx, func(s engine.State, _ engine.Note) { exit = s.Exit })
	return exit, err
}

func (s started) wait(t testing.TB) engine.Exit {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	exit, err := exitOf(ctx, s.run)
	if err != nil {
		t.Fatalf("wait for %s: %v", s.rec.ID, err)
	}
	return exit
}

func (s started) output(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, jobdir.OutputFile))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func (s started) state(t testing.TB) record.State {
	t.Helper()
	st, err := jobdir.ReadState(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// eventually waits until ok returns true: for events in other processes that cannot be waited for
// directly.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("never happened: %s", what)
}

func contextWithTimeout() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), patience)
}

func code(n int) *int { return &n }
