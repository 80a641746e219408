//go:build linux || darwin

package local_test

import (
	"os/exec"
	"syscall"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/proc"
)

// A program that holds jobs itself has children of its own. A stop of a job that
// has ended looks for what it left running, and they are not that.
func TestStopSparesTheChildrenOfTheProgram(t *testing.T) {
	t.Parallel()
	s := newPlace(t, local.InProcess()).start(t, engine.Spec{Script: "exit 3"})
	if exit := s.wait(t); exit.Status != engine.Exited {
		t.Fatalf("exit %+v", exit)
	}
	child := exec.Command("sleep", "1000")
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer child.Wait() //nolint:errcheck // it is killed
	defer child.Process.Kill()
	id, err := proc.Of(child.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	// The end is told before the job is let go.
	eventually(t, "the job is let go", func() bool {
		_, err := s.run.Stop(t.Context(), engine.StopOptions{Grace: -1, By: "test"})
		return err != nil
	})
	if !proc.Alive(id) {
		t.Error("a stop of a job that had ended killed a child of this program")
	}
}
