//go:build unix

package ssh

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/enginetest"
	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

// rig is an engine whose host is a server of the test.
type rig struct {
	*testing.T
	s      *sshtest.Server
	c      *sshtest.Client
	remote string // the host's state directory
	state  string // the engine's
	host   string // where jobs are started: box
	b      *Backend
	e      *engine.Engine
}

func newRig(t *testing.T, configure func(*sshtest.Server), opts ...Option) *rig {
	t.Helper()
	env := remoteEnv(t)
	r := &rig{T: t, host: "box", remote: strings.TrimPrefix(env[0], "HOB_STATE_DIR=")}
	r.s = sshtest.NewServer(t, func(s *sshtest.Server) {
		s.Env = append(os.Environ(), env...)
		if configure != nil {
			configure(s)
		}
	})
	r.c = sshtest.ClientOf(t, "box", r.s)
	r.state = testtool.TempDir(t)
	r.open(opts...)
	return r
}

// open makes a backend and an engine, as a new program would.
func (r *rig) open(opts ...Option) {
	r.Helper()
	b := New(append([]Option{WithConfigFile(r.c.ConfigFile), WithPatience(patient)}, opts...)...)
	e, err := engine.New(engine.WithStateDir(r.state), engine.WithClient("test"), engine.WithBackend(b))
	if err != nil {
		r.Fatal(err)
	}
	r.b, r.e = b, e
	r.Cleanup(func() { e.Close() })
}

func (r *rig) ctx() context.Context {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Minute)
	r.Cleanup(cancel)
	return ctx
}

func (r *rig) start(script string, adapt ...func(*engine.Spec)) engine.Job {
	r.Helper()
	spec := engine.Spec{Script: script, Host: "box"}
	for _, f := range adapt {
		f(&spec)
	}
	j, err := r.e.Start(r.ctx(), spec)
	if err != nil {
		r.Fatal(err)
	}
	return j
}

func (r *rig) wait(id engine.ID) engine.Exit {
	r.Helper()
	exit, err := r.e.Handle(id).Wait(r.ctx())
	if err != nil {
		r.Fatal(err)
	}
	return exit
}

func (r *rig) read(id engine.ID) string {
	r.Helper()
	var all []byte
	buf := make([]byte, 100_000)
	for {
		n, _, err := enginetest.ReadStream(r.ctx(), r.e.Handle(id), engine.StreamOutput, buf, int64(len(all)))
		if err != nil {
			r.Fatal(err)
		}
		if n == 0 {
			return string(all)
		}
		all = append(all, buf[:n]...)
	}
}

