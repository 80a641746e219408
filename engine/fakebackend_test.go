package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

// fakeBackend is a backend whose jobs are controlled by the test. It starts no processes but writes real
// records, so other engines with the same state directory see its jobs. It is safe for concurrent
// use.
type fakeBackend struct {
	name, host string
	caps       engine.Capabilities
	now        func() time.Time

	mu       sync.Mutex // guards the fields below
	jobs     map[engine.ID]*fakeJob
	cut      error // set while the host is unreachable
	startErr error
}

var _ engine.Backend = (*fakeBackend)(nil)

// newFake returns a backend for host; "" is this machine.
func newFake(host string) *fakeBackend {
	return &fakeBackend{
		name: "fake" + host, host: host, now: time.Now, jobs: map[engine.ID]*fakeJob{},
		caps: engine.Capabilities{PTY: true, Stdin: true, Split: true, Resize: true, LogLimit: true, TTYStdin: true},
	}
}

// Clock replaces time.Now for recorded times. Call it before the first start.
func (f *fakeBackend) Clock(now func() time.Time) { f.now = now }

// Limit restricts the backend's capabilities to caps. Call it before the first start.
func (f *fakeBackend) Limit(caps engine.Capabilities) { f.caps = caps }

// FailStarts makes every start fail with err until it is called with nil.
func (f *fakeBackend) FailStarts(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.startErr = err
}

// Cut makes the host unreachable, with err as the reason; nil restores the connection.
func (f *fakeBackend) Cut(err error) {
	f.mu.Lock()
	f.cut = err
	jobs := make([]*fakeJob, 0, len(f.jobs))
	for _, j := range f.jobs {
		jobs = append(jobs, j)
	}
	f.mu.Unlock()
	for _, j := range jobs {
		j.change(func() {})
	}
}

func (f *fakeBackend) unreachable() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cut
}

// Job returns a job that was started here, or nil.
func (f *fakeBackend) Job(id engine.ID) *fakeJob {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.jobs[id]
}

// Name implements [engine.Backend].
func (f *fakeBackend) Name() string { return f.name }

// Capabilities implements [engine.Backend].
func (f *fakeBackend) Capabilities(string) engine.Capabilities { return f.caps }

// Serves implements [engine.Backend].
func (f *fakeBackend) Serves(host string) bool { return host == f.host }

// Close implements [engine.Backend]. Jobs keep running: another engine may use the same backend.
func (f *fakeBackend) Close() error { return nil }

// Start implements [engine.Backend].
func (f *fakeBackend) Start(ctx context.Context, l engine.Launch) (*engine.State, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.startErr != nil {
		return nil, f.startErr
	}
	j := &fakeJob{f: f, Launch: l, changed: make(chan struct{}), ended: make(chan struct{})}
	j.state = engine.State{
		Machine: proc.MachineID(), BootID: proc.BootID(), PIDNS: proc.PIDNamespace(), Holder: proc.Self(),
		Leader: proc.Identity{PID: 100_000 + len(f.jobs)}, StartedAt: f.now(), Backgrounded: l.Spec.Backgrounded, Size: l.Spec.Size,
	}
	if l.Spec.Timeout > 0 {
		j.state.Deadline = f.now().Add(l.Spec.Timeout)
	}
	if err := jobdir.WriteState(l.Dir, &j.state); err != nil {
		return nil, err
	}
	j.lock = l.Lock.(*jobdir.FileLock).Keep()
	f.jobs[l.ID] = j
	return nil, nil // it is observed
}

// Open implements [engine.Backend].
func (f *fakeBackend) Open(_ context.Context, r engine.Record) (engine.Run, error) {
	if j := f.Job(r.ID); j != nil {
		return fakeRun{j}, nil
	}
	// A job of an earlier instance of the backend: only its records are left.
	return fakeRun{&fakeJob{f: f, Launch: engine.Launch{Record: r}, dead: true, changed: make(chan struct{}), ended: make(chan struct{})}}, nil
}

// Observe implements [engine.Backend].
func (f *fakeBackend) Observe(_ context.Context, rs []engine.Record) (map[engine.ID]engine.State, error) {
	seen := make(map[engine.ID]engine.State, len(rs))
	for _, r := range rs {
		run, err := f.Open(context.Background(), r)
		if err != nil {
			return nil, err
		}
		seen[r.ID], _, _ = run.(fakeRun).j.observe()
	}
	return seen, nil
}

// fakeJob is one job of a [fakeBackend]. Its methods simulate actions of the job.
type fakeJob struct {
	f *fakeBackend
	// Launch is what the engine passed to Start.
	Launch engine.Launch

	mu        sync.Mutex // guards the fields below
	lock      *jobdir.FileLock
	state     engine.State
	end       *engine.Exit
	dead      bool // the holder died
	output    int64
	bells     int
	note      engine.Note
	stubborn  bool
	stops     []engine.StopOptions
	signals   []string
	input     []byte
	closed    bool
	throttled bool
	changed   chan struct{}
	ended     chan struct{}
}

// Throttled reports whether the watcher of the job asked for throttling.
func (j *fakeJob) Throttled() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.throttled
}

