package ui

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobjobs/hob/engine"
)

func queuedJob(id engine.ID, place int) engine.Job {
	j := running("queued-aaaaa", "make", time.Minute)
	j.ID, j.Name, j.Queue = id, string(id), "builds"
	j.State = engine.State{Status: engine.Queued, Link: engine.LinkNone, Pending: &engine.Pending{Name: "builds", Position: place, Reason: "waiting for a slot"}}
	return j
}

// The keys of a queue are shown and work for a queued job only.
func TestQueueActions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 140, 30, &fake{jobs: []engine.Job{queuedJob("late", 2), queuedJob("early", 1), running("dev-aaaaa", "npm run dev", time.Minute)}})
		names := func() []engine.ID {
			var ids []engine.ID
			for _, j := range s.pane.list.Passed() {
				ids = append(ids, j.ID)
			}
			return ids
		}
		if got := names(); !slices.Equal(got, []engine.ID{"dev-aaaaa", "early", "late"}) {
			t.Errorf("order %v", got)
		}
		s.press("g")
		s.seesNot("start now")
		s.press("s")
		s.press("G")
		s.sees("start now")
		s.press("s")
		s.press("B")
		s.press("P")
		s.sees("Queue builds paused")
		s.press("P")
		s.sees("Queue builds resumed")
		var did []string
		for _, call := range s.eng.did() {
			if call != "queues" && !strings.HasPrefix(call, "open-") {
				did = append(did, call)
			}
		}
		want := []string{"now [late]", "first [late]", "set-queue builds {Host: Slots:0 Pause:true Resume:false}", "set-queue builds {Host: Slots:0 Pause:false Resume:true}"}
		if !slices.Equal(did, want) {
			t.Errorf("calls %q", did)
		}
	})
}

// Marked jobs are stopped in one call, so that the engine stops the queued ones first.
func TestMarkedJobsAreStoppedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 140, 30, &fake{jobs: []engine.Job{running("dev-aaaaa", "npm run dev", time.Minute), queuedJob("early", 1)}})
		s.press("g", "space", "space", "x")
		s.calledLast("stop-all 2", "stop early", "stop dev-aaaaa")
	})
}

// The list shows that a queue is paused, after the message about it is gone, and the footer what its key
// does then.
func TestPausedQueueIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 140, 30, &fake{jobs: []engine.Job{queuedJob("early", 1), queuedJob("late", 2)}})
		s.sees("next in builds")
		s.sees("pause queue")
		for i := range s.eng.jobs {
			paused := *s.eng.jobs[i].Pending
			paused.Paused, paused.Reason = true, "the queue is paused"
			s.eng.jobs[i].Pending = &paused
		}
		s = newHarness(t, 140, 30, s.eng)
		s.sees("builds is paused  ")
		s.sees("builds is paused, place 2")
		s.sees("B run next  P resume queue")
	})
}

// A scheduler decides when a job on a cluster starts.
func TestQueueActionsOnACluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := queuedJob("train", 0)
		j.Host, j.Queue, j.Pending = "slurm:login1", "", &engine.Pending{Reason: "Resources", StartsAt: noon.Add(116 * time.Minute)}
		j.Scheduled = engine.Scheduled{ID: "123", Partition: "main"}
		s := newHarness(t, 140, 30, &fake{jobs: []engine.Job{j}})
		s.press("g")
		s.sees("Resources, expected to start in") // in the list
		s.sees("Resources, expected to start in 1h56m, ")
		s.press("2")
		s.sees("cluster   partition main · job 123")
		s.seesNot("start now")
		s.press("s")
		s.sees("queued on a cluster")
		s.press("c")
		s.sees("train is still queued · x stop · d stop and clear")
		if slices.ContainsFunc(s.eng.did(), func(call string) bool { return strings.HasPrefix(call, "now ") }) {
			t.Errorf("calls %q", s.eng.did())
		}
	})
}

// A queued job is not counted as running, and continues to wait after the pane is closed.
func TestQueuedJobsAreCountedApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 140, 30, &fake{jobs: []engine.Job{queuedJob("late", 2), queuedJob("early", 1), running("dev-aaaaa", "npm run dev", time.Minute)}})
		s.sees("1 running")
		s.sees("2 queued")
		if n := s.pane.Running(); n != 3 {
			t.Errorf("%d jobs go on, want 3", n)
		}
	})
}
