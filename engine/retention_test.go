package engine

import (
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

// finishedHere creates a job that has ended on this machine in this boot.
func (e *Engine) finishedHere(t *testing.T, end record.Exit) (id string) {
	t.Helper()
	m := jobdir.Meta{Request: record.Request{ClientMachine: e.here.machine, CreatedAt: end.At, Kind: KindFile, Backend: "local"}}
	dir, err := e.root.Create(&m, "job", nil)
	if err != nil {
		t.Fatal(err)
	}
	st := record.State{Machine: e.here.machine, BootID: e.here.boot, PIDNS: e.here.pidns, StartedAt: end.At, Exit: end}
	if err := jobdir.Finish(dir, &st); err != nil {
		t.Fatal(err)
	}
	return string(m.ID)
}

// Being in the index does not extend a job's retention.
func TestRetentionOfIndexedJobs(t *testing.T) {
	e, err := New(WithStateDir(t.TempDir()), WithRetention(Retention{Age: -1, Count: 1, Bytes: -1, TrashAge: -1}))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	code := 0
	ended := func(ago time.Duration) record.Exit {
		return record.Exit{
			At: time.Now().Add(-ago), Status: Exited, Reason: ReasonExit, Code: &code,
			SinceBoot: record.InMilliseconds(proc.SinceBoot() - ago),
		}
	}
	e.finishedHere(t, ended(2*time.Second))
	last := e.finishedHere(t, ended(time.Second))
	if jobs, err := e.List(t.Context(), Filter{}); err != nil || len(jobs) != 2 || e.root.Index().Len() != 2 {
		t.Fatalf("%d jobs, %d of them in the index, %v", len(jobs), e.root.Index().Len(), err)
	}
	if err := e.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	ids, err := e.root.IDs()
	if err != nil || len(ids) != 1 || ids[0] != last {
		t.Errorf("kept %v, want %s; %v", ids, last, err)
	}
}
