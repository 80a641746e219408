package engine_test

import (
	"slices"
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
