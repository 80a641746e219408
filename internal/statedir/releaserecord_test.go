//go:build unix

package statedir

import (
	"context"
	"syscall"
	"testing"

	"github.com/hobjobs/hob/internal/jobdir"
)

// The records name the job's host, from which its files must be removed first.
func TestReleaseRecord(t *testing.T) {
	asked := 0
	release := func(context.Context, *jobdir.Record, string) error { asked++; return nil }
	short := &jobdir.ReadError{File: jobdir.MetaFile, Err: syscall.EMFILE}
	forbidden := &jobdir.ReadError{File: jobdir.StateFile, Err: syscall.EACCES}
	for _, tc := range []struct {
		name          string
		rec           jobdir.Record
		err           error
		releaseRecord bool
		asked         int
	}{
		{"too many open files", jobdir.Record{ReadErr: short}, short, false, 0},
		{"permission denied", jobdir.Record{ReadErr: forbidden}, forbidden, true, 1},
		{"no job", jobdir.Record{}, jobdir.ErrNoMeta, true, 0},
		{"a job", jobdir.Record{}, nil, true, 1},
	} {
		asked = 0
		if got := releaseRecord(t.Context(), &tc.rec, tc.err, "dir", release) == nil; got != tc.releaseRecord || asked != tc.asked {
			t.Errorf("%s: released %v, asked %d times; want %v, %d", tc.name, got, asked, tc.releaseRecord, tc.asked)
		}
	}
}
