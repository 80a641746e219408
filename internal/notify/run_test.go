//go:build linux || darwin

package notify_test

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/notify"
	"github.com/hobjobs/hob/internal/notifyevent"
	"github.com/hobjobs/hob/internal/testtool"
)

func TestMain(m *testing.M) {
	testtool.Prepare()
	os.Exit(testtool.RunWithoutLeaks(m))
}

func command(dir, script string) notify.Command {
	return notify.Command{
		Script: script,
		ID:     "web-aaaaa",
		Name:   "my web",
		Dir:    dir,
		Env:    []string{"PATH=" + os.Getenv("PATH"), "DIR=" + dir},
		Start:  (*exec.Cmd).Start,
	}
}

// What a failed command printed and how it ended is with the job; a successful one leaves nothing.
func TestFailuresAreRecorded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		want   *record.NotifyFailure
	}{
		"succeeds": {"echo hello", nil},
		"fails":    {"echo one; echo two >&2; exit 3", &record.NotifyFailure{Error: "exit code 3", Output: "two"}},
		"missing":  {"/no/such/command", &record.NotifyFailure{Error: "exit code 127", Output: "not found"}},
		"floods":   {"exec cat /dev/zero", &record.NotifyFailure{Error: "it printed more than 1MiB", Output: "\x00"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			command(dir, c.script).Run(t.Context(), notify.Notice{Event: notifyevent.Done})
			got := jobdir.NotifyFailure(dir)
			if c.want == nil {
				if got != nil {
					t.Fatalf("recorded: %+v", got)
				}
				return
			}
			if got == nil {
				t.Fatal("nothing is recorded")
			}
			if got.Event != "done" || got.At.IsZero() || got.Error != c.want.Error || !strings.Contains(got.Output, c.want.Output) {
				t.Errorf("recorded: %+v, want %+v", got, c.want)
			}
		})
	}
}

// Of a command that takes too long no process stays.
func TestCommandThatHangs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		command(dir, `exec >"$DIR/fifo"; echo begun; sleep 600 & wait`).Run(ctx, notify.Notice{Event: notifyevent.Done})
	}()
	out, err := os.Open(fifo)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	begun := make([]byte, len("begun\n"))
	if _, err := io.ReadFull(out, begun); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.Copy(io.Discard, out); err != nil { // until no process has it open
		t.Fatal(err)
	}
	<-ended
	if got := jobdir.NotifyFailure(dir); got == nil || got.Error != "signal: killed" {
		t.Errorf("recorded: %+v", got)
	}
}

// The time limit is named.
func TestTimeLimit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	command(dir, "sleep 600").Run(ctx, notify.Notice{Event: notifyevent.Done})
	if got := jobdir.NotifyFailure(dir); got == nil || got.Error != "killed after 30s" {
		t.Errorf("recorded: %+v", got)
	}
}

// A command gets everything as values, not as text of the script.
func TestWhatTheCommandGets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := command(dir, `printf '%s|' "$1" "$2" "$HOB_NAME" "$HOB_RESULT" "$HOB_STATUS" "$HOB_EXIT_CODE" "$HOB_JOB_ID" "$HOB_EVENT" "$HOB_MESSAGE" >"$DIR/got"; cat >>"$DIR/got"`)
	c.Name = "it's `id` $(id)"
	code := 3
	c.Run(t.Context(), notify.OfEnd(&record.Exit{Status: record.Exited, Code: &code}))
	got, err := os.ReadFile(filepath.Join(dir, "got"))
	if err != nil {
		t.Fatal(err)
	}
	want := c.Name + "|exited|" + c.Name + "|exited (exit code 3)|exited|3|web-aaaaa|failed|" + c.Name + " exited (exit code 3)|" +
		`{"event":"failed","message":"` + c.Name + ` exited (exit code 3)","job":null}` + "\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}
