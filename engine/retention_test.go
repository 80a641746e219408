package engine

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

// finishedHere makes a job that has ended on this machine in this boot.
func (e *Engine) finishedHere(t *testing.T, end jobdir.End) (id string) {
	t.Helper()
	m := jobdir.Meta{Machine: e.here.machine, CreatedAt: end.At, Kind: string(KindFile), Backend: "local"}
	dir, err := e.root.Create(&m, "job", nil)
	if err != nil {
		t.Fatal(err)
	}
	st := jobdir.State{Machine: e.here.machine, BootID: e.here.boot, PIDNS: e.here.pidns, StartedAt: end.At, End: &end}
	if err := jobdir.Finish(dir, &st); err != nil {
		t.Fatal(err)
	}
	return m.ID
}

// A job that a list has read once is in the index, and is to be kept no longer for
// that.
func TestRetentionOfWhatIsInTheIndex(t *testing.T) {
	e, err := New(WithStateDir(t.TempDir()), WithRetention(Retention{Age: -1, Count: 1, Bytes: -1, TrashAge: -1}))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	code := 0
	ended := func(ago time.Duration) jobdir.End {
		return jobdir.End{
			At: time.Now().Add(-ago), Status: string(Exited), Reason: string(ReasonExit), Code: &code,
			BootMS: (proc.SinceBoot() - ago).Milliseconds(),
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

// A program that does not know what is to be kept deletes nothing.
func TestWithoutSweep(t *testing.T) {
	for _, tt := range []struct {
		name string
		opts []Option
		kept int
	}{{"with", nil, 1}, {"without", []Option{WithoutSweep()}, 2}} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := New(append(tt.opts, WithStateDir(t.TempDir()), WithRetention(Retention{Age: -1, Count: 1, Bytes: -1, TrashAge: -1}))...)
			if err != nil {
				t.Fatal(err)
			}
			code := 0
			for range 2 {
				e.finishedHere(t, jobdir.End{At: time.Now(), Status: string(Exited), Reason: string(ReasonExit), Code: &code, BootMS: proc.SinceBoot().Milliseconds()})
			}
			e.sweepSometimes()
			if err := e.Close(); err != nil { // waits for it
				t.Fatal(err)
			}
			entries, err := os.ReadDir(e.root.Jobs())
			if err != nil {
				t.Fatal(err)
			}
			jobs := slices.DeleteFunc(entries, func(d os.DirEntry) bool { return d.Name()[0] == '.' })
			if len(jobs) != tt.kept {
				t.Errorf("%d jobs are kept, want %d", len(jobs), tt.kept)
			}
		})
	}
}
