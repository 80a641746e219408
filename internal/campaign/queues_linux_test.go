package campaign

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/testtool/stage"
)

var queueKills = flag.Int("campaign.kills", 16, "how many processes of queued jobs and of their clients to kill")

// killsOfRound is how many processes are killed in one round, and queuedJobs how many jobs wait then.
const (
	killsOfRound = 20
	queuedJobs   = 50
)

// queuesOfRound are the queues and their slots. Jobs of the last one are also moved.
var queuesOfRound = []struct {
	name  string
	slots int
	moves bool
}{{"one", 1, false}, {"two", 2, false}, {"moved", 2, true}}

// TestQueuesSurviveKills kills holders and clients of queued jobs at random moments. No job may run
// twice or beyond the slots, all others run, in their order. The jobs record their begin and end.
func TestQueuesSurviveKills(t *testing.T) {
	from := *seed
	if from == 0 {
		from = uint64(time.Now().UnixNano())
	}
	t.Logf("-campaign.seed %d", from)
	for n := 0; n*killsOfRound < *queueKills; n++ {
		r := &queueRound{
			world: newWorld(t), rand: rand.New(rand.NewPCG(from, uint64(n))), kills: min(killsOfRound, *queueKills-n*killsOfRound),
			queue: map[string]int{}, order: map[string]int{}, now: map[string]bool{}, started: map[string]bool{},
		}
		r.file = filepath.Join(r.Dir, "record")
		if err := r.play(t); err != nil {
			t.Errorf("round %d: %v", n, err)
		}
	}
}

// queueRound is one set of jobs. Its fields are those of the goroutine of the test.
type queueRound struct {
	*world
	rand  *rand.Rand
	kills int
	file  string // has a line for each begin and end of a job, and before each attempt to end one

	started map[string]bool // names of the jobs whose clients were not killed
	queue   map[string]int  // index of the queue, by name of the job
	order   map[string]int  // place in the queue, by id
	ids     []string        // of the jobs that waited together
	now     map[string]bool // ids that were to start without a slot

	clients sync.WaitGroup
	mu      sync.Mutex // guards the fields below
	waited  []waitedClient
	failed  []error
}

// waitedClient is a client that waited for the end of a job.
type waitedClient struct {
	job  string // id or name
	code int
}

func (r *queueRound) play(t *testing.T) error {
	for _, q := range queuesOfRound {
		r.Must(t, "queue", q.name, "--pause", "--slots", fmt.Sprint(q.slots))
	}
	early := r.kills / 3
	r.startJobs(early)
	if err := r.lineUp(t); err != nil {
		return err
	}
	for i, id := range r.ids {
		if i%5 == 0 {
			r.wait("wait", id)
		}
	}
	for _, q := range queuesOfRound {
		r.Must(t, "queue", q.name, "--resume")
	}
	for range r.kills - early {
		time.Sleep(time.Duration(r.rand.IntN(40)) * time.Millisecond) // the moment of the fault
		r.strike()
	}
	for _, q := range queuesOfRound {
		r.Must(t, "queue", q.name, "--resume")
	}
	return r.judge()
}

// startJobs starts the jobs, and kills some of the clients that do.
func (r *queueRound) startJobs(kills int) {
	slots := make(chan struct{}, 4)
	var back sync.WaitGroup
	for i := range queuedJobs {
		name := fmt.Sprintf("q%d", i)
		r.queue[name] = i % len(queuesOfRound)
		script := fmt.Sprintf("echo begin $HOB_JOB_ID >> %[1]s; sleep 0.0%[2]d; echo end $HOB_JOB_ID >> %[1]s", r.file, 10+r.rand.IntN(50))
		args := []string{"run", "-n", name, "--queue=" + queuesOfRound[r.queue[name]].name, "-c", script}
		if i%7 != 0 {
			args = slices.Insert(args, 1, "-b")
		}
		killed := i*kills/queuedJobs != (i+1)*kills/queuedJobs
		r.started[name] = !killed
		slots <- struct{}{}
		release := func() { <-slots }
		switch {
		case killed:
			delay := time.Duration(r.rand.IntN(80_000)) * time.Microsecond
			back.Go(func() { defer release(); r.killed(delay, args...) })
		case i%7 == 0:
			r.wait(args...)
			release()
		default:
			back.Go(func() { defer release(); r.do(args...) })
		}
	}
	back.Wait()
}

