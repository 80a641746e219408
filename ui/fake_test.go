package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/grouplog"
	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/engine/record"
)

// fake is an engine in memory. It records calls; the test provides events.
type fake struct {
	mu      sync.Mutex
	calls   []string
	jobs    []engine.Job
	logs    map[engine.ID]string
	screens map[engine.ID]engine.Screen
	fail    map[string]error // errors, by name of the call
	sub     *fakeSub
	screen  *fakeTerminal
	groups  []*fakeGroup
	spec    engine.Spec          // of the last start
	trash   []engine.ID          // jobs moved by the last clear
	marked  []engine.ID          // jobs marked as seen
	rec     recording            // result of OpenReplay; nil: it fails
	why     map[engine.ID]string // results of Finding

	unnotified map[engine.ID]*engine.NotifyFailure // results of NotifyFailed

	entry     engine.Entry  // for jobs on hosts
	late      bool          // the test sends the snapshot of a subscription
	grace     chan struct{} // a restart waits for this channel
	failStart bool          // jobs are recorded but cannot be started
	slow      chan struct{} // stops and Close wait for this channel
	queue     engine.Queue
}

func (f *fake) called(format string, args ...any) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	call := fmt.Sprintf(format, args...)
	f.calls = append(f.calls, call)
	name, _, _ := strings.Cut(call, " ")
	return f.fail[name]
}

func (f *fake) did() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.calls)
}

func (f *fake) job(id engine.ID) engine.Job {
	for _, j := range f.jobs {
		if j.ID == id {
			return j
		}
	}
	return engine.Job{Request: engine.Request{ID: id}}
}

func (f *fake) Subscribe(filter engine.Filter) subscription {
	f.sub = &fakeSub{batches: make(chan []engine.Event, 64), closed: make(chan struct{}), slow: f.slow}
	snapshot := []engine.Event{}
	for _, j := range f.jobs {
		if !filter.Selects(&j) {
			continue
		}
		snapshot = append(snapshot, engine.Event{Kind: engine.EventCreated, Job: j})
	}
	if !f.late {
		f.sub.batches <- snapshot
	}
	return f.sub
}

func (f *fake) OpenLog(_ context.Context, id engine.ID, s engine.Stream) (openLog, error) {
	if err := f.called("open-log %s %s", id, s); err != nil {
		return nil, err
	}
	return &fakeLog{text: f.logs[id], fail: f.fail["read-log"]}, nil
}

func (f *fake) OpenGroup(_ context.Context, o grouplog.Options) (groupStream, error) {
	g := &fakeGroup{entries: make(chan []grouplog.Entry, 64), closed: make(chan struct{})}
	err := f.called("open-group %s %s", o.Filter.Labels["group"], o.Filter.Labels["project"])
	f.mu.Lock()
	defer f.mu.Unlock()
	f.groups = append(f.groups, g)
	return g, err
}

func (f *fake) Screen(_ context.Context, id engine.ID) (engine.Screen, error) {
	return f.screens[id], f.called("open-screen %s", id)
}

func (f *fake) Start(_ context.Context, s engine.Spec, _ ...engine.StartOption) (engine.Job, error) {
	f.spec = s
	err := f.called("start %q in %q on %q", s.Script, s.Dir, s.Host)
	j := engine.Job{Request: engine.Request{ID: "new-aaaaa", Name: s.Script}}
	if f.failStart {
		j.Status = engine.Failed
	}
	return j, err
}

func (f *fake) Restart(_ context.Context, id engine.ID, o engine.RestartOptions) (engine.Job, error) {
	if f.grace != nil && !o.Keep {
		<-f.grace
	}
	verb := "restart"
	if o.Keep {
		verb = "run-another"
	}
	if len(o.Env) > 0 {
		verb += "-with-values"
	}
	text := ""
	if o.Edited != nil {
		f.spec = *o.Edited
		text = fmt.Sprintf(" as %q in %q on %q", o.Edited.Script, o.Edited.Dir, o.Edited.Host)
	}
	err := f.called("%s %s%s", verb, id, text)
	return engine.Job{Request: engine.Request{ID: "again-aaaaa", Name: f.job(id).Name, RestartedFrom: id}}, err
}

func (f *fake) Revive(_ context.Context, o engine.ReviveOptions, _ ...engine.StartOption) (revivals []engine.Revival, err error) {
	for _, j := range f.jobs {
		switch {
		case j.Status != engine.Lost, j.Host != o.Host, o.Select != nil && !o.Select(j):
		case len(j.EnvNames) > 0:
			revivals = append(revivals, engine.Revival{Lost: j, Err: &engine.MissingEnvError{Names: j.EnvNames}})
		default:
			revivals = append(revivals, engine.Revival{Lost: j})
		}
	}
	return revivals, f.called("revive %d, dry run %v", len(revivals), o.DryRun)
}

func (f *fake) Background(id engine.ID) error {
	return f.called("background %s", id)
}

