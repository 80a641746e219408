//go:build unix

package ssh

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/localjob"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

// Another client, of another build, replaces the program on the host while a job of this one runs.
func TestHolderOfAnotherBuild(t *testing.T) {
	t.Parallel()
	program := sshtest.BuildHolder(t)
	for name, tc := range map[string]struct {
		launch int
		starts bool // it can start the jobs of this build
	}{
		"earlier configuration": {localjob.Version - 1, false},
		"same configuration":    {localjob.Version, true},
		"later configuration":   {localjob.Version + 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newHeldRig(t, program, func(*sshtest.Server) {})
			j := r.start("read x; echo got $x; exit 5", func(s *engine.Spec) { s.Stdin = true })
			mine := j.HostHolder
			if mine == "" {
				t.Fatalf("started without the holder: %+v", j)
			}
			if err := os.RemoveAll(filepath.Dir(mine)); err != nil {
				t.Fatal(err)
			}
			theirs := filepath.Join(filepath.Dir(filepath.Dir(mine)), "v99", "hob-holder")
			if err := os.Mkdir(filepath.Dir(theirs), 0o700); err != nil {
				t.Fatal(err)
			}
			testtool.WriteScript(t, theirs, fmt.Sprintf(`[ "$*" != --version ] || { echo hob-holder v99 %d linux/amd64; exit 0; }
exec %s "$@"`, tc.launch, program))
			if err := os.Chmod(theirs, 0o700); err != nil {
				t.Fatal(err)
			}
			var warned warnings
			r.open(warned.option())
			if got, err := r.e.Handle(j.ID).Facts(r.ctx()); err != nil || got.Status != engine.Running || got.Link != engine.LinkOK {
				t.Errorf("the job is %s, %s %s, %v", got.Status, got.Link, got.LinkError, err)
			}
			if err := r.e.Handle(j.ID).Write(r.ctx(), []byte("it\n")); err != nil {
				t.Error(err)
			}
			if exit := r.wait(j.ID); exit.Code == nil || *exit.Code != 5 || r.read(j.ID) != "got it\n" {
				t.Errorf("it ended as %+v and printed %q", exit, r.read(j.ID))
			}
			next := r.start("exit 6")
			if exit := r.wait(next.ID); exit.Code == nil || *exit.Code != 6 {
				t.Errorf("the next job ended as %+v", exit)
			}
			_, err := r.e.Start(r.ctx(), engine.Spec{Script: "true", Host: "box", Queue: "q"})
			said := warned.all()
			switch {
			case tc.starts:
				if next.HostHolder == "" || err != nil || said != "" { // it records the program that the script becomes
					t.Errorf("the next job was started by %q; in a queue: %v; warning %q", next.HostHolder, err, said)
				}
			case next.HostHolder != "", !errors.Is(err, engine.ErrUnsupported):
				t.Errorf("the next job was started by %q; in a queue: %v", next.HostHolder, err)
			case !strings.Contains(said, "of another version of hob"), !strings.Contains(said, "hob hosts install box"):
				t.Errorf("warning %q", said)
			}
		})
	}
}