func (j *fakeJob) change(f func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	f()
	close(j.changed)
	j.changed = make(chan struct{})
}

// Print adds to the job's output.
func (j *fakeJob) Print(text string) { j.PrintTo(engine.StreamOutput, text) }

// PrintTo adds to one stream of a job with separate streams.
func (j *fakeJob) PrintTo(s engine.Stream, text string) {
	j.change(func() {
		name := map[engine.Stream]string{
			engine.StreamOutput: jobdir.OutputFile, engine.StreamStdout: jobdir.StdoutFile, engine.StreamStderr: jobdir.StderrFile,
		}[s]
		w, err := os.OpenFile(filepath.Join(j.Launch.Dir, name), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			panic(err)
		}
		defer w.Close()
		if _, err := w.WriteString(text); err != nil {
			panic(err)
		}
		j.output += int64(len(text))
	})
}

// Exit ends the job by itself.
func (j *fakeJob) Exit(code int) {
	j.finish(engine.Exit{Status: engine.Exited, Code: &code, Reason: engine.ReasonExit})
}

// End ends the job in any way.
func (j *fakeJob) End(exit engine.Exit) { j.finish(exit) }

// Runs sets how often the job's command was started.
func (j *fakeJob) Runs(r *engine.Runs) { j.change(func() { j.state.Runs = r }) }

// Signalled ends the job by a signal that hob did not send.
func (j *fakeJob) Signalled(name string, number int) {
	code := 128 + number
	j.finish(engine.Exit{Status: engine.Killed, Code: &code, Signal: name, Reason: engine.ReasonSignal})
}

// Die ends the holder without a record, as SIGKILL would.
func (j *fakeJob) Die() {
	j.change(func() {
		j.dead = true
		j.lock.Close()
		close(j.ended)
	})
}

// Title sets the title, as the job would with an escape sequence.
func (j *fakeJob) Title(s string) { j.change(func() { j.state.Title = s }) }

// Waiting sets whether the job waits for input.
func (j *fakeJob) Waiting(on bool) { j.change(func() { j.state.Waiting = on }) }

// Entry sets whether typed input is displayed.
func (j *fakeJob) Entry(e engine.Entry) { j.change(func() { j.state.Entry = e }) }

// Bell rings the bell.
func (j *fakeJob) Bell() { j.change(func() { j.bells++ }) }

// Notify sends a notification.
func (j *fakeJob) Notify(title, body string) {
	j.change(func() { j.note = engine.Note{Title: title, Body: body}; j.bells++ })
}

// Stubborn makes the job ignore SIGTERM.
func (j *fakeJob) Stubborn() { j.change(func() { j.stubborn = true }) }

// Stopping makes the job one that is being stopped.
func (j *fakeJob) Stopping(deadline time.Time) {
	j.change(func() {
		j.state.Status, j.state.Stopping = engine.Stopping, &engine.StopRequest{Deadline: deadline}
	})
}

// Stops returns the requests to end the job, in order.
func (j *fakeJob) Stops() []engine.StopOptions {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]engine.StopOptions(nil), j.stops...)
}

// Signals returns the signals sent to the job.
func (j *fakeJob) Signals() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]string(nil), j.signals...)
}

// Input returns what was typed into the job so far, and whether the input has ended.
func (j *fakeJob) Input() (typed string, closed bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return string(j.input), j.closed
}

func (j *fakeJob) finish(exit engine.Exit) {
	j.change(func() {
		if j.end != nil || j.dead {
			return
		}
		exit.At = j.f.now()
		j.state.Stopping = nil
		j.state.Exit = exit
		if err := jobdir.Finish(j.Launch.Dir, &j.state); err != nil {
			panic(err)
		}
		j.end = &exit
		j.lock.Close()
		close(j.ended)
	})
}

// observe returns the job's state, its pending notification, and a channel that is closed when they
// change.
func (j *fakeJob) observe() (engine.State, engine.Note, <-chan struct{}) {
	cut := j.f.unreachable()
	j.mu.Lock()
	defer j.mu.Unlock()
	s, note := j.state, j.note
	j.note = engine.Note{}
	s.Status, s.Link, s.Output, s.Bells = engine.Running, engine.LinkNone, j.output, j.bells
	if j.f.host != "" {
		s.Link = engine.LinkOK
	}
	last := &j.Launch.Job
	switch {
	case cut != nil:
		s.Status, s.Link, s.LinkError, s.StaleSince = last.Status, engine.LinkUnreachable, cut.Error(), j.f.now()
		if s.Status == engine.Starting {
			s.Status = engine.Running
		}
	case j.end != nil:
		s.Status, s.Exit = j.end.Status, *j.end
	case j.dead:
		s.Status, s.Exit = engine.Lost, engine.Exit{Status: engine.Lost, Reason: engine.ReasonHolderDied}
		s.StartedAt, s.Leader, s.Output = last.StartedAt, last.Leader, last.Output
	case s.Stopping != nil:
		s.Status = engine.Stopping
	}
	return s, note, j.changed
}

func (j *fakeJob) String() string { return fmt.Sprintf("fake job %s", j.Launch.ID) }

func fakeHost() *fakeBackend { return newFake("web1") }