// printed waits until the job's log ends with text. It reads the file on the host, because each read over the
// connection would start several programs there.
func (r *rig) printed(id engine.ID, text string) {
	r.Helper()
	ctx := r.ctx()
	for !strings.HasSuffix(r.tailOf(id), text) {
		select {
		case <-ctx.Done():
			r.Fatalf("%q was not printed: %q", text, r.tailOf(id))
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// tailOf returns the end of the job's log on the host.
func (r *rig) tailOf(id engine.ID) string {
	f, err := os.Open(filepath.Join(r.remote, "jobs", string(id), "output.log"))
	if err != nil {
		return ""
	}
	defer f.Close()
	end := make([]byte, 100)
	size, _ := f.Seek(0, io.SeekEnd)
	n, _ := f.ReadAt(end, max(0, size-int64(len(end)))) // less, while it is shorter
	return string(end[:n])
}

// endGroup ends what a test has made unreachable for the backend.
func endGroup(pid int) {
	if pid > 1 {
		syscall.Kill(-pid, syscall.SIGKILL)
	}
}

// eagerly tries again at once, so that a test of many cuts need not wait after each.
func eagerly(b *Backend) { b.eager = 20 * time.Millisecond }

func TestReadingResumesAfterEveryCut(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, eagerly)
	const size = 24 << 20
	j := r.start(fmt.Sprintf("head -c %d /dev/urandom | tee /dev/stderr 2>&1 >/dev/null | cat", size))
	r.wait(j.ID)
	sum, n := sha256.New(), int64(0)
	buf := make([]byte, 300_000)
	for cuts := 0; ; {
		k, total, err := enginetest.ReadStream(r.ctx(), r.e.Handle(j.ID), engine.StreamOutput, buf, n)
		if errors.Is(err, engine.ErrUnreachable) {
			<-time.After(20 * time.Millisecond)
			continue // the next read continues at the same offset
		}
		if err != nil {
			t.Fatal(err)
		}
		if k == 0 && n == total {
			break
		}
		sum.Write(buf[:k])
		n += int64(k)
		if n > int64(cuts+1)*size/20 {
			cuts++
			r.s.Cut()
		}
	}
	f, err := os.Open(filepath.Join(r.remote, "jobs", string(j.ID), "output.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := sha256.New()
	if m, err := io.Copy(want, f); err != nil || m != size {
		t.Fatalf("the log has %d bytes, %v", m, err)
	}
	if n != size || string(sum.Sum(nil)) != string(want.Sum(nil)) {
		t.Errorf("read %d bytes, and they differ", n)
	}
}

func TestKillContinuesWithoutConnection(t *testing.T) {
	t.Parallel() // it waits, mostly
	r := newRig(t, nil)
	j := r.start("trap '' TERM; echo ready; while :; do sleep 0.1; done", func(s *engine.Spec) { s.Grace = time.Second })
	r.printed(j.ID, "ready\n")
	done := make(chan error, 1)
	go func() {
		_, err := r.e.Handle(j.ID).Stop(r.ctx(), engine.StopOptions{})
		done <- err
	}()
	// Cut once it has begun.
	for {
		if got, err := r.e.Handle(j.ID).Facts(r.ctx()); err != nil {
			t.Fatal(err)
		} else if got.Status == engine.Stopping {
			if got.StopDeadline().IsZero() {
				t.Error("stopping without a deadline")
			}
			break
		}
		<-time.After(10 * time.Millisecond)
	}
	r.s.Cut()
	exit := r.wait(j.ID)
	if exit.Status != engine.Killed || exit.Code == nil || *exit.Code != 137 || exit.EndedBy != "test" {
		t.Errorf("exit %+v", exit)
	}
	if err := <-done; err != nil && !errors.Is(err, engine.ErrNotRunning) {
		t.Errorf("stop: %v", err)
	}
}

func TestFewSessions(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 3} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, func(s *sshtest.Server) { s.MaxSessions = n })
			j := r.start("cat; exit 3", func(s *engine.Spec) { s.Stdin = true })
			if err := r.e.Handle(j.ID).Write(r.ctx(), []byte("hello\n")); err != nil {
				t.Fatal(err)
			}
			r.printed(j.ID, "hello\n")
			if got := r.read(j.ID); got != "hello\n" {
				t.Errorf("read %q", got)
			}
			if err := r.e.Handle(j.ID).CloseInput(r.ctx()); err != nil {
				t.Fatal(err)
			}
			if exit := r.wait(j.ID); exit.Code == nil || *exit.Code != 3 {
				t.Errorf("exit %+v", exit)
			}
			if got := r.s.Connections(); got != 1 {
				t.Errorf("%d connections, want 1", got)
			}
		})
	}
}

func TestUnreachableJobKeepsItsState(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	j := r.start("echo hello; sleep 300")
	r.printed(j.ID, "hello\n")
	r.e.Close()
	r.s.SetDown(true)
	r.open()
	got, err := r.e.Handle(j.ID).Facts(r.ctx())
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != engine.Running || got.Leader.PID != j.Leader.PID || got.Link != engine.LinkUnreachable || got.LinkError == "" || got.StaleSince.IsZero() {
		t.Errorf("while the host is down: %+v", got)
	}
	if !strings.HasPrefix(got.OutputPath, r.remote) {
		t.Errorf("output path %s is not the host's", got.OutputPath)
	}
	if _, err := r.e.Handle(j.ID).Stop(r.ctx(), engine.StopOptions{Grace: -1}); !errors.Is(err, engine.ErrUnreachable) {
		t.Errorf("kill: %v", err)
	}
	r.s.SetDown(false)
	if _, err := r.e.Handle(j.ID).Stop(r.ctx(), engine.StopOptions{Grace: -1}); err != nil {
		t.Errorf("kill when it is back: %v", err)
	}
}

