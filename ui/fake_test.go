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
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/themes"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// fake is an engine in memory: calls are recorded, facts are what a test says.
type fake struct {
	mu      sync.Mutex
	calls   []string
	jobs    []engine.Job
	logs    map[engine.ID]string
	screens map[engine.ID]engine.Screen
	fail    map[string]error // by the name of the call
	sub     *fakeSub
	screen  *fakeTerminal
	spec    engine.Spec // of the last start

	failStart bool          // jobs are recorded, but cannot be started
	slow      chan struct{} // stopping a job and closing wait for it
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
	return engine.Job{ID: id}
}

func (f *fake) Subscribe(engine.Filter) *fakeSub {
	f.sub = &fakeSub{batches: make(chan []engine.Event, 64), closed: make(chan struct{}), slow: f.slow}
	var snapshot []engine.Event
	for _, j := range f.jobs {
		snapshot = append(snapshot, engine.Event{Kind: engine.EventCreated, Job: j})
	}
	f.sub.batches <- snapshot
	return f.sub
}

func (f *fake) OpenLog(_ context.Context, id engine.ID, s engine.Stream) (*fakeLog, error) {
	if err := f.called("open-log %s %s", id, s); err != nil {
		return nil, err
	}
	return &fakeLog{text: f.logs[id], fail: f.fail["read-log"]}, nil
}

func (f *fake) Screen(_ context.Context, id engine.ID) (engine.Screen, error) {
	return f.screens[id], f.called("open-screen %s", id)
}

func (f *fake) Start(_ context.Context, s engine.Spec, _ ...engine.StartOption) (engine.Job, error) {
	f.spec = s
	err := f.called("start %q in %q on %q", s.Script, s.Dir, s.Host)
	j := engine.Job{ID: "new-aaaaa", Name: s.Script}
	if f.failStart {
		j.Status = engine.Failed
	}
	return j, err
}

func (f *fake) Restart(_ context.Context, id engine.ID, _ ...engine.StartOption) (engine.Job, error) {
	err := f.called("restart %s", id)
	return engine.Job{ID: "again-aaaaa", Name: f.job(id).Name, RestartedFrom: id}, err
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
	f.screen.control = o.Control
	f.screen.send("screen of " + string(id))
	return f.screen, nil
}

func (f *fake) Write(_ context.Context, id engine.ID, p []byte) error {
	return f.called("write %s %q", id, p)
}

func (f *fake) Signal(_ context.Context, id engine.ID, name string) error {
	return f.called("signal %s %s", id, name)
}

func (f *fake) Stop(_ context.Context, id engine.ID, o engine.StopOptions) (engine.StopReport, error) {
	if f.slow != nil {
		<-f.slow
	}
	verb := "stop"
	if o.Grace < 0 {
		verb = "kill"
	}
	return engine.StopReport{}, f.called("%s %s", verb, id)
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
	var jobs []engine.Job
	for _, id := range ids {
		jobs = append(jobs, f.job(id))
	}
	return jobs, err
}

func (f *fake) Remove(_ context.Context, id engine.ID) (engine.Job, error) {
	return f.job(id), f.called("remove %s", id)
}

var _ Engine[*fakeSub, *fakeLog] = (*fake)(nil)

type fakeSub struct {
	batches chan []engine.Event
	once    sync.Once
	closed  chan struct{}
	slow    chan struct{}
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

func (s *fakeSub) Close() error {
	if s.slow != nil {
		<-s.slow
	}
	s.once.Do(func() { close(s.closed) })
	return nil
}

type fakeLog struct {
	text string
	fail error
}

func (l *fakeLog) Close() error                        { return nil }
func (l *fakeLog) Size(context.Context) (int64, error) { return int64(len(l.text)), l.fail }
func (l *fakeLog) TimeAt(int64) (time.Time, bool)      { return time.Time{}, false }
func (l *fakeLog) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	return bytes.NewReader([]byte(l.text)).ReadAt(p, off)
}

func (l *fakeLog) lines() []engine.Line {
	var lines []engine.Line
	start := int64(0)
	for text := range strings.Lines(l.text) {
		end := start + int64(len(text))
		raw := strings.TrimSuffix(text, "\n")
		lines = append(lines, engine.Line{Start: start, End: end, Text: raw, Raw: []byte(raw)})
		start = end
	}
	return lines
}

func (l *fakeLog) Window(_ context.Context, off int64, before, after int) ([]engine.Line, error) {
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

type fakeTerminal struct {
	f       *fake
	chunks  chan engine.TerminalChunk
	once    sync.Once
	closed  chan struct{}
	size    engine.Size
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
func (t *fakeTerminal) Resize(_ context.Context, s engine.Size) error {
	return t.f.called("resize %dx%d", s.Cols, s.Rows)
}

func (t *fakeTerminal) Close() error {
	t.once.Do(func() { close(t.closed) })
	return nil
}

// harness runs a pane as a host would, but step by step: commands run when a
// test pumps, those that would wait (facts, chunks, timers) are kept.
type harness struct {
	t    *testing.T
	eng  *fake
	pane *Pane
	sent []tea.Msg // to the host
	msgs chan tea.Msg
	wg   sync.WaitGroup
}

func newHarness(t *testing.T, w, h int, eng *fake, opts ...Option) *harness {
	t.Helper()
	theme, err := themes.Named("none", true)
	if err != nil {
		t.Fatal(err)
	}
	opts = append([]Option{WithTheme(theme), WithClock(func() time.Time { return noon }), WithHome("/home/me"), WithHeader(true), withProgram()}, opts...)
	s := &harness{t: t, eng: eng, pane: NewPane(eng, opts...), msgs: make(chan tea.Msg, 1024)}
	t.Cleanup(func() {
		if err := s.pane.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		s.wg.Wait() // timers run out, the rest ends with the pane
	})
	s.run(s.pane.SetSize(w, h))
	s.run(s.pane.Init())
	s.pump()
	return s
}

// run starts a command and all that it batches.
func (s *harness) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	s.wg.Go(func() {
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			for _, c := range msg {
				s.run(c)
			}
		default:
			s.msgs <- msg
		}
	})
}

