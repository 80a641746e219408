package campaign

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/testtool/stage"
)

var (
	waitingJobs = flag.Int("campaign.queued", 60, "how many jobs wait in one queue")
	runningJobs = flag.Int("campaign.running", 12, "how many jobs run beside finished ones")
	endedJobs   = flag.Int("campaign.finished", 60, "how many jobs have finished beside those that run")
)

// startAll starts n jobs, four at a time, with the arguments of hob run that args returns. It returns
// their ids.
func (w *world) startAll(t *testing.T, n int, args func(i int) []string) []string {
	t.Helper()
	t.Cleanup(func() { // what a failed test leaves
		for _, p := range w.processes() {
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
	})
	ids := make([]string, n)
	errs := make(chan error, n)
	slots := make(chan struct{}, 4)
	var back sync.WaitGroup
	for i := range ids {
		slots <- struct{}{}
		back.Go(func() {
			defer func() { <-slots }()
			out, _, err := w.Ask(append([]string{"run", "-b"}, args(i)...)...)
			ids[i] = strings.TrimSpace(out)
			errs <- err
		})
	}
	back.Wait()
	for range n {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
	return ids
}

// status returns the status of each listed job.
func (w *world) status(t *testing.T) map[string]string {
	t.Helper()
	jobs, err := w.list()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, j := range jobs {
		got[j.ID] = j.Status
		if j.Code != nil {
			got[j.ID] += fmt.Sprint(" ", *j.Code)
		}
	}
	return got
}

// TestManyQueuedJobs lets many jobs wait in one queue. A part of them runs, one at a time and in their
// order; then all are killed. None may run twice, after its kill or out of turn.
func TestManyQueuedJobs(t *testing.T) {
	w := newWorld(t)
	record := filepath.Join(w.Dir, "record")
	w.Must(t, "queue", "many", "--pause", "--slots", "1")
	ids := w.startAll(t, *waitingJobs, func(int) []string {
		return []string{"--queue=many", "-c", "echo $HOB_JOB_ID >> " + record}
	})
	order := w.order(t)
	if got, want := sorted(order), sorted(ids); !slices.Equal(got, want) {
		t.Fatalf("the queue has %d jobs, started were %d", len(got), len(want))
	}
	for id, status := range w.status(t) {
		if status != "queued" {
			t.Errorf("%s is %s", id, status)
		}
	}
	var memory int64
	holders := w.processes()
	for _, p := range holders {
		memory += resident(t, p.pid)
	}
	if len(holders) != len(ids) {
		t.Errorf("%d processes for %d jobs: %v", len(holders), len(ids), holders)
	}
	t.Logf("%d KiB for each job that waits", memory/1024/int64(max(1, len(holders))))
	for _, command := range []string{"list", "queue"} {
		cmd := w.Command(command)
		if err := cmd.Run(); err != nil {
			t.Error(err)
		}
		t.Logf("hob %s: %v of processor time", command, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	}

	w.Must(t, "queue", "many", "--resume")
	ran := func() []string {
		data, _ := os.ReadFile(record) // created by the first job
		return strings.Fields(string(data))
	}
	for n := 0; n < len(ids)/5; n = len(ran()) {
		if err := stage.Eventually("the next one runs", func() bool { return len(ran()) > n }); err != nil {
			t.Fatal(err)
		}
	}
	w.killAll(t, order)
	if err := stage.Eventually("no process is left", func() bool { return len(w.processes()) == 0 }); err != nil {
		t.Error(err, len(w.processes()))
	}
	w.judgeKilled(t, order, ran())
}

// judgeKilled checks the ends of jobs that were killed while they ran in their order.
func (w *world) judgeKilled(t *testing.T, order, begun []string) {
	t.Helper()
	if len(begun) == len(order) {
		t.Log("all ran before they could be killed")
	}
	got := w.status(t)
	for _, id := range order {
		ran := len(begun) > 0 && begun[0] == id
		if ran {
			begun = begun[1:]
		}
		switch status := got[id]; {
		case ran && status == "exited 0":
		case strings.HasPrefix(status, "killed"):
		default:
			t.Errorf("%s is %q; ran: %v", id, status, ran)
		}
	}
	if len(begun) > 0 {
		t.Errorf("ran twice or out of turn: %v of %v", begun, order)
	}
}

// killAll kills the jobs that have not ended, last first, with as many ids in a command as it takes.
func (w *world) killAll(t *testing.T, ids []string) {
	t.Helper()
	ids = slices.Clone(ids)
	slices.Reverse(ids)
	for some := range slices.Chunk(ids, 500) {
		_, code, err := w.Ask(append([]string{"kill"}, some...)...)
		if err != nil && (code == 0 || strings.Count(err.Error(), "has already ended") == 0) {
			t.Error(err) // those that have ended are reported
		}
	}
}

// order returns the jobs of the queue in which all wait.
func (w *world) order(t *testing.T) (ids []string) {
	t.Helper()
	r := queueRound{world: w}
	for _, q := range r.queues(t) {
		for _, id := range q.Waiting {
			ids = append(ids, string(id))
		}
	}
	return ids
}

func sorted(s []string) []string {
	s = slices.Clone(s)
	slices.Sort(s)
	return s
}

// TestRunningBesideFinished has jobs run beside many that have finished. Every list has all of them,
// with the right states; a UI shows the ones that run; a poll reads each one's new output.
func TestRunningBesideFinished(t *testing.T) {
	w := newWorld(t)
	over := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() { w.keepListing(t, over) })
	want := map[string]string{}
	for i, id := range w.startAll(t, *endedJobs, func(i int) []string { return []string{"-n", "ended", "-c", fmt.Sprint("exit ", i%5)} }) {
		want[id] = fmt.Sprint("exited ", i%5)
	}
	running := w.startAll(t, *runningJobs, func(int) []string { return []string{"-n", "runs", "-c", "read x; echo got $x; read y"} })
	for _, id := range running {
		want[id] = "running"
	}
	if err := stage.Eventually("all are listed", func() bool { return maps.Equal(w.status(t), want) }); err != nil {
		t.Error(err)
	}
	ui, err := show(w.Command())
	if err != nil {
		t.Fatal(err)
	}
	all, some := fmt.Sprintf(" of %d ", len(want)), fmt.Sprintf(" %d jobs keep running", len(running))
	counted := func() bool { shown := ui.text(); return strings.Contains(shown, all) && strings.Contains(shown, some) }
	if err := stage.Eventually("the UI counts the jobs", counted); err != nil {
		t.Errorf("%v\n%s", err, ui.text())
	}
	w.pollAll(t, running)
	ui.kill()
	ui.close()
	<-ui.ended
	for some := range slices.Chunk(running, 100) {
		w.Must(t, append([]string{"kill"}, some...)...)
	}
	close(over)
	watch.Wait()
	for id, status := range w.status(t) {
		if was := want[id]; was == "" || was != status && was != "running" || was == "running" && !strings.HasPrefix(status, "killed") {
			t.Errorf("%s is %s, was %q", id, status, was)
		}
	}
	if err := stage.Eventually("no process is left", func() bool { return len(w.processes()) == 0 }); err != nil {
		t.Error(err, w.processes())
	}
}

// pollAll writes a line to each job, from one program, and polls the answer.
func (w *world) pollAll(t *testing.T, ids []string) {
	t.Helper()
	t.Setenv("XDG_RUNTIME_DIR", w.Runtime)
	e, err := engine.New(engine.WithStateDir(w.State), engine.WithClient("test"), engine.WithBackend(local.New()))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for i, id := range ids {
		h := e.Handle(engine.ID(id))
		if err := h.Write(t.Context(), fmt.Appendf(nil, "%d\n", i)); err != nil {
			t.Errorf("write to %s: %v", id, err)
			continue
		}
		var got strings.Builder
		want := fmt.Sprintf("got %d\r\n", i)
		for !strings.Contains(got.String(), want) {
			p, err := h.Poll(t.Context(), engine.PollOptions{Wait: stage.Patience})
			if err != nil || p.Job.Status != engine.Running {
				t.Errorf("%s: %v, %v: %q, want %q", id, p.Job.Status, err, got.String(), want)
				break
			}
			got.Write(p.Output)
		}
	}
	holders := func() (left []string) {
		for _, p := range w.processes() {
			if filepath.Base(p.args[0]) == proc.HolderName {
				left = append(left, p.String())
			}
		}
		return left
	}
	// A holder is still there for a moment when the end of its job is known.
	err = stage.Eventually("each running job has a holder", func() bool { return len(holders()) == len(ids) })
	if err != nil {
		t.Errorf("%v: %d holders for %d jobs: %v", err, len(holders()), len(ids), holders())
	}
}
