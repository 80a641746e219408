//go:build linux || darwin

package local_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/testtool"
)

// printed waits until the log contains text.
func (s started) printed(t testing.TB, text string) {
	t.Helper()
	eventually(t, "output "+text, func() bool {
		data, err := os.ReadFile(s.dir + "/output.log")
		return err == nil && strings.Contains(string(data), text)
	})
}

func TestOutputArrivesWhileTheJobRuns(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, pty := range []bool{true, false} {
		s := p.start(t, engine.Spec{Script: "printf one; sleep 100", PTY: pty})
		s.printed(t, "one")
	}
}

func TestInput(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		spec engine.Spec
		do   func(context.Context, started) error
		want string
	}{
		{"typed into a terminal", engine.Spec{PTY: true, Script: "read x; echo got $x"},
			func(ctx context.Context, s started) error { return s.run.Write(ctx, []byte("word\n")) }, "got word"},
		{"keys", engine.Spec{PTY: true, Script: "read x; echo got $x"},
			func(ctx context.Context, s started) error {
				return s.run.SendKeys(ctx, []string{"h", "i", "Enter"})
			}, "got hi"},
		{"end of a terminal's input", engine.Spec{PTY: true, Script: "cat; echo over"},
			func(ctx context.Context, s started) error { return s.run.CloseInput(ctx) }, "over"},
		{"end in the middle of a line", engine.Spec{PTY: true, Script: "cat; echo over"},
			func(ctx context.Context, s started) error {
				return errors.Join(s.run.Write(ctx, []byte("part")), s.run.CloseInput(ctx))
			}, "over"},
		{"paste without bracketed paste", engine.Spec{PTY: true, Script: "read x; echo got $x"},
			func(ctx context.Context, s started) error {
				return errors.Join(s.run.Paste(ctx, []byte("text")), s.run.Write(ctx, []byte("\n")))
			}, "got text"},
		{"pipe", engine.Spec{Stdin: true, Script: "cat; echo over"},
			func(ctx context.Context, s started) error {
				err := errors.Join(s.run.Write(ctx, []byte("line\n")), s.run.CloseInput(ctx))
				if again := s.run.CloseInput(ctx); !errors.Is(again, engine.ErrNotRunning) { // it may have ended
					err = errors.Join(err, again)
				}
				return err
			}, "line\nover"},
		{"end of a terminal that is input alone", engine.Spec{TTYStdin: true, Script: "cat; cat; echo over"},
			func(ctx context.Context, s started) error {
				err := errors.Join(s.run.Write(ctx, []byte("part")), s.run.CloseInput(ctx))
				// It waits in the second cat for input that can no longer arrive.
				if again := s.run.Write(ctx, []byte("x")); !errors.Is(again, engine.ErrNoInput) && !errors.Is(again, engine.ErrNotRunning) {
					err = errors.Join(err, fmt.Errorf("write behind the end: %w", again))
				}
				return err
			}, "partover"},
		{"end for one that reads much later", engine.Spec{TTYStdin: true, Script: "cat; sleep 1; cat; echo over"},
			func(ctx context.Context, s started) error { return s.run.CloseInput(ctx) }, "over"},
		{"terminal as input alone", engine.Spec{TTYStdin: true, Script: "test -t 0 && test ! -t 1 && read x; echo got $x"},
			func(ctx context.Context, s started) error { return s.run.Write(ctx, []byte("secret\n")) }, "got secret"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			s := p.start(t, tt.spec)
			if err := tt.do(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			s.wait(t)
			if got := strings.ReplaceAll(s.output(t), "\r\n", "\n"); !strings.Contains(got, tt.want) {
				t.Errorf("output %q lacks %q", got, tt.want)
			}
		})
	}
}

func TestTerminalInputIsNotEchoed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{TTYStdin: true, Script: "printf 'Password: ' >/dev/tty; read x; echo done"})
	s.printed(t, "Password: ")
	if err := s.run.Write(t.Context(), []byte("hunter2\n")); err != nil {
		t.Fatal(err)
	}
	s.wait(t)
	if got := s.output(t); got != "Password: done\n" {
		t.Errorf("output %q", got)
	}
}

func TestInputIsRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{Script: "sleep 100"})
	if err := s.run.Write(t.Context(), []byte("x")); !errors.Is(err, engine.ErrNoInput) || strings.Count(err.Error(), "takes no input") != 1 {
		t.Errorf("write to a job without input: %v", err)
	}
	over := p.start(t, engine.Spec{PTY: true, Script: "true"})
	over.wait(t)
	if err := over.run.Write(t.Context(), []byte("x")); !errors.Is(err, engine.ErrNotRunning) {
		t.Errorf("write to a job that ended: %v", err)
	}
}

func TestStdinIsEmptyByDefault(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{Script: "cat; test ! -p /dev/stdin && echo over"})
	s.wait(t)
	if got := s.output(t); got != "over\n" {
		t.Errorf("output %q", got)
	}
}

