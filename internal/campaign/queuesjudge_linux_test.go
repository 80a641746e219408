package campaign

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/hobjobs/hob/internal/testtool/stage"
)

// ran is what a round's file has about a job: the line numbers of its start, of its end, and of the
// first attempt to stop it.
type ran struct{ begin, end, cut int }

// judge waits until all jobs have ended, and compares what hob reports with what they recorded.
func (r *queueRound) judge() error {
	var jobs []job
	err := stage.Eventually("all jobs have ended", func() bool {
		var err error
		jobs, err = r.list()
		r.fail(err)
		for _, j := range jobs {
			if !j.finished() {
				return false
			}
		}
		return true
	})
	if err != nil {
		out, _, _ := r.Ask("queue", "--json")
		return fmt.Errorf("%w: %v\n%s\n%v", err, jobs, out, r.processes())
	}
	r.clients.Wait()
	lines, err := os.ReadFile(r.file)
	r.fail(err)
	told := map[string]*ran{}
	of := func(id string) *ran {
		if told[id] == nil {
			told[id] = &ran{}
		}
		return told[id]
	}
	byRef := map[string]job{}
	for _, j := range jobs {
		byRef[j.ID], byRef[j.Name] = j, j
	}
	running := make([]map[string]bool, len(queuesOfRound))
	for i := range running {
		running[i] = map[string]bool{}
	}
	var begun []string
	for n, line := range strings.Split(strings.TrimSuffix(string(lines), "\n"), "\n") {
		what, id, _ := strings.Cut(line, " ")
		q := r.queue[byRef[id].Name]
		switch w := of(id); what {
		case "begin":
			if w.begin > 0 {
				r.fail(fmt.Errorf("%s ran twice", id))
			}
			if w.begin = n + 1; w.cut > 0 {
				break
			}
			if slots := queuesOfRound[q].slots; !r.now[id] && len(running[q]) >= slots {
				r.fail(fmt.Errorf("%s began beside %v, for %d slots", id, running[q], slots))
			}
			running[q][id] = true
			begun = append(begun, id)
		case "end":
			w.end = n + 1
			delete(running[q], id)
		case "cut":
			if w.cut == 0 {
				w.cut = n + 1
			}
			delete(running[q], id)
		default:
			r.fail(fmt.Errorf("unknown line %q", line))
		}
	}
	for _, j := range jobs {
		r.fail(r.verdict(j, *of(j.ID)))
	}
	for _, c := range r.waited {
		want := 125
		if code := byRef[c.job].Code; code != nil {
			want = *code
		}
		if c.code != want {
			r.fail(fmt.Errorf("a client that waited for %s ended with %d: %v", c.job, c.code, byRef[c.job]))
		}
	}
	r.checkOrder(begun, told, byRef)
	r.checkQueues()
	if len(r.failed) > 0 {
		return fmt.Errorf("%w\n%s", errors.Join(r.failed...), lines)
	}
	return nil
}

// verdict checks the end of one job.
func (r *queueRound) verdict(j job, w ran) error {
	switch {
	case j.Status == "exited" && *j.Code == 0 && w.end > 0:
	case j.Status == "killed" && w.cut > 0 && (j.Code != nil || w.begin == 0):
	case j.Status == "lost" && (w.cut > 0 || !r.started[j.Name] && w.begin == 0):
	default:
		return fmt.Errorf("%v, but the job says %+v", j, w)
	}
	return nil
}

// checkOrder checks that the jobs of a queue began in its order. Those that have slots at the same time
// may begin in any order.
func (r *queueRound) checkOrder(begun []string, told map[string]*ran, byRef map[string]job) {
	for i, id := range begun {
		q := r.queue[byRef[id].Name]
		if queuesOfRound[q].moves || r.now[id] {
			continue
		}
		var passed []string
		for _, later := range begun[i+1:] {
			if r.queue[byRef[later].Name] == q && r.order[later] < r.order[id] && !r.now[later] && told[later].cut == 0 {
				passed = append(passed, later)
			}
		}
		if slots := queuesOfRound[q].slots; len(passed) >= slots {
			r.fail(fmt.Errorf("%s began before %v, for %d slots", id, passed, slots))
		}
	}
}

// checkQueues checks that nothing is left in the queues, and no process.
func (r *queueRound) checkQueues() {
	for _, q := range queuesOfRound {
		want, out := fmt.Sprintf(`{"name":%q,"slots":%d,"paused":false,"running":[],"waiting":[]}`, q.name, q.slots), ""
		err := stage.Eventually(want, func() bool { // a holder leaves the queue after it has recorded the end
			var err error
			out, _, err = r.Ask("queue", "--json")
			return err == nil && strings.Contains(out, want)
		})
		if err != nil {
			r.fail(fmt.Errorf("%w: %s", err, out))
		}
	}
	var left []process
	if err := stage.Eventually("no process is left", func() bool { left = r.processes(); return len(left) == 0 }); err != nil {
		r.fail(fmt.Errorf("%w: %v", err, left))
	}
}
