package security

import (
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/app/cli"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/testtool"
	"github.com/hobjobs/hob/internal/testtool/stage"
)

// TestMain makes the test binary act as hob, as its holders, and as the intruder, which tries an action
// as another user and reports the result.
func TestMain(m *testing.M) {
	if local.IsHolder() {
		os.Exit(local.RunHolder())
	}
	switch filepath.Base(os.Args[0]) {
	case "hob":
		os.Exit(cli.Main(os.Args))
	case "intruder":
		os.Exit(intrude(os.Args[1], os.Args[2]))
	}
	testtool.Prepare()
	os.Exit(m.Run())
}

// intrude tries an action and returns 0 if it succeeds.
func intrude(what, path string) int {
	var err error
	switch what {
	case "enter":
		_, err = os.ReadDir(path)
	case "read":
		var f *os.File
		if f, err = os.Open(path); err == nil {
			_, err = io.ReadAll(f)
		}
	case "connect":
		_, err = net.Dial("unix", path)
	case "stop":
		var c net.Conn
		if c, err = net.Dial("unix", path); err != nil {
			break
		}
		// The frame that stops a job, in all versions. Any answer means that it was accepted.
		_, _ = c.Write([]byte{byte(holder.TypeStop), 0, 0, 0, 0})
		var n int
		if n, err = io.ReadFull(c, make([]byte, 1)); n > 0 {
			err = nil
		}
	case "hold":
		err = hold(path)
	default:
		panic("unknown action " + what)
	}
	if err != nil {
		_, _ = io.WriteString(os.Stderr, err.Error()+"\n")
		return 1
	}
	return 0
}

// hold listens at path with the greeting in the file path.hello, and prints what one client sends.
func hold(path string) error {
	hello, err := os.ReadFile(path + ".hello")
	if err != nil {
		return err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	if err := os.Chmod(path, 0o777); err != nil {
		return err
	}
	c, err := l.Accept()
	if err != nil {
		return err
	}
	_, _ = c.Write(hello) // a client that refuses does not read it
	received := make([]byte, 1000)
	n, _ := c.Read(received)
	_, err = os.Stdout.Write(received[:n])
	return err
}

// newStage returns a stage whose jobs are ended at the end of the test.
func newStage(t *testing.T) *stage.Stage {
	t.Helper()
	s := stage.New(t)
	t.Cleanup(func() {
		ids, _, err := s.Ask("list", "--running", "-q")
		if err == nil && ids != "" {
			_, _, _ = s.Ask(append([]string{"kill", "--grace", "0s"}, strings.Fields(ids)...)...)
		}
		// Holders write until they exit, which releases the lock.
		locks, _ := filepath.Glob(filepath.Join(s.State, "jobs", "*", jobdir.LockFile))
		for _, lock := range locks {
			if fi, err := os.Lstat(lock); err != nil || !fi.Mode().IsRegular() {
				continue // a test replaced it
			}
			if err := stage.Eventually("end of the holder", func() bool { return !jobdir.Locked(filepath.Dir(lock)) }); err != nil {
				t.Error(err)
			}
		}
	})
	return s
}

// facts are the fields of a job that the tests use.
type facts struct {
	ID         string  `json:"id"`
	Name       string  `json:"name"`
	Status     string  `json:"status"`
	OutputPath *string `json:"output_path"`
}

func statusOf(t *testing.T, s *stage.Stage, ref string) facts {
	t.Helper()
	var f facts
	if err := json.Unmarshal([]byte(s.Must(t, "status", "--json", ref)), &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// dirOf returns the directory of a job.
func dirOf(s *stage.Stage, id string) string { return filepath.Join(s.State, "jobs", id) }