func TestPassedStdin(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, pty := range []bool{true, false} {
		f, err := os.CreateTemp(t.TempDir(), "in")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString("from a file\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Seek(0, 0); err != nil {
			t.Fatal(err)
		}
		l, err := p.make(engine.Spec{Command: []string{"cat"}, PTY: pty})
		if err != nil {
			t.Fatal(err)
		}
		l.Files = map[int]*os.File{0: f}
		s := p.launch(t, l)
		s.wait(t)
		f.Close()
		if got := strings.TrimSpace(s.output(t)); got != "from a file" {
			t.Errorf("pty %v: output %q", pty, got)
		}
	}
}

func TestWaitingForInput(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	tests := []struct {
		name  string
		spec  engine.Spec
		entry engine.Entry
	}{
		{"terminal", engine.Spec{PTY: true, Script: "printf 'name? '; read x; sleep 100"}, engine.EntryOpen},
		{"terminal, silent", engine.Spec{PTY: true, Script: "read x; sleep 100"}, engine.EntryOpen},
		{"terminal as input alone", engine.Spec{TTYStdin: true, Script: "read x; sleep 100"}, engine.EntryOpen},
		{"the same, for a password", engine.Spec{TTYStdin: true, Script: "stty -echo; read x; sleep 100"}, engine.EntryHidden},
		{"pipe", engine.Spec{Stdin: true, Script: "read x; sleep 100"}, engine.EntryUnknown},
		{"long after its last output", engine.Spec{PTY: true, Script: "printf 'name? '; sleep 2; read x; sleep 100"}, engine.EntryOpen},
		{"long after its start, for a password", engine.Spec{PTY: true, Script: "sleep 2; stty -echo; read x; sleep 100"}, engine.EntryHidden},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := p.start(t, tt.spec)
			eventually(t, "waiting", func() bool { return s.state(t).Waiting })
			if got := s.state(t).Entry; got != tt.entry {
				t.Errorf("entry %q", got)
			}
			if err := s.run.Write(t.Context(), []byte("x\n")); err != nil {
				t.Fatal(err)
			}
			eventually(t, "no longer waiting", func() bool { return !s.state(t).Waiting })
		})
	}
}

// Whether the terminal displays typed input is reported with the prompt.
func TestEntryIsReportedWithPrompt(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, spec := range []engine.Spec{{PTY: true}, {TTYStdin: true}} {
		spec.Script = "stty -echo; printf 'Code: '; read x; stty echo; printf 'Name: '; read x; stty raw -echo; printf 'Key: '; cat"
		s := p.start(t, spec)
		entry := func(want engine.Entry) func() bool {
			return func() bool { return s.state(t).Entry == want }
		}
		eventually(t, "a secret is asked for", entry(engine.EntryHidden))
		if err := s.run.Write(t.Context(), []byte("x\n")); err != nil {
			t.Fatal(err)
		}
		eventually(t, "a line is asked for", entry(engine.EntryOpen))
		if err := s.run.Write(t.Context(), []byte("x\n")); err != nil {
			t.Fatal(err)
		}
		eventually(t, "keys are asked for", entry(engine.EntryUnknown))
	}
}

// An editor or a pager that reads the next key is not waiting for input; a program that does the
// same on the main screen is.
func TestFullScreenProgramIsNotWaiting(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{PTY: true, Script: `stty raw -echo; printf '\033[?1049hhelp: F1'; exec cat`})
	eventually(t, "a whole screen that takes keys", func() bool {
		st := s.state(t)
		return st.Alternate && st.Entry == engine.EntryUnknown
	})
	if s.state(t).Waiting {
		t.Error("it waits for input")
	}
	if err := s.run.Write(t.Context(), []byte("\x1b[?1049lkey? ")); err != nil { // cat prints it
		t.Fatal(err)
	}
	eventually(t, "waiting", func() bool { return s.state(t).Waiting })
}

// A dialog program waits for input, whichever screen it uses.
func TestDialogProgramWaitsForInput(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	dialog := filepath.Join(t.TempDir(), "dialog")
	testtool.WriteScript(t, dialog, `stty raw -echo; printf '\033[?1049hSure? <Yes> <No>'; read -r x`)
	s := p.start(t, engine.Spec{PTY: true, Command: []string{"sh", "-c", `"$0"; echo "got $?"; sleep 100`, dialog}})
	eventually(t, "waiting on the alternate screen", func() bool {
		st := s.state(t)
		return st.Waiting && st.Alternate
	})
	if err := s.run.Write(t.Context(), []byte("y\n")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "answered", func() bool { return !s.state(t).Waiting })
}

// A paste may be larger than one request to a holder.
func TestLongPasteIsComplete(t *testing.T) {
	t.Parallel()
	text := "a" + strings.Repeat("größe\r\n", 90_000)
	want := strings.ReplaceAll(text, "\r\n", "\r")
	p := newPlace(t)
	s := p.start(t, engine.Spec{PTY: true, Script: fmt.Sprintf("stty raw -echo; echo ready; head -c %d | cksum", len(want))})
	s.printed(t, "ready")
	if err := s.run.Paste(t.Context(), []byte(text)); err != nil {
		t.Fatal(err)
	}
	s.wait(t)
	cmd := exec.Command("cksum")
	cmd.Stdin = strings.NewReader(want)
	sum, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := s.output(t); !strings.Contains(got, strings.TrimSpace(string(sum))) {
		t.Errorf("output %q lacks %q", got, sum)
	}
}
