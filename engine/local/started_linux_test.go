package local

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
)

// A job that its holder was asked for is there if that holds it, which is known at once;
// if the holder has died it depends on whether it ever held the job.
func TestStarted(t *testing.T) {
	for _, tt := range []struct {
		name             string
		held, everHeld   bool
		started, removed bool
	}{
		{name: "its holder lives", held: true, started: true},
		{name: "its holder has died", everHeld: true, started: true},
		{name: "it was never held", removed: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "jobs", "a-23456")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			lock, err := jobdir.Lock(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer lock.Close()
			if !tt.held {
				lock.Close()
			}
			if tt.everHeld {
				if err := os.WriteFile(filepath.Join(dir, jobdir.OutputFile), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				if got := Started(dir); got != tt.started {
					t.Errorf("started: %v", got)
				}
				if waited := time.Since(begun); waited != 0 {
					t.Errorf("it waited for %v", waited)
				}
			})
			if _, err := os.Stat(dir); os.IsNotExist(err) != tt.removed {
				t.Errorf("the directory: %v", err)
			}
			if _, err := jobdir.ReadState(dir); (err == nil) != tt.everHeld {
				t.Errorf("what is known of it: %v", err)
			}
		})
	}
}
