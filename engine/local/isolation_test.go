//go:build linux || darwin

package local_test

import (
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/testtool"
)

// What a job does to its own process group and terminal does not affect others, even if this
// program holds it.
func TestJobIsIsolated(t *testing.T) {
	t.Parallel()
	testtool.Need(t, "bash")
	for _, tt := range []struct {
		name   string
		spec   engine.Spec
		status engine.Status
		code   int
		output string
	}{
		{"signals its own group", engine.Spec{Script: "kill -TERM 0; sleep 1000"}, engine.Killed, 143, ""},
		{"the same with a terminal", engine.Spec{Script: "kill -TERM 0; sleep 1000", PTY: true}, engine.Killed, 143, ""},
		{"has no terminal to read", engine.Spec{Script: "{ read x < /dev/tty; } 2>/dev/null || echo none; exit 4"}, engine.Exited, 4, "none\n"},
		{"interactive shell", engine.Spec{Script: "bash --norc -i -c 'echo up' 2>/dev/null; exit 5", PTY: true}, engine.Exited, 5, "up\r\n"},
		{"interactive shell without a terminal", engine.Spec{Script: "bash --norc -i -c 'echo up' 2>/dev/null; exit 5"}, engine.Exited, 5, "up\n"},
	} {
		for place, opts := range map[string][]local.Option{"holder": nil, "this program": {local.InProcess()}} {
			t.Run(tt.name+"/"+place, func(t *testing.T) {
				t.Parallel()
				s := newPlace(t, opts...).start(t, tt.spec)
				exit := s.wait(t)
				if exit.Status != tt.status || exit.Code == nil || *exit.Code != tt.code {
					t.Errorf("exit %+v", exit)
				}
				if got := s.output(t); got != tt.output {
					t.Errorf("output %q, want %q", got, tt.output)
				}
			})
		}
	}
}
