package joblist_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/joblist"
)

// What ended last comes first among the jobs that ended, whenever it began.
func TestEndedJobsAreInTheOrderOfTheirEnd(t *testing.T) {
	list := newList(60, 20, themes.Unicode())
	put := func(id string, began, ended time.Duration, code int, seen bool) {
		at := now.Add(-began)
		list.Put(joblist.Row{Job: engine.Job{
			Seen:    seen,
			Request: engine.Request{ID: engine.ID(id), Name: id, CreatedAt: at},
			State: engine.State{Status: engine.Exited, StartedAt: at, Exit: engine.Exit{
				Status: engine.Exited, Code: &code, Reason: engine.ReasonExit, At: now.Add(-ended),
			}},
		}})
	}
	put("build", 10*time.Minute, 9*time.Minute, 0, false)
	put("repl", 30*time.Minute, time.Minute, 0, false)
	put("seen", 20*time.Minute, 5*time.Minute, 1, true)
	put("unseen", 50*time.Minute, 40*time.Minute, 1, false)
	if diff := cmp.Diff([]string{"unseen", "repl", "seen", "build"}, shownIDs(list)); diff != "" {
		t.Error(diff)
	}
	put("unseen", 50*time.Minute, 40*time.Minute, 1, true)
	if got := shownIDs(list); got[0] != "unseen" {
		t.Errorf("seeing it moved the row: %v", got)
	}
}

func TestRestartTakesTheRowOfTheEarlierRun(t *testing.T) {
	list := newList(60, 20, themes.Unicode())
	put := func(id, from string, ago time.Duration) {
		list.Put(joblist.Row{Job: engine.Job{
			Request: engine.Request{ID: engine.ID(id), Name: id, CreatedAt: now.Add(-ago), RestartedFrom: engine.ID(from)},
			State:   engine.State{Status: engine.Running, StartedAt: now.Add(-ago)},
		}})
	}
	put("web", "", 3*time.Hour)
	put("db", "", 2*time.Hour)
	put("api", "", time.Hour)
	put("db2", "db", time.Minute)
	if diff := cmp.Diff([]string{"api", "db2", "db", "web"}, shownIDs(list)); diff != "" {
		t.Error(diff)
	}
}
