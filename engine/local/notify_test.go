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

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
)

// Only the user can type a password, which an agent must not see.
func TestNotifyCommandForHiddenInput(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "notice")
	p := newPlace(t, local.WithNotify(`echo "$1|$2|$HOB_RESULT|$HOB_STATUS|$HOB_EXIT_CODE|$HOB_JOB_ID|$$" >>`+file+`; test $2 != waiting || exec sleep 1000`))
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
	eventually(t, "an open question", func() bool { return s.state(t).Waiting })
	typeInto("Ann\r")
	waiting := strings.Split(strings.TrimSpace(lines(1)[0]), "|")
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
	if got := lines(2); !strings.Contains(got[1], "|exited|exited (exit code 6)|exited|6|") || len(got) > 3 {
		t.Errorf("notified of %q", got)
	}
	if syscall.Kill(pid, 0) != nil {
		t.Error("the command was killed with the job")
	}
}