func TestDeadHostsDelayNoOtherHost(t *testing.T) {
	r := newRig(t, nil)
	j := r.start("sleep 300")
	defer r.e.Handle(j.ID).Stop(r.ctx(), engine.StopOptions{Grace: -1})
	silent := sshtest.NewServer(t, nil)
	silent.Stall(true)
	r.c.AddHost(t, "silent", silent.Addr)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := r.b.Connect(ctx, "silent"); !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, engine.ErrUnreachable) {
		t.Errorf("a silent host: %v", err)
	}
	got, err := r.e.Handle(j.ID).Facts(r.ctx())
	if err != nil || got.Link != engine.LinkOK {
		t.Errorf("%v, %v", got.Link, err)
	}
	hosts := r.b.Hosts()
	if len(hosts) != 2 || hosts[0].Name != "box" || hosts[0].Link != engine.LinkOK {
		t.Errorf("hosts %+v", hosts)
	}
}

// If it is unknown whether a start request arrived, the host decides.
func TestStartInDoubtNeverRunsLater(t *testing.T) {
	t.Parallel() // it waits, mostly
	r := newRig(t, nil)
	mark := filepath.Join(t.TempDir(), "ran")
	// Past the opening of the sessions, in the middle of the request.
	r.start("true")
	r.e.Close()
	r.open()
	if err := r.b.Connect(r.ctx(), "box"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	go func() {
		<-time.After(20 * time.Millisecond)
		r.s.SetDown(true)
	}()
	j, err := r.e.Start(ctx, engine.Spec{Script: "sleep 1; echo x >>" + mark, Host: "box"})
	r.s.SetDown(false)
	if err != nil {
		if _, statErr := os.Stat(mark); statErr == nil {
			t.Errorf("%v, but it ran", err)
		}
		return
	}
	exit := r.wait(j.ID)
	data, _ := os.ReadFile(mark)
	if ran := exit.Status == engine.Exited; ran != (string(data) == "x\n") {
		t.Errorf("%+v, and the file has %q", exit, data)
	}
}

func TestListOnTheHostShowsTheJob(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	j := r.start("echo hello; sleep 300")
	there, err := engine.New(engine.WithStateDir(r.remote), engine.WithClient("there"), engine.WithBackend(New()))
	if err != nil {
		t.Fatal(err)
	}
	defer there.Close()
	jobs, err := there.List(r.ctx(), engine.Filter{})
	if err != nil || len(jobs) != 1 {
		t.Fatalf("%d jobs, %v", len(jobs), err)
	}
	got := jobs[0]
	if got.ID != j.ID || got.Status != engine.Running || got.Host != "" || got.Leader.PID != j.Leader.PID || got.Link != engine.LinkNone {
		t.Errorf("there it is %+v", got)
	}
	if _, err := there.Handle(j.ID).Stop(r.ctx(), engine.StopOptions{Grace: -1}); err != nil {
		t.Error(err)
	}
	if exit := r.wait(j.ID); exit.Status != engine.Killed || exit.EndedBy != "there" {
		t.Errorf("here it ended as %+v", exit)
	}
}

func TestClearDeletesOnTheHost(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	j := r.start("true")
	r.wait(j.ID)
	rec := engine.Record{ID: j.ID, Dir: filepath.Join(r.state, "jobs", string(j.ID)), Job: j}
	if err := r.b.Remove(r.ctx(), rec); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(r.remote, "jobs", string(j.ID))); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
}

