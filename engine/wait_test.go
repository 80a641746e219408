package engine_test

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
)

// When an end is reported, exit_code exists, although it is written after the file that the end is
// read from.
func TestWaitReturnsAfterEndIsFullyRecorded(t *testing.T) {
	for name, ask := range map[string]func(*testing.T, *engine.Engine, engine.ID) engine.Exit{
		"wait": func(t *testing.T, e *engine.Engine, id engine.ID) engine.Exit {
			exit, err := e.Handle(id).Wait(t.Context())
			if err != nil {
				t.Error(err)
			}
			return exit
		},
		"get": func(t *testing.T, e *engine.Engine, id engine.ID) engine.Exit {
			j, err := e.Handle(id).Facts(t.Context())
			if err != nil {
				t.Error(err)
			}
			return j.Exit
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, _ := withFake(t)
				id := start(t, e, engine.Spec{}).ID // the fake holds its lock
				dir := filepath.Join(e.StateDir(), "jobs", string(id))
				st, err := jobdir.ReadState(dir)
				if err != nil {
					t.Fatal(err)
				}
				want := 7
				st.Exit = record.Exit{At: time.Now(), Status: "exited", Reason: "exit", Code: &want}
				if err := jobdir.WriteState(dir, &st); err != nil {
					t.Fatal(err)
				}
				go func() {
					time.Sleep(100 * time.Millisecond)
					if err := jobdir.WriteExitCode(dir, want); err != nil {
						t.Error(err)
					}
				}()
				if exit := ask(t, e, id); code(t, exit) != want {
					t.Errorf("exit %+v", exit)
				}
				if got, ok := jobdir.ReadExitCode(dir); !ok || got != want {
					t.Errorf("exit_code is %d, %v", got, ok)
				}
			})
		})
	}
}
