//go:build linux || darwin

package local_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/testtool"
)

func TestEnvironment(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	inherited := []string{
		"PATH=" + os.Getenv("PATH"), "KEPT=yes", "TERM=vt52", "LINES=7", "COLUMNS=7", "TMUX=x", "TMUX_PANE=%1",
		"STY=y", "TERM_PROGRAM=z", "TERM_PROGRAM_VERSION=1", "COLORTERM=no", "HOB_JOB_ID=outer-22222", "GIVEN=a'b\"c$d\ne",
	}
	tests := []struct {
		name string
		spec engine.Spec
		want []string
	}{
		{"terminal", engine.Spec{PTY: true}, []string{"COLORTERM=truecolor", "TERM=xterm-256color"}},
		{"no terminal", engine.Spec{}, []string{"TERM=dumb"}},
		{"asked for", engine.Spec{PTY: true, Env: map[string]string{"TERM": "vt52", "LINES": "7"}}, []string{"COLORTERM=truecolor", "LINES=7", "TERM=vt52"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.spec.Command = []string{"env", "-0"}
			l, err := p.make(tt.spec)
			if err != nil {
				t.Fatal(err)
			}
			l.Env = inherited
			s := p.launch(t, l)
			s.wait(t)
			got := map[string]string{}
			for kv := range strings.SplitSeq(strings.ReplaceAll(s.output(t), "\r\n", "\n"), "\x00") {
				if name, value, ok := strings.Cut(kv, "="); ok {
					got[name] = value
				}
			}
			want := map[string]string{
				"PATH": os.Getenv("PATH"), "KEPT": "yes", "HOB_JOB_ID": string(l.ID), "GIVEN": "a'b\"c$d\ne",
				"PWD": os.TempDir(),
			}
			for _, kv := range tt.want {
				name, value, _ := strings.Cut(kv, "=")
				want[name] = value
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("environment (-want +got):\n%s", diff)
			}
		})
	}
}

func TestJobInheritsNothing(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("no /proc here")
	}
	p := newPlace(t)
	for _, pty := range []bool{true, false} {
		for _, tt := range []struct {
			name    string
			command []string
			want    []string
		}{
			// Descriptor 3 is the directory that ls reads.
			{"descriptors", []string{"ls", "/proc/self/fd"}, []string{"0", "1", "2", "3"}},
			// A shell in between blocks signals at times.
			{"signals", []string{"grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"}, []string{"SigBlk:", "0000000000000000", "SigIgn:", "0000000000000000"}},
		} {
			t.Run(fmt.Sprintf("%s/pty %v", tt.name, pty), func(t *testing.T) {
				s := p.start(t, engine.Spec{Command: tt.command, PTY: pty})
				s.wait(t)
				if diff := cmp.Diff(tt.want, strings.Fields(s.output(t))); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestJobHasControllingTerminal(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc here")
	}
	for _, tt := range []struct {
		name string
		opts []local.Option
		own  bool
	}{
		{"holder process", nil, true},
		{"in this program", []local.Option{local.InProcess()}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, tt.opts...)
			s := p.start(t, engine.Spec{Command: []string{"cat", "/proc/self/stat"}, PTY: true})
			s.wait(t)
			f := strings.Fields(s.output(t))
			// pid, name, state, parent, group, session, terminal, its foreground group.
			leader := f[0]
			if tt.own {
				leader = f[3]
			}
			if pid := f[0]; f[4] != pid || f[5] != leader || f[6] == "0" || f[7] != pid {
				t.Errorf("stat %q", f)
			}
		})
	}
}

func TestTerminalSizeIsSetAtStart(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{PTY: true, Size: engine.Size{Cols: 93, Rows: 17}, Command: []string{"stty", "size"}})
	s.wait(t)
	if got := strings.TrimSpace(s.output(t)); got != "17 93" {
		t.Errorf("size %q, want 17 93", got)
	}
}

func TestResize(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{PTY: true, Script: `trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done`})
	s.printed(t, "ready")
	if err := s.run.Resize(t.Context(), engine.Size{Cols: 101, Rows: 11}); err != nil {
		t.Fatal(err)
	}
	s.printed(t, "11 101")
	screen, err := s.run.Screen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := (engine.Size{Cols: 101, Rows: 11}); screen.Size != want {
		t.Errorf("screen is %v, want %v", screen.Size, want)
	}
}

func TestOutputIsComplete(t *testing.T) {
	t.Parallel()
	data := make([]byte, 3<<20)
	for i := range data {
		data[i] = byte(i*7 + i>>8)
	}
	file := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	for _, pty := range []bool{true, false} {
		t.Run(fmt.Sprintf("pty %v", pty), func(t *testing.T) {
			// Without output processing the terminal passes every byte.
			script := `test -t 1 && stty -opost; cat "$0"; cat "$0"; cat "$0"`
			s := p.start(t, engine.Spec{Command: []string{"sh", "-c", script, file}, PTY: pty})
			s.wait(t)
			want := sha256.Sum256(bytes.Repeat(data, 3))
			if got := sha256.Sum256([]byte(s.output(t))); got != want {
				t.Errorf("the log has %d bytes that differ from the %d written", len(s.output(t)), 3*len(data))
			}
		})
	}
}

func TestLongScript(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	script := "echo begin\n# " + strings.Repeat("x", 1<<20) + "\necho end"
	for _, pty := range []bool{true, false} {
		s := p.start(t, engine.Spec{Script: script, PTY: pty})
		if exit := s.wait(t); exit.Code == nil || *exit.Code != 0 {
			t.Errorf("exit %+v", exit)
		}
		if got := strings.Fields(s.output(t)); !cmp.Equal(got, []string{"begin", "end"}) {
			t.Errorf("output %q", got)
		}
	}
}

func TestTooManyArguments(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{Command: []string{"echo", strings.Repeat("x", 4<<20)}})
	exit := s.wait(t)
	if exit.Status != engine.Failed || *exit.Code != 126 || !strings.Contains(exit.Error, "argument list too long") {
		t.Errorf("exit %+v", exit)
	}
}

func TestScriptWithoutHeader(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "script")
	if err := testtool.WriteProgram(path, "echo $1\n"); err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	s := p.start(t, engine.Spec{Command: []string{path, "word"}})
	s.wait(t)
	if got := s.output(t); got != "word\n" {
		t.Errorf("output %q", got)
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{Script: "echo out; echo err >&2", Split: true})
	s.wait(t)
	for stream, want := range map[engine.Stream]string{engine.StreamStdout: "out\n", engine.StreamStderr: "err\n"} {
		o, err := s.run.OpenOutput(t.Context(), stream)
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 100)
		n, _ := o.ReadAt(t.Context(), buf, 0)
		if got := string(buf[:n]); got != want {
			t.Errorf("%s: %q, want %q", stream, got, want)
		}
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(s.dir, jobdir.OutputFile)); err == nil {
		t.Error("there is an output.log")
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{PTY: true, Script: "sleep 100", Timeout: 100 * time.Millisecond})
	exit := s.wait(t)
	if exit.Status != engine.Killed || exit.Reason != engine.ReasonTimeout || exit.EndedBy != "timeout" || *exit.Code != 143 {
		t.Errorf("exit %+v", exit)
	}
}

func TestStartIsRefusedTwice(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l, err := p.make(engine.Spec{Script: "sleep 100"})
	if err != nil {
		t.Fatal(err)
	}
	p.launch(t, l)
	if _, err := p.b.Start(t.Context(), l); err == nil {
		t.Error("a second holder took the job")
	}
}
