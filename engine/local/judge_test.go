//go:build linux || darwin

package local

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
)

func TestWhatCannotBeReadIsNotJudged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "job-22222")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	lock, err := jobdir.Lock(dir) // its holder has had it
	if err != nil {
		t.Fatal(err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	unread := &jobdir.UnreadError{File: jobdir.StateFile, Err: syscall.EMFILE}
	meta := jobdir.Meta{Version: jobdir.Version, Held: true}
	for name, tc := range map[string]struct {
		first jobdir.Record
		err   error
		want  engine.Status
	}{
		"the first look":                 {jobdir.Record{Meta: meta, Unread: unread}, unread, engine.Starting},
		"the first look, it has printed": {jobdir.Record{Meta: meta, Unread: unread, Output: 3}, unread, engine.Running},
		"a code without the rest":        {jobdir.Record{Meta: meta, Unread: unread, Code: new(int), Output: 3}, unread, engine.Running},
		"the second look":                {jobdir.Record{Meta: meta, Started: true, State: started()}, nil, engine.Running},
		"the second look, before any":    {jobdir.Record{Meta: meta}, nil, engine.Starting},
	} {
		t.Run(name, func(t *testing.T) {
			o, _ := observeBy(reads(tc.first, tc.err, func(string) (jobdir.Record, error) { return jobdir.Record{Meta: meta, Unread: unread}, unread }), dir)
			if o.Status != tc.want || o.Link != engine.LinkUnreachable || o.LinkError != unread.Error() {
				t.Errorf("status %s, link %s, %q", o.Status, o.Link, o.LinkError)
			}
		})
	}
}

// A record that moves to the trash between two looks at it is not that of a job whose
// holder died.
func TestAJobThatIsRemovedMeanwhileIsNotJudged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "job-22222") // moved away
	meta := jobdir.Meta{Version: jobdir.Version, Held: true}
	for name, first := range map[string]jobdir.Record{
		"before it began": {Meta: meta},
		"while it ran":    {Meta: meta, Started: true, State: started()},
	} {
		t.Run(name, func(t *testing.T) {
			if o, there := observeBy(reads(first, nil, jobdir.Read), dir); there {
				t.Errorf("it is reported as %s: %+v", o.Status, o.Exit)
			}
		})
	}
	if o, there := observe(dir); there {
		t.Errorf("without a first look it is reported as %s: %+v", o.Status, o.Exit)
	}
}

// reads reads first, and then what again reads.
func reads(first jobdir.Record, err error, again func(string) (jobdir.Record, error)) func(string) (jobdir.Record, error) {
	n := 0
	return func(dir string) (jobdir.Record, error) {
		if n++; n > 1 {
			return again(dir)
		}
		return first, err
	}
}

func started() (st record.State) {
	st.StartedAt = st.StartedAt.AddDate(2000, 0, 0)
	return st
}
