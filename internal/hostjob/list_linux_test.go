package hostjob

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

// A client that knows a job that runs learns of each change, and of nothing else.
func TestListOfKnownJobs(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(t *testing.T, j *knownJob)
		same   bool
		asks   string // the holder, by a look that asks it
	}{
		"nothing": {func(*testing.T, *knownJob) {}, true, ""},
		"output": {func(t *testing.T, j *knownJob) {
			j.write(t, jobdir.OutputFile, "one\ntwo\n")
		}, false, ""},
		"its state": {func(t *testing.T, j *knownJob) {
			j.state.Title = "a title"
			j.record(t)
		}, false, ""},
		"its end": {func(t *testing.T, j *knownJob) {
			if err := jobdir.Finish(j.dir, &record.State{Exit: record.Exit{Status: record.Exited, Code: new(0)}}); err != nil {
				t.Fatal(err)
			}
		}, false, ""},
		"its holder died": {func(t *testing.T, j *knownJob) {
			if err := j.lock.Close(); err != nil {
				t.Fatal(err)
			}
		}, false, ""},
		"its process died": {func(_ *testing.T, j *knownJob) {
			_ = j.cmd.Process.Kill()
			_ = j.cmd.Wait()
		}, false, "=" + Wait},
		"its directory is gone": {func(t *testing.T, j *knownJob) {
			if err := os.RemoveAll(j.dir); err != nil {
				t.Fatal(err)
			}
		}, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			j := newKnownJob(t)
			first := j.list(t, "")
			if first.Same || first.Sum == "" || first.State.Status != record.Running {
				t.Fatalf("first %+v", first)
			}
			for range 2 { // it stays so
				if again := j.list(t, first.Sum); !again.Same {
					t.Fatalf("again %+v", again)
				}
			}
			tc.change(t, j)
			if last := j.list(t, first.Sum+tc.asks); last.Same != tc.same {
				t.Errorf("afterwards %+v", last)
			}
		})
	}
}

// knownJob is a job that this process holds.
type knownJob struct {
	dir   string
	state record.State
	lock  *jobdir.FileLock
	cmd   *exec.Cmd

	written time.Time // the last file: long ago
}

func newKnownJob(t *testing.T) *knownJob {
	t.Helper()
	j := &knownJob{dir: filepath.Join(t.TempDir(), "job-00001"), cmd: exec.Command("sleep", "600"), written: time.Now().Add(-time.Hour)}
	if err := j.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = j.cmd.Process.Kill()
		_ = j.cmd.Wait()
	})
	if err := os.Mkdir(j.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	var err error
	if j.lock, err = jobdir.Lock(j.dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.lock.Close() })
	leader, err := proc.IdentityOf(j.cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	j.state = record.State{Version: 1, Machine: proc.MachineID(), BootID: proc.BootID(), PIDNS: proc.PIDNamespace(), Leader: leader}
	j.write(t, jobdir.MetaFile, `{"version":1,"command":["sleep","600"],"token":"t"}`)
	j.write(t, jobdir.TokenFile, "t\n")
	j.write(t, jobdir.OutputFile, "one\n")
	j.record(t)
	return j
}

func (j *knownJob) write(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(j.dir, name)
	j.written = j.written.Add(time.Second)
	if err := errors.Join(os.WriteFile(file, []byte(text), 0o600), os.Chtimes(file, j.written, j.written)); err != nil {
		t.Fatal(err)
	}
}

func (j *knownJob) record(t *testing.T) {
	t.Helper()
	text, err := json.Marshal(j.state)
	if err != nil {
		t.Fatal(err)
	}
	j.write(t, jobdir.StateFile, string(text))
}

func (j *knownJob) list(t *testing.T, sum string) *Job {
	t.Helper()
	id := filepath.Base(j.dir)
	return list(t.Context(), filepath.Dir(j.dir), []string{id + "=" + sum}).Jobs[id]
}