// pump delivers messages until every command waits: for the fake, or for time to
// pass. Tests run in a bubble, where that can be known.
func (s *harness) pump() {
	s.t.Helper()
	for {
		synctest.Wait()
		select {
		case msg := <-s.msgs:
			s.deliver(msg)
		default:
			return
		}
	}
}

// pass lets time go by.
func (s *harness) pass(d time.Duration) {
	s.t.Helper()
	time.Sleep(d)
	s.pump()
}

func (s *harness) deliver(msg tea.Msg) {
	switch msg.(type) {
	case BackgroundedMsg, EndedMsg, AttentionMsg, CopyMsg, OpenMsg, LeaveMsg, suspendMsg, toggleMouseMsg:
		s.sent = append(s.sent, msg)
	}
	s.run(s.pane.Update(msg))
}

// press sends keys: characters, or names such as "enter" and "ctrl+b".
func (s *harness) press(keys ...string) {
	s.t.Helper()
	for _, k := range keys {
		s.deliver(named(k))
		s.pump()
	}
}

// write types text a character at a time.
func (s *harness) write(text string) {
	s.t.Helper()
	for _, r := range text {
		s.deliver(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	s.pump()
}

func named(k string) tea.KeyPressMsg {
	switch k {
	case "esc":
		return tea.KeyPressMsg{Code: tea.KeyEscape}
	case "up":
		return tea.KeyPressMsg{Code: tea.KeyUp}
	case "down":
		return tea.KeyPressMsg{Code: tea.KeyDown}
	}
	return pressOf(k)
}

// pressOf is the press of a key by its name: a character, or a chord of one.
func pressOf(name string) tea.KeyPressMsg {
	var k tea.Key
	for {
		mod, rest, ok := strings.Cut(name, "+")
		if !ok || rest == "" {
			break
		}
		switch mod {
		case "ctrl":
			k.Mod |= tea.ModCtrl
		case "alt":
			k.Mod |= tea.ModAlt
		case "shift":
			k.Mod |= tea.ModShift
		}
		name = rest
	}
	switch name {
	case "space":
		k.Code, k.Text = tea.KeySpace, " "
	case "enter":
		k.Code = tea.KeyEnter
	case "tab":
		k.Code = tea.KeyTab
	case "left":
		k.Code = tea.KeyLeft
	case "right":
		k.Code = tea.KeyRight
	default:
		k.Code, _ = utf8.DecodeRuneInString(name)
		if k.Mod == 0 {
			k.Text = string(k.Code)
		}
	}
	return tea.KeyPressMsg(k)
}

// facts delivers what the engine would say.
func (s *harness) facts(events ...engine.Event) {
	s.t.Helper()
	s.eng.sub.batches <- events
	s.pump()
}

// screen is the text that the pane shows.
func (s *harness) screen() string { return ansi.Strip(s.pane.View()) }

func (s *harness) sees(text string) {
	s.t.Helper()
	if !strings.Contains(s.screen(), text) {
		s.t.Errorf("%q is not on the screen:\n%s", text, s.screen())
	}
}

func (s *harness) seesNot(text string) {
	s.t.Helper()
	if strings.Contains(s.screen(), text) {
		s.t.Errorf("%q is on the screen:\n%s", text, s.screen())
	}
}

// calledLast checks the last calls of the engine but those that only look.
func (s *harness) calledLast(want ...string) {
	s.t.Helper()
	var got []string
	for _, c := range s.eng.did() {
		if !strings.HasPrefix(c, "open-") {
			got = append(got, c)
		}
	}
	got = got[max(0, len(got)-len(want)):]
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		s.t.Errorf("the engine was called with %q, want %q", got, want)
	}
}

// told checks whether the host got a message of this kind.
func told[M tea.Msg](s *harness) (M, bool) {
	for i := len(s.sent) - 1; i >= 0; i-- {
		if m, ok := s.sent[i].(M); ok {
			return m, true
		}
	}
	var none M
	return none, false
}

func running(id, name string, ago time.Duration) engine.Job {
	return engine.Job{
		ID: engine.ID(id), Name: name, Script: name, Status: engine.Running, Backgrounded: true, Stdin: true, Kind: engine.KindPTY,
		CreatedAt: noon.Add(-ago), StartedAt: noon.Add(-ago), PID: 4711, Dir: "/home/me/src", OutputPath: "/home/me/jobs/" + id + "/output.log",
		Size: engine.Size{Cols: 120, Rows: 40}, LogLimit: 1 << 30, Grace: 5 * time.Second,
	}
}

func exited(j engine.Job, code int) engine.Job {
	j.Status = engine.Exited
	j.Exit = engine.Exit{Status: engine.Exited, Code: &code, Reason: engine.ReasonExit, At: noon}
	return j
}

// three is an engine with a job that runs, one that failed, one that is done.
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
