//go:build unix

package security

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/engine/replay"
	"github.com/hobjobs/hob/internal/app/mcp"
	"github.com/hobjobs/hob/internal/config"
	"github.com/hobjobs/hob/internal/testtool/stage"
	"github.com/hobjobs/hob/ui"
)

// readers are what reads job directories, all in this process: a panic ends the test.
type readers struct {
	eng   *engine.Engine
	agent *sdk.ClientSession
	pane  *paneProgram
}

func newReaders(t testing.TB, state string) *readers {
	t.Helper()
	open := func(client string) (*engine.Engine, error) {
		return engine.New(engine.WithStateDir(state), engine.WithBackend(local.New()), engine.WithClient(client))
	}
	eng, err := open("test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = eng.Close() })
	return &readers{eng: eng, agent: newAgent(t, open), pane: newPaneProgram(t, eng)}
}

func (r *readers) list(t testing.TB) map[engine.ID]engine.Job {
	t.Helper()
	jobs, err := r.eng.List(t.Context(), engine.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	byID := make(map[engine.ID]engine.Job, len(jobs))
	for _, j := range jobs {
		byID[j.ID] = j
	}
	return byID
}

// settled returns the job once no client holds its lock in order to record the end, during which the
// others see a live job.
func (r *readers) settled(t testing.TB, j engine.Job) engine.Job {
	t.Helper()
	if j.Status.Finished() || j.Link != engine.LinkNone {
		return j
	}
	err := stage.Eventually("no client holds the lock", func() bool {
		now, err := r.eng.Handle(j.ID).Facts(t.Context())
		if err == nil {
			j = now
		}
		return err != nil || j.Status.Finished()
	})
	if err != nil {
		t.Error(err)
	}
	return j
}

// read reads everything about a job, except in the pane. Some errors are answers; every call must
// return.
func (r *readers) read(t testing.TB, j engine.Job) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stage.Patience)
	defer cancel()
	data, err := json.Marshal(j)
	if err == nil {
		err = json.Unmarshal(data, new(engine.Job))
	}
	if err != nil {
		t.Errorf("as JSON: %v", err)
	}
	if got, err := r.eng.Handle(j.ID).Facts(ctx); err != nil || got.Status != j.Status {
		t.Errorf("get: %s, %v, listed as %s", got.Status, err, j.Status)
	}
	if why, err := r.eng.Handle(j.ID).Explain(ctx, true); err != nil || why.Summary == "" {
		t.Errorf("why: %q, %v", why.Summary, err)
	}
	if _, err := r.eng.Handle(j.ID).Explain(ctx, false); err != nil {
		t.Errorf("finding: %v", err)
	}
	if j.Status.Finished() {
		if exit, err := r.eng.Handle(j.ID).Wait(ctx); err != nil || exit.Status != j.Status {
			t.Errorf("wait: %s, %v", exit.Status, err)
		}
	}
	r.readOutput(ctx, j)
	for _, action := range []string{"poll", "log"} {
		r.ask(t, map[string]any{"action": action, "sessionId": j.ID, "all": true})
	}
	if ctx.Err() != nil {
		t.Error("a reader did not return")
	}
}

func (r *readers) readOutput(ctx context.Context, j engine.Job) {
	if j.Status.Finished() { // otherwise its holder is asked, and waited for
		_, _ = r.eng.Handle(j.ID).Screen(ctx)
	}
	_, _ = r.eng.Handle(j.ID).Poll(ctx, engine.PollOptions{Client: "reader"})
	_, _ = r.eng.Handle(j.ID).Poll(ctx, engine.PollOptions{Cursor: new(int64(0))})
	for _, s := range j.Streams() {
		log, err := r.eng.Handle(j.ID).Log(ctx, s)
		if err != nil {
			continue
		}
		for range log.Lines(ctx, joblog.Query{Last: true, Limit: 10}) {
		}
		_, _ = log.Window(ctx, 3, 10, 10)
		_, _ = log.CountLines(ctx)
		_ = log.Close()
	}
	recording, err := replay.Open(ctx, r.eng.Handle(j.ID))
	if err != nil {
		return
	}
	defer recording.Close()
	_, _ = recording.Seek(ctx, time.Hour)
	_ = recording.WriteCast(ctx, io.Discard)
}

