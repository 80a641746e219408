//go:build unix

package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/app/cli"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/testtool"
)

// roleVariable selects the program that the test binary acts as.
const roleVariable = "HOB_TEST_ROLE"

func TestMain(m *testing.M) {
	if local.IsHolder() {
		os.Exit(local.RunHolder())
	}
	switch role, arg, _ := strings.Cut(os.Getenv(roleVariable), " "); role {
	case "hob":
		os.Unsetenv(roleVariable)
		os.Exit(cli.Main(append([]string{"hob"}, strings.Fields(arg)...)))
	case "listen":
		l, err := net.Listen("tcp", arg)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		for {
			if _, err := l.Accept(); err != nil {
				os.Exit(1)
			}
		}
	}
	os.Exit(testtool.RunWithoutLeaks(m))
}

// patience is the time limit of every wait.
const patience = 60 * time.Second

// home is a state directory and a project, shared by its agents.
type home struct {
	t       *testing.T
	state   string
	project string
	env     []string
}

func newHome(t *testing.T) *home {
	t.Helper()
	h := &home{t: t, state: filepath.Join(testtool.TempDir(t), "state"), project: t.TempDir()}
	runtime := testtool.TempDir(t) // socket paths must be short
	t.Cleanup(h.endAll)
	h.env = []string{
		"HOB_STATE_DIR=" + h.state, "XDG_RUNTIME_DIR=" + runtime, "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"),
		"HOB_CONFIG=", "TERM=dumb",
		// With the race detector each process otherwise sleeps a second when it exits.
		"GORACE=atexit_sleep_ms=0",
	}
	return h
}

// endAll kills the jobs that a test has left running, and waits for their holders, which write to
// the directory that will be deleted.
func (h *home) endAll() {
	defer h.holdersEnd()
	e, err := engine.New(engine.WithStateDir(h.state), engine.WithBackend(local.New()))
	if err != nil {
		return
	}
	defer e.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	jobs, err := e.List(ctx, engine.Filter{Running: true})
	if err != nil {
		return
	}
	for _, j := range jobs {
		if _, err := e.Handle(j.ID).Stop(ctx, engine.StopOptions{Grace: -1}); err != nil && !errors.Is(err, engine.ErrNotRunning) {
			h.t.Logf("%s is left behind: %v", j.ID, err)
		}
	}
}

func (h *home) holdersEnd() {
	dirs, err := filepath.Glob(filepath.Join(h.state, "jobs", "*", jobdir.LockFile))
	if err != nil {
		h.t.Error(err)
	}
	late := time.Now().Add(patience)
	for _, lock := range dirs {
		for jobdir.Locked(filepath.Dir(lock)) {
			if time.Now().After(late) {
				h.t.Errorf("the holder in %s does not end", filepath.Dir(lock))
				return
			}
			time.Sleep(time.Millisecond)
		}
	}
}

// hob runs a command of the command line.
func (h *home) hob(words string) string {
	h.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(h.env, roleVariable+"=hob "+words)
	cmd.Dir = h.project
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		h.t.Fatalf("hob %s: %v", words, err)
	}
	return string(out)
}

// jobs returns the jobs that the user sees.
func (h *home) jobs() []engine.Job {
	h.t.Helper()
	var jobs []engine.Job
	if err := json.Unmarshal([]byte(h.hob("list --json")), &jobs); err != nil {
		h.t.Fatal(err)
	}
	return jobs
}

// peer is an agent: the SDK's client, connected by pipes to hob mcp in a separate process.
type peer struct {
	t       *testing.T
	session *sdk.ClientSession
	stdin   io.Closer
	server  *exec.Cmd
	logs    chan map[string]any // data of log messages
	updates chan string         // resources that changed
	// progress has the first notification.
	progress chan *sdk.ProgressNotificationParams
	// cancels has a value for each cancellation that was sent. The SDK sends it after the call
	// has returned.
	cancels chan struct{}
	created chan taskReply                  // tasks returned by calls
	schemas map[string]*jsonschema.Resolved // of the results of each tool
}

// cancelWriter forwards messages and reports those that cancel a call.
type cancelWriter struct {
	io.WriteCloser
	sent chan<- struct{}
}

func (w cancelWriter) Write(p []byte) (int, error) {
	n, err := w.WriteCloser.Write(p)
	if bytes.Contains(p, []byte(`"method":"notifications/cancelled"`)) {
		w.sent <- struct{}{}
	}
	return n, err
}

// cancelled returns when hob has received the cancellation of a call. hob reads messages in
// order.
func (p *peer) cancelled() {
	p.t.Helper()
	<-p.cancels
	p.process("list", "")
}

func (h *home) agent(name string, env ...string) *peer {
	h.t.Helper()
	return h.agentIn(h.project, name, env...)
}

func (h *home) agentIn(dir, name string, env ...string) *peer {
	h.t.Helper()
	return h.agentOf(lastWithMessages, dir, name, env...)
}

// Versions of the protocol used by the tests.
const (
	lastWithMessages = "2025-11-25"
	firstWithTasks   = "2026-07-28"
)

