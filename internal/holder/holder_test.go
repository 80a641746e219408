//go:build linux || darwin

package holder

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/statedir"
	"github.com/hobjobs/hob/internal/testtool"
	"github.com/hobjobs/hob/internal/vt"
)

// newHeld returns the holder of a running job without a process.
func newHeld(t *testing.T, cfg Config) *Holder {
	t.Helper()
	h := newOpened(t, cfg)
	if err := h.Listen(); err != nil {
		t.Fatal(err)
	}
	started(t, h)
	return h
}

func started(t *testing.T, h *Holder) {
	t.Helper()
	if err := h.Started(proc.Identity{}, 0, time.Now(), time.Time{}); err != nil {
		t.Fatal(err)
	}
}

// newOpened is newHeld without a socket and before Started.
func newOpened(t *testing.T, cfg Config) *Holder {
	t.Helper()
	base := testtool.TempDir(t)
	root, err := statedir.OpenRoot(filepath.Join(base, "state"))
	if err != nil {
		t.Fatal(err)
	}
	cfg.Meta.Kind = "virtual"
	if cfg.Terminal {
		cfg.Meta.Kind, cfg.Meta.InitialSize = "pty", record.Size{Cols: 20, Rows: 4}
	}
	if cfg.Dir, err = root.Create(&cfg.Meta, "job", nil); err != nil {
		t.Fatal(err)
	}
	if cfg.Lock, err = jobdir.Lock(cfg.Dir); err != nil {
		t.Fatal(err)
	}
	h, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

func dialed(t *testing.T, h *Holder) *Client {
	t.Helper()
	c, err := Dial(t.Context(), h.cfg.Dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestUnknownFrames(t *testing.T) {
	t.Parallel()
	h := newHeld(t, Config{})
	c := dialed(t, h)
	// Unknown data is skipped and an unknown instruction is refused. The connection
	// remains usable.
	if _, err := c.nc.Write(appendFrame(nil, 0x7f, []byte("from the future"))); err != nil {
		t.Fatal(err)
	}
	if err := c.Do(t.Context(), 0xff, nil, nil); !errors.Is(err, &Failure{Code: CodeUnknown}) {
		t.Errorf("unknown instruction: %v", err)
	}
	var facts Facts
	if err := c.Do(t.Context(), TypeStatus, nil, &facts); err != nil || facts.State == nil {
		t.Errorf("status afterwards: %+v, %v", facts, err)
	}
}

func TestBadInstructions(t *testing.T) {
	t.Parallel()
	h := newHeld(t, Config{Terminal: true})
	tests := []struct {
		name    string
		t       Type
		payload string
		want    Code
	}{
		{"attach without JSON", TypeAttach, "x", CodeInvalid},
		{"resize to nothing", TypeResize, `{"cols":0,"rows":0}`, CodeUnsupported},
		{"keys without names", TypeKeys, `{}`, CodeInvalid},
		{"unknown key", TypeKeys, `["C-NoSuchKey"]`, CodeInvalid},
		{"control without attach", TypeTakeControl, "", CodeInvalid},
		{"facts of a terminal without attach", TypeTerminal, "{}", CodeInvalid},
		{"kill without hook", TypeKill, `{}`, CodeUnsupported},
		{"stop without hook", TypeStop, "", CodeUnsupported},
		{"signal without hook", TypeSignal, `{}`, CodeUnsupported},
		{"input without hook", TypeInput, "x", CodeNoInput},
		{"end of input without hook", TypeEOF, "", CodeNoInput},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := dialed(t, h).Do(t.Context(), tt.t, []byte(tt.payload), nil)
			if !errors.Is(err, &Failure{Code: tt.want}) {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
}

func TestTooLongInstructionClosesConnection(t *testing.T) {
	t.Parallel()
	h := newHeld(t, Config{})
	c := dialed(t, h)
	err := c.Do(t.Context(), TypeInput, make([]byte, maxInstruction+1), nil)
	if err == nil {
		t.Error("the instruction was accepted")
	}
	if err := dialed(t, h).Do(t.Context(), TypeStatus, nil, nil); err != nil {
		t.Errorf("another connection: %v", err)
	}
}

func TestHooks(t *testing.T) {
	t.Parallel()
	var got []string
	note := func(s string) { got = append(got, s) }
	h := newHeld(t, Config{Hooks: Hooks{
		Input:      func(_ context.Context, p []byte) error { note("input " + string(p)); return nil },
		CloseInput: func(context.Context) error { note("eof"); return nil },
		Signal:     func(_ context.Context, name, by string) error { note("signal " + name + " by " + by); return nil },
		Stop: func(_ context.Context, o record.StopOptions) (record.StopReport, error) {
			note("stop by " + o.By + " to " + string(o.Reason) + ", grace " + o.Grace.String())
			return record.StopReport{Took: 7*time.Millisecond - 1, Escalated: true}, nil
		},
	}})
	c := dialed(t, h)
	var report KillReport
	for _, step := range []struct {
		t       Type
		payload any
		result  any
	}{
		{TypeInput, []byte("abc"), nil},
		{TypeKeys, []string{"C-c", "Enter"}, nil},
		{TypeEOF, nil, nil},
		{TypeSignal, Signal{Name: "HUP", By: "me"}, nil},
		{TypeStop, nil, nil},
		{TypeKill, Kill{By: "me", GraceMS: 20}, &report},
		{TypeKill, Kill{By: "me", GraceMS: -1}, nil},
	} {
		if err := c.Do(t.Context(), step.t, step.payload, step.result); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"input abc", "input \x03\r", "eof", "signal HUP by me", "stop by stop to kill, grace 0s", "stop by me to kill, grace 20ms", "stop by me to kill, grace -1ms"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(KillReport{TookMS: 7, Escalated: true}, report); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

func TestSubscription(t *testing.T) {
	t.Parallel()
	h := newHeld(t, Config{})
	c := dialed(t, h)
	if err := c.Stream(t.Context(), TypeSubscribe, nil); err != nil {
		t.Fatal(err)
	}
	next := func() (Frame, Facts) {
		t.Helper()
		f, err := c.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var facts Facts
		if f.Type == TypeFacts {
			if err := json.Unmarshal(f.Payload, &facts); err != nil {
				t.Fatal(err)
			}
		}
		return f, facts
	}
	if _, facts := next(); facts.State == nil || facts.Output != 0 {
		t.Errorf("first facts %+v", facts)
	}
	for range 100 {
		h.Output([]byte("0123456789"))
	}
	for {
		if _, facts := next(); facts.Output == 1000 {
			break
		} else if facts.State != nil {
			t.Errorf("state sent without a change")
		}
	}
	if !h.Background() || h.Background() {
		t.Error("Background does not report the first call only")
	}
	for {
		if _, facts := next(); facts.State != nil {
			if !facts.State.Backgrounded {
				t.Error("not backgrounded")
			}
			break
		}
	}
	code := 3
	h.End(record.Exit{At: time.Now(), Status: "exited", Code: &code, Reason: "exit"})
	var last Facts
	for {
		f, facts := next()
		if f.Type == TypeExit {
			break
		}
		last = facts
	}
	if last.State == nil || !last.State.Exit.Known() || *last.State.Exit.Code != 3 {
		t.Errorf("last facts %+v", last)
	}
	if n, ok := jobdir.ReadExitCode(h.cfg.Dir); !ok || n != 3 {
		t.Errorf("exit_code %d, %v when the end was sent", n, ok)
	}
}

// A job with much output could fill the disk before reserveDelay is over.
func TestOutputReservesSpace(t *testing.T) {
	h := newOpened(t, Config{}) // no reservation by time before Started
	h.Output(make([]byte, reserveOutput-1))
	if h.reserved.Load() {
		t.Error("space reserved after little output")
	}
	h.Output([]byte("x"))
	found, err := filepath.Glob(filepath.Join(h.cfg.Dir, ".*.tmp-*"))
	if err != nil || len(found) != 2 {
		t.Errorf("reserved: %v, %v", found, err)
	}
}

func TestEndKeepsFirstEnd(t *testing.T) {
	t.Parallel()
	h := newHeld(t, Config{})
	for _, code := range []int{3, 4} {
		h.End(record.Exit{At: time.Now(), Status: "exited", Code: &code, Reason: "exit"})
	}
	if st := h.State(); *st.Exit.Code != 3 {
		t.Errorf("end %+v", st.Exit)
	}
}

func TestPausesAreWrittenAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newOpened(t, Config{})
		started(t, h)
		onDisk := func() bool {
			t.Helper()
			st, err := jobdir.ReadState(h.cfg.Dir)
			if err != nil {
				t.Fatal(err)
			}
			return st.Paused
		}
		for i := range 4 * maxAtOnce {
			h.Paused(i%2 == 0)
			synctest.Wait()
			if i < maxAtOnce && onDisk() != (i%2 == 0) {
				t.Errorf("change %d: not written", i)
			}
			if i == maxAtOnce && onDisk() {
				t.Error("the rate of immediate writes is not limited")
			}
		}
		h.Paused(true)
		time.Sleep(2 * savePause)
		synctest.Wait()
		if !onDisk() {
			t.Error("the last change was not written")
		}
		h.Close()
	})
}

func TestFirstSnapshotIncludesHistory(t *testing.T) {
	t.Parallel()
	h := newHeld(t, Config{Terminal: true})
	for _, line := range strings.Fields("one two three four five six seven") {
		h.Output([]byte("\x1b[31m" + line + "\x1b[m\r\n"))
	}
	c := dialed(t, h)
	if err := c.Stream(t.Context(), TypeAttach, Attach{Scrollback: 1 << 10}); err != nil {
		t.Fatal(err)
	}
	for {
		f, err := c.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if f.Type != TypeSnapshot {
			continue
		}
		s, err := DecodeSnapshot(f.Payload)
		if err != nil {
			t.Fatal(err)
		}
		term := newTerminal(s.Size, 1<<16)
		term.Write(s.Data)
		if got, want := strings.TrimSpace(vt.Strip(term.MainANSI())), "one\ntwo\nthree\nfour\nfive\nsix\nseven"; got != want {
			t.Errorf("shows %q, want %q", got, want)
		}
		return
	}
}

func TestFactsAreLimited(t *testing.T) {
	t.Parallel()
	h := newHeld(t, Config{Terminal: true})
	for range 1000 {
		h.Output([]byte("\a\x1b]2;" + strings.Repeat("title ", 1000) + "\a"))
	}
	h.Close()
	facts, err := jobdir.Facts(h.cfg.Dir, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if len(facts) > 20 {
		t.Errorf("%d events", len(facts))
	}
	if st := h.State(); len(st.Title) > maxText {
		t.Errorf("a title of %d bytes", len(st.Title))
	}
}

// TestRandomBytesFromClient sends random bytes to a holder. It may close that connection, but must
// continue to serve others.
func TestRandomBytesFromClient(t *testing.T) {
	t.Parallel()
	h := newHeld(t, Config{Terminal: true})
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		c, err := net.Dial("unix", h.State().Socket)
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetDeadline(time.Now().Add(time.Minute))
		junk := make([]byte, random.IntN(300))
		for i := range junk {
			junk[i] = byte(random.Uint32())
		}
		if round%2 == 0 { // a known instruction with a random payload
			kinds := []Type{TypeAttach, TypeInput, TypeKeys, TypePaste, TypeResize, TypeSignal, TypeSubscribe, TypeScreen, TypeTakeControl, TypeStatus}
			junk = appendFrame(nil, kinds[random.IntN(len(kinds))], junk)
		}
		_, _ = c.Write(junk)
		_ = c.(*net.UnixConn).CloseWrite()
		_, _ = io.Copy(io.Discard, c) // until the holder closes the connection
		c.Close()
	}
	var facts Facts
	if err := dialed(t, h).Do(t.Context(), TypeStatus, nil, &facts); err != nil || facts.State == nil || facts.State.Exit.Known() {
		t.Errorf("afterwards: %+v, %v", facts.State, err)
	}
}

func TestSocketPath(t *testing.T) {
	base := testtool.TempDir(t)
	t.Setenv("TMPDIR", base)
	xdg := filepath.Join(base, "xdg")
	if err := os.Mkdir(xdg, 0o755); err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(base, strings.Repeat("x", 100))
	if err := os.MkdirAll(filepath.Join(long, "state", "jobs", "a-22222"), 0o700); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, dir, runtime, want string
	}{
		{"runtime directory", filepath.Join(base, "state/jobs/a"), xdg, filepath.Join(xdg, "hob")},
		{"no runtime directory", filepath.Join(long, "state", "jobs", "a-22222"), "", "hob-"},
		{"one that does not exist", filepath.Join(long, "state", "jobs", "a-22222"), "/no/such/dir", "hob-"},
		{"relative one", filepath.Join(long, "state", "jobs", "a-22222"), "relative", "hob-"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := SocketPath(tt.dir, tt.runtime)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(filepath.Dir(got), tt.want) || len(got) > maxSocketPath() {
				t.Errorf("socket at %s, want in %s", got, tt.want)
			}
		})
	}
	if a, b := socketName("/a/jobs/x"), socketName("/b/jobs/x"); a == b {
		t.Error("two state directories share a socket")
	}
}

func TestCwd(t *testing.T) {
	t.Parallel()
	host, _ := os.Hostname()
	tests := []struct {
		uri  string
		want string
		ok   bool
	}{
		{"file:///usr/lib", "/usr/lib", true},
		{"file://localhost/a%20b/", "/a b", true},
		{"file://" + host + "/x", "/x", true},
		{"file://elsewhere.invalid/x", "", false},
		{"http:///x", "", false},
		{"/x", "", false},
		{"file:///a\x1b[31mb", "", false},
		{"file:x", "", false},
		{"%zz", "", false},
	}
	for _, tt := range tests {
		if got, ok := cwdOf(tt.uri); got != tt.want || ok != tt.ok {
			t.Errorf("%q: %q, %v", tt.uri, got, ok)
		}
	}
}
