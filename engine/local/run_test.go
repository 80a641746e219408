//go:build linux || darwin

package local_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
)

func TestExit(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	tests := []struct {
		name   string
		spec   engine.Spec
		want   engine.Exit
		output string
	}{
		{"zero", engine.Spec{Script: "echo hi"}, engine.Exit{Status: engine.Exited, Code: code(0), Reason: engine.ReasonExit, Summary: "hi"}, "hi"},
		{"code", engine.Spec{Script: "exit 42"}, engine.Exit{Status: engine.Exited, Code: code(42), Reason: engine.ReasonExit}, ""},
		{"no newline at the end", engine.Spec{Script: "printf x"}, engine.Exit{Status: engine.Exited, Code: code(0), Reason: engine.ReasonExit, Summary: "x"}, "x"},
		{"signal", engine.Spec{Script: "kill -USR2 $$"}, engine.Exit{Status: engine.Killed, Code: code(140), Signal: "SIGUSR2", Reason: engine.ReasonSignal}, ""},
		{"not found", engine.Spec{Command: []string{"hob-no-such-command"}}, engine.Exit{Status: engine.Failed, Code: code(127), Reason: engine.ReasonSpawn, Error: "hob-no-such-command: command not found"}, ""},
		{"not executable", engine.Spec{Command: []string{"/etc/passwd"}}, engine.Exit{Status: engine.Failed, Code: code(126), Reason: engine.ReasonSpawn, Error: "/etc/passwd: permission denied"}, ""},
		{"bad directory", engine.Spec{Script: "true", Dir: "/no/such/dir"}, engine.Exit{Status: engine.Failed, Code: code(126), Reason: engine.ReasonSpawn, Error: "directory /no/such/dir: no such file or directory"}, ""},
		{"script that ends with 127", engine.Spec{Script: "hob-no-such-command 2>/dev/null"}, engine.Exit{Status: engine.Exited, Code: code(127), Reason: engine.ReasonExit}, ""},
		{"both streams", engine.Spec{Script: "echo one; echo two >&2"}, engine.Exit{Status: engine.Exited, Code: code(0), Reason: engine.ReasonExit, Summary: "two"}, "one\ntwo"},
	}
	for _, tt := range tests {
		for _, pty := range []bool{true, false} {
			name := tt.name + "/file"
			if pty {
				name = tt.name + "/pty"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				spec := tt.spec
				spec.PTY = pty
				s := p.start(t, spec)
				got := s.wait(t)
				if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(engine.Exit{}, "At", "Ran", "SinceBoot", "Usage")); diff != "" {
					t.Errorf("exit (-want +got):\n%s", diff)
				}
				if n, ok := jobdir.ReadExitCode(s.dir); !ok || n != *tt.want.Code {
					t.Errorf("exit_code = %d, %v; want %d", n, ok, *tt.want.Code)
				}
				if got := strings.TrimSpace(strings.ReplaceAll(s.output(t), "\r\n", "\n")); got != tt.output {
					t.Errorf("output %q, want %q", got, tt.output)
				}
			})
		}
	}
}
