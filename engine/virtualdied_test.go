package engine_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/enginetest"
)

// performerVariable makes the test binary perform an execution until it is killed. Its value is the
// state directory.
const performerVariable = "HOB_TEST_PERFORMER"

func perform(root string) error {
	e, err := engine.New(engine.WithStateDir(root), engine.WithClient("performer"))
	if err != nil {
		return err
	}
	x, err := e.NewExecution(engine.ExecutionSpec{
		Name: "index", Size: engine.Size{Cols: 40, Rows: 5},
		Hooks: engine.ExecutionHooks{Kill: func(context.Context) error { return nil }},
	})
	if err != nil {
		return err
	}
	x.Append([]byte("the last line\r\n"))
	fmt.Println(x.ID())
	select {}
}

func TestExecutionOfDeadProgramIsLost(t *testing.T) {
	e := open(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), performerVariable+"="+e.StateDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	id := engine.ID(strings.TrimSpace(line))
	j := get(t, e, id)
	if j.Status != engine.Running || j.Leader.PID != 0 || j.CreatedBy != "performer" || !active(t, e, id) {
		t.Errorf("while it runs: %+v", j)
	}
	term, err := e.Handle(id).Terminal(t.Context(), engine.TerminalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer term.Close()
	v := &viewing{t: t, term: term}
	v.sees("the last line")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	exit, err := e.Handle(id).Wait(t.Context())
	if err != nil || exit.Status != engine.Lost || exit.Reason != engine.ReasonHolderDied || exit.Code != nil {
		t.Errorf("exit = %+v, err %v", exit, err)
	}
	v.until(func() bool { return v.last.Exit != nil })
	if v.last.Exit.Status != engine.Lost {
		t.Errorf("the terminal ended with %+v", v.last.Exit)
	}
	p := make([]byte, 100)
	if n, _, err := enginetest.ReadStream(t.Context(), e.Handle(id), engine.StreamOutput, p, 0); err != nil || string(p[:n]) != "the last line\r\n" {
		t.Errorf("its output %q, %v", p[:n], err)
	}
	if s, err := e.Handle(id).Screen(t.Context()); err != nil || !strings.HasPrefix(s.Text, "the last line") {
		t.Errorf("its last screen %+v, %v", s, err)
	}
	if active(t, e, id) {
		t.Error("active")
	}
	if _, err := e.Remove(t.Context(), engine.RemoveOptions{}, id); err != nil {
		t.Error(err)
	}
}
