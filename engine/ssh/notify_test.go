//go:build unix

package ssh

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

// The holder on a host runs the command in the settings there.
func TestNotifyCommandOfHost(t *testing.T) {
	t.Parallel()
	program := sshtest.BuildHolder(t)
	for name, tc := range map[string]struct {
		mode   os.FileMode
		told   string // what the command prints for a job that ends
		warned string
	}{
		"own settings":              {0o600, "job exited ended", ""},
		"settings others can write": {0o666, "", "config.toml can be changed by other users"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := testtool.TempDir(t)
			heard := filepath.Join(testtool.TempDir(t), "heard")
			if err := syscall.Mkfifo(heard, 0o600); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(config, "hob", "config.toml")
			if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			settings := []byte(`echo "$1 $2 $HOB_EVENT" >` + heard + "\nended")
			if err := errors.Join(os.WriteFile(file, settings, 0o600), os.Chmod(file, tc.mode)); err != nil {
				t.Fatal(err)
			}
			var warned warnings
			r := newHeldRig(t, program, func(s *sshtest.Server) { s.Env = append(s.Env, "XDG_CONFIG_HOME="+config) })
			r.open(warned.option(), WithNotify(func(settings []byte) (string, []string, error) {
				command, event, _ := strings.Cut(string(settings), "\n")
				return command, []string{event}, nil
			}))
			j := r.start("exit 0", func(s *engine.Spec) { s.Name, s.Notify = "job", true })
			r.wait(j.ID)
			if tc.told != "" {
				if got, err := os.ReadFile(heard); err != nil || strings.TrimSpace(string(got)) != tc.told {
					t.Errorf("the command printed %q (%v)", got, err)
				}
			}
			command, err := r.b.NotifyCommand(r.ctx(), "box")
			if err != nil || (command != "") != (tc.told != "") || !strings.Contains(warned.all(), tc.warned) {
				t.Errorf("command %q, %v; warnings %q", command, err, warned.all())
			}
		})
	}
}
