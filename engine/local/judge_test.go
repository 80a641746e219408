//go:build linux || darwin

package local

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/hobjobs/hob/engine"
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
			again := func(string) (jobdir.Record, error) { return jobdir.Record{Meta: meta, Unread: unread}, unread }
			o, _ := New().judgeBy(again, dir, "job-22222", tc.first, tc.err, true)
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
			if o, there := New().judgeBy(jobdir.Read, dir, "job-22222", first, nil, true); there {
				t.Errorf("it is reported as %s: %+v", o.Status, o.Exit)
			}
		})
	}
	if o, there := New().observe(dir, "job-22222", true); there {
		t.Errorf("without a first look it is reported as %s: %+v", o.Status, o.Exit)
	}
}

func started() (st jobdir.State) {
	st.StartedAt = st.StartedAt.AddDate(2000, 0, 0)
	return st
}