func (h *home) agentOf(version, dir, name string, env ...string) *peer {
	h.t.Helper()
	p := &peer{t: h.t, logs: make(chan map[string]any, 100), updates: make(chan string, 100), progress: make(chan *sdk.ProgressNotificationParams, 1), cancels: make(chan struct{}, 100), created: make(chan taskReply, 2000)}
	p.server = exec.Command(os.Args[0])
	p.server.Dir = dir
	p.server.Env = append(append(h.env, roleVariable+"=hob mcp"), env...)
	p.server.Stderr = os.Stderr
	client := sdk.NewClient(&sdk.Implementation{Name: name, Version: "1"}, &sdk.ClientOptions{
		//lint:ignore SA1019 what the server sends, see notices.go
		LoggingMessageHandler: func(_ context.Context, r *sdk.LoggingMessageRequest) {
			data, _ := r.Params.Data.(map[string]any)
			p.logs <- data
		},
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			select {
			case p.progress <- r.Params:
			default:
			}
		},
		Capabilities:           capabilities(version),
		ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) { p.updates <- r.Params.URI },
	})
	// The test owns the pipes, so that it can disconnect without closing the session.
	in, err := p.server.StdinPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	out, err := p.server.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := p.server.Start(); err != nil {
		h.t.Fatal(err)
	}
	p.stdin = in
	addTaskMethods(h.t, client)
	session, err := client.Connect(h.t.Context(), &sdk.IOTransport{Reader: taskReader(out, p.created), Writer: cancelWriter{in, p.cancels}}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		h.t.Fatal(err)
	}
	p.session = session
	h.t.Cleanup(p.leave)
	list, err := session.ListTools(h.t.Context(), nil)
	if err != nil {
		h.t.Fatal(err)
	}
	if p.schemas, err = resultSchemas(list); err != nil {
		h.t.Fatal(err)
	}
	return p
}

// leave closes the session as a client normally does, and waits for hob to exit.
func (p *peer) leave() {
	_ = p.session.Close()
	_ = p.stdin.Close()
	_ = p.server.Wait() // it may have been waited for already
}

// gone waits until a job no longer exists.
func (h *home) gone(id engine.ID) {
	h.t.Helper()
	e, err := engine.New(engine.WithStateDir(h.state), engine.WithBackend(local.New()))
	if err != nil {
		h.t.Fatal(err)
	}
	defer e.Close()
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	sub := e.Subscribe(engine.Filter{IDs: []engine.ID{id}})
	defer sub.Close()
	for {
		events, err := sub.Next(ctx)
		if err != nil {
			h.t.Fatalf("%s is still there: %v", id, err)
		}
		if len(events) == 0 {
			return
		}
		for _, ev := range events {
			if ev.Kind == engine.EventRemoved {
				return
			}
		}
	}
}

func idOf(s string) engine.ID { return engine.ID(s) }

// waiting waits until a job waits for input, and ended until it has ended.
func (h *home) waiting(id string) {
	h.t.Helper()
	h.until(id, func(j engine.Job) bool { return j.Waiting })
}

func (h *home) ended(id string) {
	h.t.Helper()
	h.until(id, func(j engine.Job) bool { return j.Status.Finished() })
}

func (h *home) until(id string, ok func(engine.Job) bool) {
	h.t.Helper()
	e, err := engine.New(engine.WithStateDir(h.state), engine.WithBackend(local.New()))
	if err != nil {
		h.t.Fatal(err)
	}
	defer e.Close()
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	sub := e.Subscribe(engine.Filter{IDs: []engine.ID{engine.ID(id)}})
	defer sub.Close()
	for {
		events, err := sub.Next(ctx)
		if err != nil {
			h.t.Fatalf("%s is not as it should be: %v", id, err)
		}
		for _, ev := range events {
			if ok(ev.Job) {
				return
			}
		}
	}
}

// age sets a job's end to an earlier time.
func (h *home) age(id, at string) {
	h.t.Helper()
	path := filepath.Join(h.state, "jobs", id, "state.json")
	data, err := os.ReadFile(path)
	if err != nil {
		h.t.Fatal(err)
	}
	var state map[string]any
	if err := json.Unmarshal(data, &state); err != nil {
		h.t.Fatal(err)
	}
	end, ok := state["end"].(map[string]any)
	if !ok {
		h.t.Fatalf("no end in %s", data)
	}
	end["at"] = at
	delete(end, "boot_ms") // as if the end was in another boot
	if data, err = json.Marshal(state); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		h.t.Fatal(err)
	}
	_ = os.Remove(filepath.Join(h.state, "index")) // the job's directory is read instead
}

// tools returns the names of the tools.
func (p *peer) tools() []string {
	p.t.Helper()
	list, err := p.session.ListTools(p.t.Context(), nil)
	if err != nil {
		p.t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names
}

func (p *peer) subscribe(uri string) {
	p.t.Helper()
	if err := p.session.Subscribe(p.t.Context(), &sdk.SubscribeParams{URI: uri}); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) update() string {
	p.t.Helper()
	select {
	case uri := <-p.updates:
		return uri
	case <-time.After(patience):
		p.t.Fatal("no update came")
		return ""
	}
}

// freePort returns a port without a listener.
func freePort(t *testing.T) string {
	t.Helper()
	_, port, err := net.SplitHostPort(testtool.FreeAddr(t))
	if err != nil {
		t.Fatal(err)
	}
	return port
}
