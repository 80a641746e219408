package campaign

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hobjobs/hob/internal/testtool/stage"
)

var (
	rounds = flag.Int("campaign.rounds", 20, "how many jobs to start and to strike")
	seed   = flag.Uint64("campaign.seed", 0, "what the plans are drawn from (0: the time)")
	only   = flag.Int("campaign.only", -1, "play this round alone")
	lanes  = flag.Int("campaign.lanes", 4, "how many rounds to play at once")
)

// manyRounds is from how many rounds on a campaign has time to wait.
const manyRounds = 100

func TestCampaign(t *testing.T) {
	w := newWorld(t)
	from := *seed
	if from == 0 {
		from = uint64(time.Now().UnixNano())
	}
	t.Logf("-campaign.seed %d", from)

	over := make(chan struct{})
	var watch, players sync.WaitGroup
	watch.Go(func() { w.keepListing(t, over) })
	var next atomic.Int64
	for range *lanes {
		players.Go(func() {
			for {
				n := int(next.Add(1)) - 1
				if n >= *rounds && n > *only {
					return
				}
				if *only < 0 || n == *only {
					playRound(t, w, newPlan(from, n))
				}
			}
		})
	}
	players.Wait()
	close(over)
	watch.Wait()
	w.leavesNothing(t)
}

func playRound(t *testing.T, w *world, p plan) {
	r := &round{plan: p, world: w, dir: filepath.Join(filepath.Dir(w.State), p.name)}
	err := os.Mkdir(r.dir, 0o700)
	if err == nil {
		err = r.play()
	}
	if err == nil {
		err = r.judge()
	}
	if err != nil {
		t.Errorf("round %s, %v:\n%v", p.name, p, err)
	}
	if r.left != nil {
		r.end()
	}
}

// keepListing lists the jobs until over is closed: that must always work, and an end, once
// reported, must not change.
func (w *world) keepListing(t *testing.T, over <-chan struct{}) {
	told := map[string]string{}
	for {
		jobs, err := w.list()
		if err != nil {
			t.Error(err)
		}
		for _, j := range jobs {
			if (j.Status == "exited") != (j.Code != nil && j.Status != "killed" && j.Status != "failed") || j.Status == "lost" && j.Code != nil {
				t.Errorf("status and code do not agree: %v", j)
			}
			if !j.finished() {
				if before, ok := told[j.ID]; ok {
					t.Errorf("back from the dead: %v, was %s", j, before)
				}
				continue
			}
			end := fmt.Sprint(j.Status, text(j.Reason), text(j.Signal), text(j.Code))
			if before, ok := told[j.ID]; ok && before != end {
				t.Errorf("the end changed from %s to %s", before, end)
			}
			told[j.ID] = end
		}
		select {
		case <-over:
			return
		case <-time.After(30 * time.Millisecond):
		}
	}
}

func text[T any](p *T) string {
	if p == nil {
		return " -"
	}
	return fmt.Sprint(" ", *p)
}

// leavesNothing checks the state after the last round: no process, no running job, and no socket
// once the jobs are cleared.
func (w *world) leavesNothing(t *testing.T) {
	var left []process
	if err := stage.Eventually("no process is left", func() bool { left = w.processes(); return len(left) == 0 }); err != nil {
		t.Errorf("%v: %v", err, left)
	}
	// A long campaign waits for those that never started.
	isOver := func(j job) bool { return j.finished() || j.Status == "starting" && *rounds < manyRounds }
	err := stage.Eventually("all jobs are over", func() bool {
		jobs, err := w.list()
		if err != nil {
			t.Error(err)
		}
		return !slices.ContainsFunc(jobs, func(j job) bool { return !isOver(j) })
	})
	if err != nil {
		t.Error(err)
	}
	if _, _, err := w.Ask("clear", "--finished"); err != nil {
		t.Error(err)
	}
	jobs, err := w.list()
	if jobs = slices.DeleteFunc(jobs, isOver); err != nil || len(jobs) > 0 {
		t.Errorf("after clear --finished: %v, %v", jobs, err)
	}
	if found := w.sockets(); len(found) > 0 {
		t.Errorf("sockets left: %v", found)
	}
}
