//go:build linux || darwin

package holder

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

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
		want  record.Status
	}{
		"the first look":                 {jobdir.Record{Meta: meta, Unread: unread}, unread, record.Starting},
		"the first look, it has printed": {jobdir.Record{Meta: meta, Unread: unread, Output: 3}, unread, record.Running},
		"a code without the rest":        {jobdir.Record{Meta: meta, Unread: unread, Code: new(int), Output: 3}, unread, record.Running},
		"the second look":                {jobdir.Record{Meta: meta, Started: true, State: begunState()}, nil, record.Running},
		"the second look, before any":    {jobdir.Record{Meta: meta}, nil, record.Starting},
	} {
		t.Run(name, func(t *testing.T) {
			o, _ := lookBy(reads(tc.first, tc.err, func(string) (jobdir.Record, error) { return jobdir.Record{Meta: meta, Unread: unread}, unread }), dir)
			if o.Status != tc.want || o.Link != record.LinkUnreachable || o.LinkError != unread.Error() {
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
		"while it ran":    {Meta: meta, Started: true, State: begunState()},
	} {
		t.Run(name, func(t *testing.T) {
			if o, err := lookBy(reads(first, nil, jobdir.Read), dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("it is reported as %s: %+v", o.Status, o.Exit)
			}
		})
	}
	if o, err := Look(dir); !errors.Is(err, os.ErrNotExist) {
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

func begunState() (st record.State) {
	st.StartedAt = st.StartedAt.AddDate(2000, 0, 0)
	return st
}