func TestTamperedDirectories(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		script string
		tamper func(dir string) error
		check  func(j engine.Job) bool
	}{
		{"empty exit_code", "true", func(dir string) error { return os.Truncate(filepath.Join(dir, "exit_code"), 0) },
			func(j engine.Job) bool { return j.Status == engine.Exited && j.Exit.Code == nil && j.Unsuccessful() }},
		{"garbage in exit_code", "true", func(dir string) error { return os.WriteFile(filepath.Join(dir, "exit_code"), []byte("0x\n"), 0o600) },
			func(j engine.Job) bool { return j.Status == engine.Exited && j.Exit.Code == nil }},
		{"code over 255", "true", func(dir string) error { return os.WriteFile(filepath.Join(dir, "exit_code"), []byte("300\n"), 0o600) },
			func(j engine.Job) bool { return j.Exit.Code == nil }},
		{"directory deleted", "sleep 300", os.RemoveAll, func(j engine.Job) bool { return j.Status == engine.Lost }},
		{"other token", "sleep 300", func(dir string) error { return os.WriteFile(filepath.Join(dir, "token"), []byte("other\n"), 0o600) },
			func(j engine.Job) bool { return j.Status == engine.Lost }},
		{"another boot", "sleep 300", func(dir string) error {
			if err := os.WriteFile(filepath.Join(dir, "wrapper"), []byte("999999 1 other-boot setsid\n"), 0o600); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, "pid"), []byte("999999 1 other-boot setsid\n"), 0o600)
		}, func(j engine.Job) bool { return j.Status == engine.Lost && j.Exit.Reason == engine.ReasonReboot }},
		{"log is a link", "sleep 300", func(dir string) error {
			os.Remove(filepath.Join(dir, "output.log"))
			return os.Symlink("/etc/passwd", filepath.Join(dir, "output.log"))
		}, func(j engine.Job) bool { return j.Status == engine.Running && j.Output == 0 }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, nil)
			script, end := c.script, filepath.Join(t.TempDir(), "end")
			if script == "true" { // after this side has last looked
				script = "until [ -e '" + end + "' ]; do sleep 0.05; done"
			}
			j := r.start(script)
			dir := filepath.Join(r.remote, "jobs", string(j.ID))
			t.Cleanup(func() { endGroup(j.Leader.PID) })
			if c.script == "true" {
				sshtest.Write(t, end, "")
				for {
					if _, err := os.Stat(filepath.Join(dir, "exit_code")); err == nil {
						break
					}
					<-time.After(10 * time.Millisecond)
				}
			}
			if err := c.tamper(dir); err != nil {
				t.Fatal(err)
			}
			if c.name == "another boot" {
				r.open() // a client that saw the process alive relies on that
			}
			got, err := r.e.Handle(j.ID).Facts(r.ctx())
			if err != nil || !c.check(got) {
				t.Errorf("%v: %s %+v, output %d", err, got.Status, got.Exit, got.Output)
			}
			if c.name == "log is a link" {
				if n, _, err := enginetest.ReadStream(r.ctx(), r.e.Handle(j.ID), engine.StreamOutput, make([]byte, 10), 0); n != 0 || !errors.Is(err, plainfile.ErrNotRegular) {
					t.Errorf("%d bytes of what it leads to are read, %v", n, err)
				}
			}
		})
	}
}

func TestSilentHostIsNoticed(t *testing.T) {
	t.Parallel() // it waits
	r := newRig(t, nil)
	r.c.AddHost(t, "quiet", r.s.Addr, "ServerAliveInterval 1", "ServerAliveCountMax 8", "ConnectTimeout 60")
	j := r.start("sleep 300", func(s *engine.Spec) { s.Host = "quiet" })
	run, err := r.b.Open(r.ctx(), engine.Record{ID: j.ID, Dir: filepath.Join(r.state, "jobs", string(j.ID)), Job: j})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*patient)
	defer cancel()
	var links []engine.Link
	err = run.Watch(ctx, func(o engine.State, _ engine.Note) {
		if o.Status != engine.Running {
			t.Errorf("it became %s", o.Status)
		}
		if len(links) > 0 && links[len(links)-1] == o.Link {
			return
		}
		links = append(links, o.Link)
		switch len(links) {
		case 1:
			r.s.Stall(true)
		case 2:
			// This is reported before another attempt fails.
			if !strings.Contains(o.LinkError, "no response from the host") || o.StaleSince.IsZero() {
				t.Errorf("unreachable without a reason: %+v", o)
			}
			r.s.Stall(false)
			r.s.Cut()
		case 3:
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || fmt.Sprint(links) != "[ok unreachable ok]" {
		t.Errorf("links %v, %v", links, err)
	}
	if _, err := r.e.Handle(j.ID).Stop(r.ctx(), engine.StopOptions{Grace: -1}); err != nil {
		t.Error(err)
	}
}