func (f *fake) OpenTerminal(_ context.Context, id engine.ID, o engine.TerminalOptions) (engine.Terminal, error) {
	if err := f.called("open-terminal %s %dx%d", id, o.Size.Cols, o.Size.Rows); err != nil {
		return nil, err
	}
	if o.Size == (engine.Size{}) {
		o.Size = f.job(id).Size
	}
	f.screen = &fakeTerminal{f: f, chunks: make(chan engine.TerminalChunk, 64), closed: make(chan struct{}), size: o.Size}
	f.screen.control, f.screen.facts = o.Control, o.Facts
	f.screen.send("screen of " + string(id))
	return f.screen, nil
}

func (f *fake) Write(_ context.Context, id engine.ID, p []byte) error {
	return f.called("write %s %q", id, p)
}

func (f *fake) Entry(context.Context, engine.ID) (engine.Entry, error) { return f.entry, nil }

func (f *fake) Signal(_ context.Context, id engine.ID, name string) error {
	return f.called("signal %s %s", id, name)
}

func (f *fake) StopAll(_ context.Context, jobs []engine.Job, o engine.StopOptions, stopped func(int, engine.StopReport, error)) {
	if f.slow != nil {
		<-f.slow
	}
	verb := "stop"
	if o.Grace < 0 {
		verb = "kill"
	}
	if len(jobs) > 1 {
		_ = f.called("stop-all %d", len(jobs))
	}
	for i, j := range jobs {
		stopped(i, engine.StopReport{}, f.called("%s %s", verb, j.ID))
	}
}

func (f *fake) Clear(_ context.Context, ids ...engine.ID) ([]engine.Job, error) {
	slices.Sort(ids)
	err := f.called("clear %v", ids)
	var jobs []engine.Job
	for _, id := range ids {
		jobs = append(jobs, f.job(id))
	}
	return jobs, err
}

func (f *fake) Undo(_ context.Context, ids ...engine.ID) ([]engine.Job, error) {
	err := f.called("undo %v", ids)
	if len(ids) == 0 {
		if ids = f.trash; len(ids) == 0 {
			return nil, engine.ErrNotFound
		}
	}
	var jobs []engine.Job
	for _, id := range ids {
		jobs = append(jobs, f.job(id))
	}
	return jobs, err
}

func (f *fake) Remove(_ context.Context, ids ...engine.ID) ([]engine.Job, error) {
	var jobs []engine.Job
	for _, id := range ids {
		jobs = append(jobs, f.job(id))
	}
	return jobs, f.called("remove %s", ids[0])
}

func (f *fake) OpenReplay(context.Context, engine.ID) (recording, error) {
	if f.rec == nil {
		return nil, engine.ErrUnsupported
	}
	return f.rec, nil
}

func (f *fake) NotifyFailed(_ context.Context, id engine.ID) (*engine.NotifyFailure, error) {
	return f.unnotified[id], nil
}

func (f *fake) Finding(_ context.Context, id engine.ID) (string, error) { return f.why[id], nil }

func (f *fake) MarkSeen(ids ...engine.ID) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.marked = append(f.marked, ids...)
	return nil
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func running(id, name string, ago time.Duration) engine.Job {
	return engine.Job{
		Request: engine.Request{
			ID: engine.ID(id), Name: name, Script: name, Stdin: engine.InputPipe, Kind: engine.KindPTY,
			CreatedAt: noon.Add(-ago), Dir: "/home/me/src",
			LogLimit: 1 << 30, Grace: record.InMilliseconds(5 * time.Second),
		},
		State: engine.State{
			Status: engine.Running, Backgrounded: true,
			StartedAt: noon.Add(-ago), Leader: engine.Identity{PID: 4711},
			Size: engine.Size{Cols: 120, Rows: 40},
		},
		OutputPath: "/home/me/jobs/" + id + "/output.log",
	}
}

func exited(j engine.Job, code int) engine.Job {
	j.Status = engine.Exited
	j.Exit = engine.Exit{Status: engine.Exited, Code: &code, Reason: engine.ReasonExit, At: noon}
	return j
}

// three returns an engine with a running, a failed and a successful job.
func three() *fake {
	return &fake{
		jobs: []engine.Job{
			running("dev-aaaaa", "npm run dev", 12*time.Minute),
			exited(running("test-aaaaa", "make test", time.Minute), 2),
			exited(running("build-aaaaa", "go build ./...", 2*time.Minute), 0),
		},
		logs: map[engine.ID]string{
			"dev-aaaaa":  "vite v8 ready\nlistening on :5173\n",
			"test-aaaaa": "FAIL TestOne\nFAIL TestTwo\nok the rest\n",
		},
		fail: map[string]error{},
	}
}

func (f *fake) Queues(context.Context, string) ([]engine.Queue, error) {
	return []engine.Queue{f.queue}, f.called("queues")
}

func (f *fake) SetQueue(_ context.Context, name string, c engine.QueueChange) (engine.Queue, error) {
	f.queue = engine.Queue{Name: name, Paused: c.Pause}
	return f.queue, f.called("set-queue %s %+v", name, c)
}