// newAgent returns a client of an MCP server.
func newAgent(t testing.TB, open func(client string) (*engine.Engine, error)) *sdk.ClientSession {
	t.Helper()
	ours, theirs := sdk.NewInMemoryTransports()
	ended := make(chan error, 1)
	var eng *engine.Engine
	c := mcp.Config{Version: "1", Dir: t.TempDir(), Settings: config.LoadFrom("", func(string) (string, bool) { return "", false }).Agent, Keep: time.Hour, Open: func(client string) (e *engine.Engine, err error) {
		eng, err = open(client)
		return eng, err
	}}
	go func() { ended <- mcp.Serve(context.Background(), c, theirs) }()
	client := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), ours, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		if err := <-ended; err != nil {
			t.Errorf("the server ended: %v", err)
		}
		if eng != nil {
			_ = eng.Close()
		}
	})
	return session
}

// ask calls the tool process. It returns the text of the answer.
func (r *readers) ask(t testing.TB, args map[string]any) string {
	t.Helper()
	answer, err := r.agent.CallTool(t.Context(), &sdk.CallToolParams{Name: "process", Arguments: args})
	if err != nil {
		t.Fatalf("the server does not answer to %v: %v", args, err)
	}
	var b strings.Builder
	for _, c := range answer.Content {
		if text, ok := c.(*sdk.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}

// paneProgram is a program that shows the jobs in a pane.
type paneProgram struct {
	pane    *ui.Pane
	program *tea.Program
	want    engine.ID
	shown   chan engine.ID
}

type selectMsg engine.ID

func newPaneProgram(t testing.TB, eng *engine.Engine) *paneProgram {
	t.Helper()
	p := &paneProgram{pane: ui.NewPane(eng, ui.WithHeader(true)), shown: make(chan engine.ID, 1)}
	p.program = tea.NewProgram(p, tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithoutSignalHandler(), tea.WithoutCatchPanics(), tea.WithWindowSize(120, 40))
	ended := make(chan error, 1)
	go func() {
		_, err := p.program.Run()
		ended <- err
	}()
	t.Cleanup(func() {
		p.program.Quit()
		if err := <-ended; err != nil {
			t.Errorf("the pane ended: %v", err)
		}
		_ = p.pane.Close()
	})
	return p
}

func (p *paneProgram) Init() tea.Cmd { return p.pane.Init() }

func (p *paneProgram) View() tea.View { return tea.NewView(p.pane.View()) }

func (p *paneProgram) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		cmd = p.pane.SetSize(msg.Width, msg.Height)
	case selectMsg:
		p.want = engine.ID(msg)
		cmd = p.pane.Select(p.want)
	default:
		cmd = p.pane.Update(msg)
	}
	if j, ok := p.pane.Selected(); ok && j.ID == p.want && p.want != "" {
		_ = p.pane.View()
		select {
		case p.shown <- p.want:
		default: // nobody waits
		}
		p.want = ""
	}
	return p, cmd
}

// show selects a job, and returns when the pane has drawn it.
func (p *paneProgram) show(t testing.TB, id engine.ID) {
	t.Helper()
	p.program.Send(selectMsg(id))
	select {
	case <-p.shown:
	case <-time.After(stage.Patience):
		t.Errorf("the pane does not show %s", id)
	}
}

// commands runs commands on all jobs, and on some of them.
func (r *readers) commands(t *testing.T, s *stage.Stage, jobs map[engine.ID]engine.Job) {
	t.Helper()
	for _, args := range [][]string{{"list"}, {"list", "--json"}, {"list", "--failed"}} {
		s.Must(t, args...)
	}
	if got := strings.Fields(s.Must(t, "list", "-q")); len(got) != len(jobs) {
		t.Errorf("hob list has %d jobs, want %d", len(got), len(jobs))
	}
	if answer := r.ask(t, map[string]any{"action": "list", "all": true, "filter": "healthy"}); !strings.Contains(answer, "healthy") {
		t.Errorf("the agent gets %s", answer)
	}
	seen := map[known]bool{}
	for _, id := range slices.Sorted(maps.Keys(jobs)) {
		j := jobs[id]
		if seen[outcomeOf(j)] {
			continue
		}
		seen[outcomeOf(j)] = true
		for _, command := range []string{"status", "why", "log", "poll"} {
			if _, code, err := s.Ask(command, string(id)); err != nil && (code == 0 || strings.Contains(err.Error(), "panic")) {
				t.Errorf("%s: %v", j.Status, err)
			}
		}
	}
}
