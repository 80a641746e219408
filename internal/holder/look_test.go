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
	"github.com/hobjobs/hob/internal/proc"
)

func TestLookWithReadErrors(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "job-22222")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	lock, err := jobdir.Lock(dir) // creates the lock file
	if err != nil {
		t.Fatal(err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	unread := &jobdir.ReadError{File: jobdir.StateFile, Err: syscall.EMFILE}
	meta := jobdir.Meta{Version: jobdir.Version, Held: true}
	for name, tc := range map[string]struct {
		first jobdir.Record
		err   error
		want  record.Status
	}{
		"first read":               {jobdir.Record{Meta: meta, ReadErr: unread}, unread, record.Starting},
		"first read, with output":  {jobdir.Record{Meta: meta, ReadErr: unread, Output: 3}, unread, record.Running},
		"only an exit code":        {jobdir.Record{Meta: meta, ReadErr: unread, Code: new(int), Output: 3}, unread, record.Running},
		"second read":              {jobdir.Record{Meta: meta, Started: true, State: begunState()}, nil, record.Running},
		"second read, not started": {jobdir.Record{Meta: meta}, nil, record.Starting},
	} {
		t.Run(name, func(t *testing.T) {
			o, _, _ := lookBy(reads(tc.first, tc.err, func(string) (jobdir.Record, error) { return jobdir.Record{Meta: meta, ReadErr: unread}, unread }), dir)
			if o.Status != tc.want || o.Link != record.LinkUnreachable || o.LinkError != unread.Error() {
				t.Errorf("status %s, link %s, %q", o.Status, o.Link, o.LinkError)
			}
		})
	}
}

// A job without a holder that never ran is lost, and the error says whose death kept it from running.
func TestLookAtJobThatWasNeverStarted(t *testing.T) {
	for name, tc := range map[string]struct {
		asked record.Request
		want  string
	}{
		"starting":           {record.Request{}, "it was never started: the program that was starting it died"},
		"in a queue":         {record.Request{Queue: "builds"}, "it was never started: its supervisor process died while it waited"},
		"behind another job": {record.Request{After: []record.ID{"build-7k2qm"}}, "it was never started: its supervisor process died while it waited"},
	} {
		t.Run(name, func(t *testing.T) {
			rec := jobdir.Record{Meta: jobdir.Meta{Version: jobdir.Version, Held: true, Request: tc.asked}}
			s := unheld(t.TempDir(), &rec)
			if s.Status != record.Lost || s.Exit.Reason != record.ReasonHolderDied || s.Exit.Error != tc.want {
				t.Errorf("%s, %s: %q", s.Status, s.Exit.Reason, s.Exit.Error)
			}
		})
	}
}

// A reboot ends every job without a record of its end, and also one that was queued or being
// started, which has no state.json.
func TestLookAfterReboot(t *testing.T) {
	here := record.State{BootID: proc.BootID()}
	before := record.State{BootID: "an earlier boot"}
	for name, tc := range map[string]struct {
		boot  string // in meta.json
		state *record.State
		queue string
		want  record.Reason
	}{
		"queued":                        {"an earlier boot", nil, "builds", record.ReasonReboot},
		"queued in this boot":           {proc.BootID(), nil, "builds", record.ReasonHolderDied},
		"being started":                 {"an earlier boot", nil, "", record.ReasonReboot},
		"queued, boot not known":        {"", nil, "builds", record.ReasonHolderDied},
		"started":                       {"an earlier boot", &before, "", record.ReasonReboot},
		"started in this boot":          {proc.BootID(), &here, "", record.ReasonHolderDied},
		"queued before, started after":  {"an earlier boot", &here, "builds", record.ReasonHolderDied},
		"started, no boot in meta.json": {"", &before, "", record.ReasonReboot},
	} {
		t.Run(name, func(t *testing.T) {
			rec := jobdir.Record{Meta: jobdir.Meta{Version: jobdir.Version, Held: true, Boot: tc.boot, Request: record.Request{Queue: tc.queue}}}
			if tc.state != nil {
				rec.State, rec.Started = *tc.state, true
			}
			s := unheld(t.TempDir(), &rec)
			if s.Status != record.Lost || s.Exit.Reason != tc.want {
				t.Errorf("%s (%s), want %s", s.Status, s.Exit.Reason, tc.want)
			}
			if tc.want == record.ReasonReboot && s.Exit.Error != "" {
				t.Errorf("its error blames a program: %q", s.Exit.Error)
			}
		})
	}
}

// If a job is moved to the trash between two reads of its records, it is not reported as lost.
func TestLookAtJobRemovedMeanwhile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "job-22222") // was moved
	meta := jobdir.Meta{Version: jobdir.Version, Held: true}
	for name, first := range map[string]jobdir.Record{
		"not started": {Meta: meta},
		"running":     {Meta: meta, Started: true, State: begunState()},
	} {
		t.Run(name, func(t *testing.T) {
			if o, _, err := lookBy(reads(first, nil, jobdir.Read), dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("it is reported as %s: %+v", o.Status, o.Exit)
			}
		})
	}
	if o, err := Look(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a first look it is reported as %s: %+v", o.Status, o.Exit)
	}
}

// reads returns first for the first read, and calls again for further reads.
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