// lineUp waits until all jobs are queued, and takes down their order.
func (r *queueRound) lineUp(t *testing.T) error {
	return stage.Eventually("all jobs are queued", func() bool {
		jobs, err := r.list()
		if err != nil {
			t.Error(err)
		}
		there := 0
		for _, j := range jobs {
			if r.started[j.Name] && j.Status == string(engine.Queued) {
				there++
			}
		}
		for _, ok := range r.started {
			if ok {
				there--
			}
		}
		if there < 0 {
			return false
		}
		r.ids = nil
		for _, q := range r.queues(t) {
			for i, id := range q.Waiting {
				r.order[string(id)] = i
				r.ids = append(r.ids, string(id))
			}
		}
		return true
	})
}

func (r *queueRound) queues(t *testing.T) (queues []engine.Queue) {
	if err := json.Unmarshal([]byte(r.Must(t, "queue", "--json")), &queues); err != nil {
		t.Error(err)
	}
	return queues
}

// strike kills a holder, or a client in the middle of its work.
func (r *queueRound) strike() {
	q := queuesOfRound[r.rand.IntN(len(queuesOfRound))]
	delay := time.Duration(r.rand.IntN(60_000)) * time.Microsecond
	id := r.ids[r.rand.IntN(len(r.ids))]
	switch r.rand.IntN(8) {
	case 0:
		r.killed(delay, "queue", q.name, "--pause")
		r.do("queue", q.name, "--resume")
	case 1:
		r.killed(delay, "queue", q.name, "--slots", fmt.Sprint(1+r.rand.IntN(q.slots)))
		r.do("queue", q.name, "--slots", fmt.Sprint(q.slots))
	case 2:
		r.killed(delay, "wait", id)
	case 3:
		if moved := r.movable(); moved != "" {
			r.killed(delay, "queue", "--first", moved)
		}
	case 4:
		r.now[id] = true
		r.killed(delay, "queue", "--now", id)
	case 5:
		r.record("cut", id)
		r.killed(delay, "kill", id)
	default:
		r.killHolder()
	}
}

// movable returns the id of a job whose order is not checked.
func (r *queueRound) movable() string {
	jobs, err := r.list()
	if err != nil {
		r.fail(err)
	}
	for _, j := range jobs {
		if j.Status == string(engine.Queued) && queuesOfRound[r.queue[j.Name]].moves {
			return j.ID
		}
	}
	return ""
}

// killHolder kills the holder of a job that waits or runs.
func (r *queueRound) killHolder() {
	var holders []process
	for _, p := range r.processes() {
		if filepath.Base(p.args[0]) == proc.HolderName && len(p.args) > 1 && slices.Contains(r.ids, p.args[1]) {
			holders = append(holders, p)
		}
	}
	if len(holders) == 0 {
		return
	}
	p := holders[r.rand.IntN(len(holders))]
	who, err := proc.IdentityOf(p.pid)
	if err != nil {
		return // it has just ended
	}
	r.record("cut", p.args[1])
	_ = proc.Signal(who, syscall.SIGKILL)
}

// record appends a line to the file of the jobs.
func (r *queueRound) record(what, id string) {
	f, err := os.OpenFile(r.file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		_, err = fmt.Fprintf(f, "%s %s\n", what, id)
		f.Close()
	}
	r.fail(err)
}

// killed runs hob and kills it after delay.
func (r *queueRound) killed(delay time.Duration, args ...string) {
	cmd := r.Command(args...)
	if err := cmd.Start(); err != nil {
		r.fail(err)
		return
	}
	time.Sleep(delay) // the moment of the fault
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// do runs hob, which must succeed.
func (r *queueRound) do(args ...string) {
	_, _, err := r.Ask(args...)
	r.fail(err)
}

// wait runs a client that returns when the job that it names last, or with -n, has ended.
func (r *queueRound) wait(args ...string) {
	job := args[len(args)-1]
	if args[0] == "run" {
		job = args[2]
	}
	r.clients.Go(func() {
		cmd := r.Command(args...) // not Ask, which has a time limit: it waits for the whole round
		err := cmd.Run()
		code := cmd.ProcessState.ExitCode()
		if code <= 0 {
			r.fail(err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.waited = append(r.waited, waitedClient{job, code})
	})
}

func (r *queueRound) fail(err error) {
	if err == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = append(r.failed, err)
}
