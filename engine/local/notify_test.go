//go:build linux || darwin

package local_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
)

// A question is one wait, and a password after it another one.
func TestNotifyCommandForInput(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "notice")
	p := newPlace(t, local.WithNotify(`echo "$1|$2|$HOB_RESULT|$HOB_STATUS|$HOB_EXIT_CODE|$HOB_JOB_ID|$$" >>`+file+`; case $HOB_RESULT in waits*) exec sleep 1000 ;; esac`))
	s := p.start(t, engine.Spec{PTY: true, Script: "echo 'Name? '; read n; stty -echo; read p; exit 6", Backgrounded: true})
	typeInto := func(text string) {
		if err := s.run.Write(t.Context(), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	lines := func(n int) []string {
		var lines []string
		eventually(t, fmt.Sprintf("%d notifications", n), func() bool {
			data, _ := os.ReadFile(file) // it comes
			lines = strings.SplitAfter(string(data), "\n")
			return len(lines) > n
		})
		return lines
	}
	if got, want := lines(1)[0], "test|waiting|needs input|waiting||"+string(s.rec.ID)+"|"; !strings.HasPrefix(got, want) {
		t.Errorf("notified of %q, want %q", got, want)
	}
	typeInto("Ann\r")
	waiting := strings.Split(strings.TrimSpace(lines(2)[1]), "|")
	pid, err := strconv.Atoi(waiting[len(waiting)-1])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	want := "test|waiting|waits for hidden input|waiting||" + string(s.rec.ID)
	if got := strings.Join(waiting[:len(waiting)-1], "|"); got != want {
		t.Errorf("notified of %q, want %q", got, want)
	}
	// The command is still running, but it is not the job's.
	typeInto("geheim\r")
	if exit := s.wait(t); len(exit.Survivors) != 0 {
		t.Errorf("survivors: %+v", exit.Survivors)
	}
	if got := lines(3); !strings.Contains(got[2], "|exited|exited (exit code 6)|exited|6|") || len(got) > 4 {
		t.Errorf("notified of %q", got)
	}
	if syscall.Kill(pid, 0) != nil {
		t.Error("the command was killed with the job")
	}
}

// Who is told gets the event and one line about it; a program that says the same again at once is not told of again.
func TestNotifyCommandForReports(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "notice")
	p := newPlace(t, local.WithNotify(`echo "$2|$HOB_EVENT|$HOB_MESSAGE" >>`+file))
	script := `blocked() { printf '\033]7501;state=working\007\033]7501;state=blocked:kind=permission:msg=cm0gLXIgYnVpbGQ=\007'; }
blocked; until [ -s ` + file + ` ]; do sleep 0.05; done; blocked; exit 4`
	p.start(t, engine.Spec{PTY: true, Script: script, Backgrounded: true}).wait(t)
	var got []string
	eventually(t, "two notifications", func() bool {
		data, _ := os.ReadFile(file) // it comes
		got = strings.Split(strings.TrimSpace(string(data)), "\n")
		return len(got) >= 2
	})
	want := []string{"waiting|blocked|test is blocked: rm -r build", "exited|failed|test exited (exit code 4)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("notified of (-want +got):\n%s", diff)
	}
}
