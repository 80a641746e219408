//go:build unix

package ssh

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
)

// A job may end after a listing has looked for its exit code and before it looks for its
// processes: such a job has ended with its code, whatever asked for the listing.
func TestJobThatEndsDuringAListingIsNotLost(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		later    bool // the listing of a look, not that of the start
		otherPID bool // another process has the job's pid
	}{
		"the listing of its start":                                 {},
		"the listing of a look":                                    {later: true},
		"the listing of a look, while another process has its pid": {later: true, otherPID: true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			armed, gate := filepath.Join(dir, "armed"), filepath.Join(dir, "gate")
			// A listing that finds the file armed lets the job end between its halves.
			when := "true"
			if c.otherPID { // the first listing then does not look at the wrapper
				when = `[ -n "${h_close-}" ]`
			}
			between := "processes() {\nif " + when + " && rm " + armed + " 2>/dev/null; then : >" + gate + "; set +f\n"
			between += "until [ -f \"$(echo */exit_code)\" ]; do sleep 0.01; done\n" +
				"while read -r h_z h_r <\"$(echo */wrapper)\" && kill -0 $h_z; do sleep 0.01; done; set -f; fi\n"
			env := append(os.Environ(), remoteEnv(t)...)
			reach := func(context.Context, string) (shell.Transport, error) { //nolint:unparam // it is what the option takes
				return patched(shell.NewLocal("sh", env), func(prelude string) string {
					if strings.Count(prelude, "\nprocesses() {\n") != 1 {
						t.Error("a session does not begin with the function processes")
					}
					return strings.Replace(prelude, "processes() {\n", between, 1)
				}), nil
			}
			r := &rig{T: t, state: t.TempDir()}
			open := func() {
				var err error
				r.b = New(withTransports(reach), WithPatience(patient))
				if r.e, err = engine.New(engine.WithStateDir(r.state), engine.WithClient("test"), engine.WithBackend(r.b)); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { r.e.Close() })
			}
			open()
			arm := func() {
				if err := os.WriteFile(armed, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if !c.later {
				arm()
			}
			j := r.start("until [ -e " + gate + " ]; do sleep 0.01; done; exit 3")
			if c.later {
				r.e.Close()
				if c.otherPID {
					file := filepath.Join(r.b.HostDir(engine.Record{ID: j.ID, Job: j}), "pid")
					data, err := os.ReadFile(file)
					f := strings.Fields(string(data))
					if err != nil || len(f) != 4 {
						t.Fatalf("pid says %q: %v", data, err)
					}
					if err := os.WriteFile(file, fmt.Appendf(nil, "%d 1 %s %s\n", os.Getpid(), f[2], f[3]), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				arm()
				open() // a program that has seen the job before asks for less
			}
			exit := r.wait(j.ID)
			if _, err := os.Stat(gate); err != nil {
				t.Fatal("no listing let the job end, so this proves nothing")
			}
			if exit.Status != engine.Exited || exit.Code == nil || *exit.Code != 3 {
				t.Errorf("it ended as %+v, want exit 3", exit)
			}
		})
	}
}
