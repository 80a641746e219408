package ssh

import (
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/slurmtest"
	"github.com/hobjobs/hob/internal/testtool"
)

// A client may attach to a job that waits. It gets the terminal, in its size, when the job begins.
func testTerminalOpenedWhileTheJobWaits(t *testing.T, cluster *slurmtest.Cluster) {
	testtool.Need(t, "stty")
	e := onSlurm(t, cluster)
	j := submit(t, e, "echo ready; read -r x; stty size; echo got $x", "--hold")
	term, err := e.Handle(j.ID).Terminal(t.Context(), engine.TerminalOptions{Control: true, Client: "test", Size: engine.Size{Cols: 50, Rows: 10}})
	if err != nil {
		t.Fatal(err)
	}
	defer term.Close()
	screen := ""
	shows := func(text string) {
		for !strings.Contains(screen, text) {
			chunk, err := term.Next(t.Context())
			if err != nil {
				t.Fatalf("%v, after %q", err, screen)
			}
			if screen += string(chunk.Data); chunk.Exit != nil {
				t.Fatalf("the job ended as %+v, after %q", chunk.Exit, screen)
			}
		}
	}
	shows("Queued: ")
	cluster.Run(t, "scontrol", "release", numberOf(t, cluster, j))
	shows("ready")
	if err := term.Write(t.Context(), []byte("hello\r")); err != nil {
		t.Fatal(err)
	}
	shows("10 50\r\ngot hello")
}

// While a session with the node of a job is open, the job is known to wait for input.
func testWaitsForInput(t *testing.T, cluster *slurmtest.Cluster) {
	testtool.Need(t, "stty")
	e := onSlurm(t, cluster)
	j := submit(t, e, "head -n 1 >/dev/null; stty -echo; printf 'Password: '; head -n 1 >/dev/null; exec sleep 1000")
	watch(t, e, j.ID)
	waitUntil(t, e, j.ID, is(engine.Running))
	answer := func() {
		if err := e.Handle(j.ID).Write(t.Context(), []byte("x\r")); err != nil {
			t.Fatal(err)
		}
	}
	answer()
	waitUntil(t, e, j.ID, func(j engine.Job) bool { return j.Waiting && j.Entry == engine.EntryHidden })
	answer() // prints nothing
	waitUntil(t, e, j.ID, func(j engine.Job) bool { return !j.Waiting })
	if _, err := e.Handle(j.ID).Stop(t.Context(), engine.StopOptions{Grace: -1}); err != nil {
		t.Fatal(err)
	}
}
