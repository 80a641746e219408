package jobdir_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
)

// A visible job can be read even before its holder has created the log.
func TestOpenLogBeforeFileExists(t *testing.T) {
	r := newRoot(t)
	_, dir := create(t, r, jobdir.Meta{})
	log, err := jobdir.OpenLog(dir, jobdir.OutputFile)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	p := make([]byte, 10)
	if n, err := log.ReadAt(t.Context(), p, 0); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("read %d, %v of nothing", n, err)
	}
	write(t, filepath.Join(dir, jobdir.OutputFile), "words")
	if size, err := log.Size(t.Context()); size != 5 || err != nil {
		t.Errorf("size %d, %v", size, err)
	}
	if n, err := log.ReadAt(t.Context(), p, 0); string(p[:n]) != "words" || err != nil {
		t.Errorf("read %q, %v", p[:n], err)
	}
	// An open log stays readable.
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if n, err := log.ReadAt(t.Context(), p, 1); string(p[:n]) != "ords" || err != nil {
		t.Errorf("then %q, %v", p[:n], err)
	}
}

func TestOpenDeletedLog(t *testing.T) {
	r := newRoot(t)
	_, dir := create(t, r, jobdir.Meta{})
	if err := jobdir.WriteState(dir, &record.State{StartedAt: time.Now()}); err != nil {
		t.Fatal(err)
	}
	for what, dir := range map[string]string{"deleted": dir, "with its job": r.Dir("nothing-22222")} {
		if log, err := jobdir.OpenLog(dir, jobdir.OutputFile); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v, %v", what, log, err)
		}
	}
}

// The log of a job that was lost before it started is empty.
func TestOpenLogOfUnstartedJob(t *testing.T) {
	r := newRoot(t)
	_, dir := create(t, r, jobdir.Meta{})
	if err := jobdir.Finish(dir, &record.State{Exit: record.Exit{Status: "lost"}}); err != nil {
		t.Fatal(err)
	}
	log, err := jobdir.OpenLog(dir, jobdir.OutputFile)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if size, err := log.Size(t.Context()); size != 0 || err != nil {
		t.Errorf("size %d, %v", size, err)
	}
}

func TestClosedLogStaysClosed(t *testing.T) {
	r := newRoot(t)
	_, dir := create(t, r, jobdir.Meta{})
	log, err := jobdir.OpenLog(dir, jobdir.OutputFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, jobdir.OutputFile), "words")
	if n, err := log.ReadAt(t.Context(), make([]byte, 1), 0); n != 0 || !errors.Is(err, fs.ErrClosed) {
		t.Errorf("read %d, %v", n, err)
	}
}

// For separate streams, the recorded hole is that of stdout.
func TestOpenLogWithHole(t *testing.T) {
	r := newRoot(t)
	_, dir := create(t, r, jobdir.Meta{Request: record.Request{Split: true}})
	if err := jobdir.WriteState(dir, &record.State{Hole: record.Range{Start: 10, End: 30}, HoleLines: 3}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int64{jobdir.StdoutFile: 20, jobdir.StderrFile: 0} {
		write(t, filepath.Join(dir, name), "words")
		log, err := jobdir.OpenLog(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		hole, err := log.Hole(t.Context())
		if hole.Len() != want || err != nil || want > 0 && hole.Lines != 3 {
			t.Errorf("%s: hole %+v, %v", name, hole, err)
		}
		log.Close()
	}
}
