package engine_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
)

// A client on another machine has started the job with a wrapper, which leaves plain files. A client
// on the host shows its end in the same way as the ends of jobs that were started on the host.
func TestEndOfWrapperIsRecordedWhereItIsRead(t *testing.T) {
	first := map[string]func(t *testing.T, e *engine.Engine, id engine.ID){
		"list": func(t *testing.T, e *engine.Engine, _ engine.ID) {
			if jobs, err := e.List(t.Context(), engine.Filter{}); err != nil || len(jobs) != 1 {
				t.Fatalf("%d jobs, %v", len(jobs), err)
			}
		},
		"one job": func(t *testing.T, e *engine.Engine, id engine.ID) { get(t, e, id) },
	}
	for name, read := range first {
		t.Run(name, func(t *testing.T) {
			e := open(t)
			const id = "deploy-22222"
			dir := filepath.Join(e.StateDir(), "jobs", id)
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			for file, text := range map[string]string{
				jobdir.MetaFile:     `{"version":1,"backend":"ssh","kind":"pty","command":["deploy"]}`,
				jobdir.OutputFile:   "starting\npsql: error: connection refused\nbye\n",
				jobdir.ExitCodeFile: "2\n",
				"started":           "1700000000 50.5\n",
				"ended":             "1700000060 110.5\n",
			} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			read(t, e, id)
			j := get(t, open(t, engine.WithStateDir(e.StateDir())), id)
			if got, want := j.Summary(time.Now()), "psql: error: connection refused"; got != want {
				t.Errorf("summary %q, want %q", got, want)
			}
			st, err := jobdir.ReadState(dir)
			if err != nil || st.Exit.Status != engine.Exited || st.Exit.At.Unix() != 1700000060 || st.StartedAt.Unix() != 1700000000 {
				t.Errorf("recorded %+v, %v", st, err)
			}
		})
	}
}
