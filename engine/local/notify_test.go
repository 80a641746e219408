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
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
)

// A command that runs for hidden input is not the job's.
func TestNotifyCommandForHiddenInput(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "notice")
	p := newPlace(t, local.WithNotify(`echo "$1|$2|$HOB_RESULT|$HOB_STATUS|$HOB_EXIT_CODE|$HOB_JOB_ID|$$" >>`+file+`; case $HOB_RESULT in waits*) exec sleep 1000 ;; esac`))
	s := p.start(t, engine.Spec{PTY: true, Script: "stty -echo; echo 'Password: '; read p; exit 6", Backgrounded: true})
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

// Each event has one line about it, and a program that reports the same again at once is not reported again.
func TestNotifyEvents(t *testing.T) {
	t.Parallel()
	const (
		report = `report() { printf '\033]7501;state=working\007\033]7501;state=%s\007' "$1"; }; `
		text   = "msg=cm0gLXIgYnVpbGQ=" // rm -r build
	)
	for _, c := range []struct {
		name   string
		spec   engine.Spec
		answer string // typed after the first notification
		events []string
		want   []string
	}{
		{
			name:   "question",
			spec:   engine.Spec{PTY: true, Script: "printf 'Name? '; read x; exit 4"},
			answer: "Ann\r",
			want:   []string{"needs_input|test needs input: Name?", "failed|test exited (exit code 4)"},
		},
		{
			name: "blocked twice",
			spec: engine.Spec{PTY: true, Script: report + "report blocked:kind=permission:" + text + "; " + untilNotified +
				"; report blocked; exit 4"},
			want: []string{"blocked|test is blocked: rm -r build", "failed|test exited (exit code 4)"},
		},
		{
			name: "blocked after a result",
			spec: engine.Spec{PTY: true, Script: report + "report done:" + text + "; " + untilNotified +
				"; report blocked; exit 4"},
			events: []string{"blocked", "done", "failed"},
			want:   []string{"done|test is done: rm -r build", "failed|test exited (exit code 4)"},
		},
		{
			name:   "error of a program that ends at once",
			spec:   engine.Spec{PTY: true, Script: report + "report error:" + text},
			events: []string{"error", "failed"},
			want:   []string{"error|test reports an error: rm -r build"},
		},
		{
			name:   "result",
			spec:   engine.Spec{PTY: true, Script: report + "report done:" + text},
			events: []string{"done"},
			want:   []string{"done|test is done: rm -r build"},
		},
		{
			name: "timeout",
			spec: engine.Spec{Script: "sleep 1000", Timeout: 100 * time.Millisecond},
			want: []string{"failed|test killed (SIGTERM)"},
		},
		{
			name: "unhealthy",
			spec: engine.Spec{
				Script: untilNotified,
				Health: engine.HealthCheck{Check: "echo no answer; false", Every: 50, Failures: 1},
			},
			events: []string{"unhealthy"},
			want:   []string{"unhealthy|test is unhealthy: no answer (exit status 1)"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "notice")
			p := newPlace(t, local.WithNotify(`echo "$HOB_EVENT|$HOB_MESSAGE" >>`+file, c.events...))
			c.spec.Backgrounded = true
			c.spec.Script = strings.ReplaceAll(c.spec.Script, "NOTICES", file)
			s := p.start(t, c.spec)
			var got []string
			notified := func(n int) {
				eventually(t, fmt.Sprintf("%d notifications", n), func() bool {
					data, _ := os.ReadFile(file) // it comes
					lines := strings.Split(string(data), "\n")
					got = lines[:len(lines)-1]
					return len(got) >= n
				})
			}
			if c.answer != "" {
				notified(1)
				if err := s.run.Write(t.Context(), []byte(c.answer)); err != nil {
					t.Fatal(err)
				}
			}
			s.wait(t)
			notified(len(c.want))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("notified of (-want +got):\n%s", diff)
			}
		})
	}
}

// untilNotified is a script that waits for a notification.
const untilNotified = `until [ -s NOTICES ]; do sleep 0.05; done`
