package engine_test

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobjobs/hob/engine"
)

// The end of a job may start the next one of its queue, so a running job is only asked to stop when
// those in queues have ended.
func TestStopAllStopsQueuedJobsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, f := withFake(t)
		dev := start(t, e, engine.Spec{})
		early := start(t, e, engine.Spec{Grace: time.Second})
		f.Job(early.ID).Stubborn()
		early.Status = engine.Queued
		var mu sync.Mutex
		var ended []engine.ID
		jobs := []engine.Job{dev, early}
		e.StopAll(t.Context(), jobs, engine.StopOptions{}, func(i int, r engine.StopReport, err error) {
			mu.Lock()
			defer mu.Unlock()
			if ended = append(ended, jobs[i].ID); err != nil {
				t.Errorf("%s: %v", jobs[i].ID, err)
			}
			if r.Escalated != (jobs[i].ID == early.ID) {
				t.Errorf("%s: report %+v", jobs[i].ID, r)
			}
			if jobs[i].ID == early.ID && len(f.Job(dev.ID).Stops()) > 0 {
				t.Error("the running job was asked to stop before the queued one had ended")
			}
		})
		if want := []engine.ID{early.ID, dev.ID}; !slices.Equal(ended, want) {
			t.Errorf("reported %v, want %v", ended, want)
		}
	})
}

// A job that uses its grace period does not delay the report about another one.
func TestStopAllReportsEachJobWhenItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, f := withFake(t)
		slow, quick := start(t, e, engine.Spec{Grace: time.Hour}), start(t, e, engine.Spec{})
		f.Job(slow.ID).Stubborn()
		reported := make(chan int, 2)
		go e.StopAll(t.Context(), []engine.Job{slow, quick}, engine.StopOptions{}, func(i int, _ engine.StopReport, _ error) { reported <- i })
		synctest.Wait()
		if len(reported) != 1 || <-reported != 1 {
			t.Error("the job that ended was not reported")
		}
		if i := <-reported; i != 0 {
			t.Errorf("job %d was reported twice", i)
		}
	})
}

// What nothing running depends on is stopped at once, then the next level.
func TestStopAllByLevels(t *testing.T) {
	job := func(name, needs string) engine.Spec {
		return engine.Spec{Name: name, Labels: map[string]string{"project": "/shop", "process": name, engine.NeedsLabel: needs}}
	}
	other := job("web", "db")
	other.Labels["project"] = "/other"
	for name, tt := range map[string]struct {
		jobs  []engine.Spec
		grace time.Duration
		want  string
	}{
		"independent":   {jobs: []engine.Spec{job("a", ""), job("b", "")}, want: "a b"},
		"a chain":       {jobs: []engine.Spec{job("db", ""), job("api", "db"), job("web", "api")}, want: "web | api | db"},
		"with blanks":   {jobs: []engine.Spec{job("the db", ""), job("api", "'the db'")}, want: "api | the db"},
		"not running":   {jobs: []engine.Spec{job("api", "db"), job("web", "")}, want: "api web"},
		"a circle":      {jobs: []engine.Spec{job("a", "b"), job("b", "a"), job("c", "a")}, want: "c | a b"},
		"other project": {jobs: []engine.Spec{job("db", ""), other}, want: "db web"},
		"kill":          {jobs: []engine.Spec{job("db", ""), job("api", "db")}, grace: engine.KillNow, want: "api db"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, f := withFake(t)
				var jobs []engine.Job
				for _, spec := range tt.jobs {
					spec.Grace = time.Second
					j := start(t, e, spec)
					f.Job(j.ID).Stubborn() // each level takes a second
					jobs = append(jobs, j)
				}
				began := time.Now()
				var mu sync.Mutex
				levels := map[time.Duration][]string{}
				e.StopAll(t.Context(), jobs, engine.StopOptions{Grace: tt.grace}, func(i int, _ engine.StopReport, err error) {
					mu.Lock()
					defer mu.Unlock()
					if err != nil {
						t.Error(err)
					}
					at := time.Since(began)
					levels[at] = append(levels[at], jobs[i].Name)
				})
				var texts []string
				for _, at := range slices.Sorted(maps.Keys(levels)) {
					slices.Sort(levels[at])
					texts = append(texts, strings.Join(levels[at], " "))
				}
				if got := strings.Join(texts, " | "); got != tt.want {
					t.Errorf("stopped %s, want %s", got, tt.want)
				}
			})
		})
	}
}