func (f *fake) StartQueued(_ context.Context, when engine.Turn, ids ...engine.ID) error {
	return f.called("%s %v", when, ids)
}

// fakeSub is a subscription that the test controls. An empty batch makes it fail.
type fakeSub struct {
	batches chan []engine.Event
	once    sync.Once
	closed  chan struct{}
	slow    chan struct{}

	measured []engine.ID
}

func (s *fakeSub) Next(ctx context.Context) ([]engine.Event, error) {
	select {
	case b := <-s.batches:
		if b == nil {
			return nil, errors.New("the disk is gone")
		}
		return b, nil
	case <-s.closed:
		return nil, engine.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *fakeSub) Attend(...engine.ID) {}

func (s *fakeSub) Measure(ids ...engine.ID) { s.measured = ids }

func (s *fakeSub) Close() error {
	if s.slow != nil {
		<-s.slow
	}
	s.once.Do(func() { close(s.closed) })
	return nil
}

// fakeGroup is the output of a group that the test sends. An empty batch makes it fail.
type fakeGroup struct {
	entries chan []grouplog.Entry
	reads   atomic.Int32
	once    sync.Once
	closed  chan struct{}
}

func (g *fakeGroup) Next(ctx context.Context) ([]grouplog.Entry, error) {
	g.reads.Add(1)
	select {
	case entries := <-g.entries:
		if entries == nil {
			return nil, errors.New("the disk is gone")
		}
		return entries, nil
	case <-g.closed:
		return nil, engine.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (g *fakeGroup) Close() error {
	g.once.Do(func() { close(g.closed) })
	return nil
}

func (g *fakeGroup) isClosed() bool {
	select {
	case <-g.closed:
		return true
	default:
		return false
	}
}

// fakeLog is a log with constant text.
type fakeLog struct {
	text string
	fail error
}

func (l *fakeLog) Close() error                                    { return nil }
func (l *fakeLog) Size(context.Context) (int64, error)             { return int64(len(l.text)), l.fail }
func (l *fakeLog) TimeAt(context.Context, int64) (time.Time, bool) { return time.Time{}, false }

func (l *fakeLog) LineNumber(context.Context, int64) (int64, error) { return 0, nil }
func (l *fakeLog) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	return bytes.NewReader([]byte(l.text)).ReadAt(p, off)
}

func (l *fakeLog) lines() []joblog.Line {
	var lines []joblog.Line
	start := int64(0)
	for text := range strings.Lines(l.text) {
		end := start + int64(len(text))
		raw := strings.TrimSuffix(text, "\n")
		lines = append(lines, joblog.Line{Start: start, End: end, Text: raw, Raw: []byte(raw)})
		start = end
	}
	return lines
}

func (l *fakeLog) Window(_ context.Context, off int64, before, after int) ([]joblog.Line, error) {
	lines := l.lines()
	at := 0
	for at < len(lines) && lines[at].End <= off {
		at++
	}
	return lines[max(0, at-before):min(len(lines), at+after)], nil
}

func (l *fakeLog) Matching(_ context.Context, re *regexp.Regexp, from, to int64, found func(start, end int64) bool) error {
	for _, line := range l.lines() {
		if line.End > from && line.Start < to && re.MatchString(line.Text) && !found(line.Start, line.End) {
			break
		}
	}
	return nil
}

// fakeTerminal is an attached job whose output the test sends.
type fakeTerminal struct {
	f       *fake
	chunks  chan engine.TerminalChunk
	once    sync.Once
	closed  chan struct{}
	size    engine.Size
	facts   engine.TerminalFacts
	control bool
}

func (t *fakeTerminal) send(text string) {
	t.chunks <- engine.TerminalChunk{Reset: true, Data: []byte(text), Size: t.size, Control: t.control}
}

func (t *fakeTerminal) end(e engine.Exit) {
	t.chunks <- engine.TerminalChunk{Size: t.size, Control: t.control, Exit: &e}
}

func (t *fakeTerminal) Next(ctx context.Context) (engine.TerminalChunk, error) {
	select {
	case c := <-t.chunks:
		return c, nil
	case <-t.closed:
		return engine.TerminalChunk{}, engine.ErrClosed
	case <-ctx.Done():
		return engine.TerminalChunk{}, ctx.Err()
	}
}

func (t *fakeTerminal) Write(_ context.Context, p []byte) error { return t.f.called("type %q", p) }
func (t *fakeTerminal) TakeControl(context.Context) error       { return t.f.called("take-control") }
func (t *fakeTerminal) SetFacts(_ context.Context, f engine.TerminalFacts) error {
	return t.f.called("terminal %+v", f)
}

func (t *fakeTerminal) Resize(_ context.Context, s engine.Size) error {
	return t.f.called("resize %dx%d", s.Cols, s.Rows)
}

func (t *fakeTerminal) Close() error {
	t.once.Do(func() { close(t.closed) })
	return nil
}
