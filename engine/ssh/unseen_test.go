//go:build unix

package ssh

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/testtool"
)

// The end of a job run by this machine's own sh is reported in full even if no program observed it:
// from what its wrapper has written.
func TestEndWithoutAClient(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, script string
		timeout      time.Duration
		want         engine.Exit
		left         string
	}{
		{name: "survivors", script: "sh -c 'echo up >$UP; exec sleep 611' & until [ -s $UP ]; do sleep 0.02; done; exit 3", want: engine.Exit{Status: engine.Exited, Reason: engine.ReasonExit}, left: "sleep 611"},
		{name: "timeout", script: "while :; do sleep 0.1; done", timeout: time.Second, want: engine.Exit{Status: engine.Killed, Reason: engine.ReasonTimeout, EndedBy: "timeout"}},
		{name: "exit", script: "exit 3", want: engine.Exit{Status: engine.Exited, Reason: engine.ReasonExit}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := testtool.TempDir(t)
			open := func() *engine.Engine {
				eng, err := engine.New(engine.WithStateDir(root), engine.WithBackend(newHere()))
				if err != nil {
					t.Fatal(err)
				}
				return eng
			}
			gate := filepath.Join(t.TempDir(), "gate")
			eng := open()
			j, err := eng.Start(t.Context(), engine.Spec{Script: "trap 'exit 3' TERM; until [ -e " + gate + " ]; do sleep 0.02; done; UP=" + gate + ".up; export UP; " + c.script, Timeout: c.timeout, Backgrounded: true})
			eng.Close()
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(gate, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(root, "jobs", string(j.ID))
			for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
				if _, ok := jobdir.ReadExitCode(dir); ok {
					break
				}
				if time.Now().After(end) {
					t.Fatal("the job does not end")
				}
			}
			eng = open()
			defer eng.Close()
			j, err = eng.Handle(j.ID).Facts(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			x := j.Exit
			if x.Status != c.want.Status || x.Reason != c.want.Reason || x.EndedBy != c.want.EndedBy || x.Code == nil || *x.Code != 3 || x.Ran <= 0 {
				t.Errorf("it ended as %+v, want %+v with code 3", x, c.want)
			}
			switch {
			case c.left == "" && len(x.Survivors) > 0, c.left != "" && (len(x.Survivors) != 1 || !strings.Contains(x.Survivors[0].Command, c.left)):
				t.Errorf("survivors %+v, want %q", x.Survivors, c.left)
			case c.left != "":
				if _, err := eng.Handle(j.ID).Stop(t.Context(), engine.StopOptions{Grace: -1}); err != nil {
					t.Errorf("what it left cannot be ended: %v", err)
				}
			}
		})
	}
}
