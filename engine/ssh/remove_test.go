package ssh

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
	"github.com/hobjobs/hob/internal/jobdir"
)

// However many jobs a host has that no longer exists, a sweep tries to connect once. It removes the
// records of those that ended long ago.
func TestRemoveTriesAnUnreachableHostOnce(t *testing.T) {
	tries := 0
	b := New(withTransports(func(context.Context, string) (shell.Transport, error) {
		tries++
		return nil, errors.New("no route to host")
	}))
	defer b.Close()
	record := func(ended time.Duration) engine.Record {
		dir := t.TempDir()
		if err := jobdir.WriteState(dir, &record.State{HostDir: "/jobs/x-abcde"}); err != nil {
			t.Fatal(err)
		}
		return engine.Record{ID: engine.ID("x-" + dir), Dir: dir, Job: engine.Job{
			Request: engine.Request{Host: "gone"},
			State:   engine.State{Status: engine.Exited, Exit: engine.Exit{At: time.Now().Add(-ended)}},
		}}
	}
	for range 5 {
		if err := b.Remove(t.Context(), record(time.Hour)); !errors.Is(err, engine.ErrUnreachable) {
			t.Errorf("a job that ended an hour ago: %v", err)
		}
	}
	if err := b.Remove(t.Context(), record(40*24*time.Hour)); err != nil {
		t.Errorf("a job that ended 40 days ago: %v", err)
	}
	if tries != 1 {
		t.Errorf("the host was tried %d times", tries)
	}
}
