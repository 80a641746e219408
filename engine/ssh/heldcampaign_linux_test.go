package ssh

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

var (
	campaignJobs = flag.Int("ssh.jobs", 12, "how many jobs run on the host of the campaign")
	campaignSeed = flag.Uint64("ssh.seed", 0, "seed of the campaign's faults; 0: another one each time")
)

// campaign is a host whose connections break, whose programs and holders disappear, whose disk fills, and which
// starts again, while two clients use it.
type campaign struct {
	*rig
	rand *rand.Rand
	work string // what the jobs record
	home string
	// installed is the path of program on the host.
	installed string
	usual     time.Duration // that an action takes
	boot      string        // file with the boot id of the host
	program   string
	clients   []*rig

	mu   sync.Mutex
	jobs map[string]*campaignJob // by name
	ends map[string]engine.Exit  // that a client has reported, by client and job
}

// campaignJob is a job of the campaign. It records that it began, and the code that it is about to exit with.
type campaignJob struct {
	name    string
	id      engine.ID
	by      *rig // the client that started it
	code    int
	fault   string // none, holder, stop, full or boot
	refused error  // of its start
}

func (c *campaign) file(j *campaignJob, name string) string {
	return filepath.Join(c.work, j.name+"."+name)
}

// Whatever happens on the way and on the host, no client reports what a job did not do.
func TestHostsUnderFaults(t *testing.T) {
	t.Parallel()
	testtool.NeedMounts(t)
	c := newCampaign(t)
	faults := []string{"none", "holder", "stop", "none"}
	var jobs []*campaignJob
	for n := range *campaignJobs {
		jobs = append(jobs, c.begin(n, faults[n%len(faults)]))
	}
	for _, j := range jobs {
		c.strike(j)
	}
	c.await(jobs)
	c.fullDisk()
	c.reboot()
	c.judge()
}

func newCampaign(t *testing.T) *campaign {
	t.Helper()
	seed := *campaignSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-ssh.seed %d", seed)
	c := &campaign{
		rand:    rand.New(rand.NewPCG(seed, 0)),
		work:    testtool.TempDir(t),
		home:    testtool.TempDir(t),
		boot:    filepath.Join(t.TempDir(), "boot"),
		program: sshtest.BuildHolder(t),
		usual:   100 * time.Millisecond,
		jobs:    map[string]*campaignJob{},
		ends:    map[string]engine.Exit{},
	}
	sshtest.Write(t, c.boot, proc.BootID()+"\n")
	enter := filepath.Join(t.TempDir(), "sh")
	testtool.WriteScript(t, enter, "exec unshare -m sh -c 'mount --bind "+c.boot+" "+bootFile+" && exec sh \"$@\"' sh \"$@\"")
	c.rig = newRig(t, func(s *sshtest.Server) {
		s.Shell = enter
		s.Env = append(s.Env, "HOME="+c.home, "XDG_DATA_HOME=", "XDG_RUNTIME_DIR=")
	}, eagerly)
	if err := unix.Mount("none", c.remote, "tmpfs", 0, "size=16m,mode=700"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(c.remote, unix.MNT_DETACH) })
	t.Cleanup(c.letAllEnd)
	done, err := c.b.InstallHolder(c.ctx(), "box", c.program)
	if err != nil {
		t.Fatal(err)
	}
	c.installed = done.Program
	other := *c.rig
	other.state = testtool.TempDir(t)
	other.open(eagerly)
	c.clients = []*rig{c.rig, &other}
	return c
}

// eventually waits until happened is true.
func (c *campaign) eventually(what string, happened func() bool) {
	c.Helper()
	for end := time.Now().Add(2 * patient); !happened(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			c.Fatalf("not within %s: %s", 2*patient, what)
		}
	}
}

// begin starts a job by one of the clients, again until a start succeeds.
func (c *campaign) begin(n int, fault string) *campaignJob {
	c.Helper()
	client := c.clients[n%len(c.clients)]
	var j *campaignJob
	attempts := 0
	c.eventually("a job is started", func() bool {
		j = &campaignJob{name: fmt.Sprintf("j%d-%d", n, attempts), code: n % 5, fault: fault}
		attempts++
		c.mu.Lock()
		c.jobs[j.name] = j
		c.mu.Unlock()
		script := fmt.Sprintf("echo b >> %s; until [ -e %s ]; do sleep 0.05; done; echo %d >> %s; exit %d",
			c.file(j, "begin"), c.file(j, "go"), j.code, c.file(j, "end"), j.code)
		var started engine.Job
		var err error
		c.amid(func() {
			started, err = client.e.Start(c.ctx(), engine.Spec{Script: script, Host: "box", Name: j.name, Backgrounded: true})
		})
		if err != nil {
			j.refused = err
			return false
		}
		j.id, j.by = started.ID, client
		return true
	})
	return j
}

// strike carries out the fault of a job that has begun, and lets the others end.
func (c *campaign) strike(j *campaignJob) {
	c.Helper()
	c.eventually(j.name+" has begun", func() bool { return c.recorded(j, "begin") != "" || c.hasEnded(j) })
	switch j.fault {
	case "holder":
		c.eventually(j.name+" has lost its supervisor", func() bool { return c.killSupervisor(j) || c.hasEnded(j) })
	case "stop":
		c.eventually(j.name+" is stopped", func() bool {
			var err error
			c.amid(func() { _, err = j.by.e.Handle(j.id).Stop(c.ctx(), engine.StopOptions{Grace: 200 * time.Millisecond}) })
			return err == nil || errors.Is(err, engine.ErrNotRunning)
		})
		return
	}
	sshtest.Write(c, c.file(j, "go"), "")
}

func (c *campaign) hasEnded(j *campaignJob) bool {
	got, err := j.by.e.Handle(j.id).Facts(c.ctx())
	return err == nil && got.Status.Finished()
}

// killSupervisor kills the holder, or the wrapper of a job that scripts run.
func (c *campaign) killSupervisor(j *campaignJob) bool {
	dir := filepath.Join(c.remote, "jobs", string(j.id))
	if st, err := jobdir.ReadState(dir); err == nil && !st.Holder.IsZero() {
		return proc.Signal(st.Holder, syscall.SIGKILL) == nil
	}
	wrapper, _ := os.ReadFile(filepath.Join(dir, "wrapper")) // it may not be there yet
	pid, _, _ := strings.Cut(string(wrapper), " ")
	n, err := strconv.Atoi(pid)
	return err == nil && n > 1 && syscall.Kill(n, syscall.SIGKILL) == nil
}

// amid carries out act while a fault happens to the connection or to the program, at a moment of it. The faults
// depend on how long act takes and not on the clock alone, so that a slow machine comes as far.
func (c *campaign) amid(act func()) {
	wait := time.Duration(c.rand.Int64N(int64(c.usual)))
	var fault func()
	switch c.rand.IntN(8) {
	case 0:
		fault = c.s.Cut
	case 1:
		fault = func() { c.s.SetDown(true) }
	case 2:
		c.s.CutAfter(int64(1000 + c.rand.IntN(100_000)))
		fault = c.s.Cut
	case 3:
		fault = c.remove
	default:
		began := time.Now()
		act()
		c.usual = max(time.Millisecond, time.Since(began))
		return
	}
	var happens sync.WaitGroup
	happens.Go(func() {
		time.Sleep(wait)
		fault()
		time.Sleep(wait)
		c.s.CutAfter(0)
		c.s.SetDown(false)
		c.replace()
	})
	act()
	happens.Wait()
}

func (c *campaign) remove() { _ = os.RemoveAll(filepath.Dir(c.installed)) }

// replace puts another file in the place of the program. cp writes it: a program that this process has open for
// writing cannot be run.
func (c *campaign) replace() {
	script := `mkdir -p "${1%/*}" && cp "$2" "$1.new" && mv "$1.new" "$1"`
	if out, err := exec.Command("sh", "-c", script, "sh", c.installed, c.program).CombinedOutput(); err != nil {
		c.Errorf("%v: %s", err, out)
	}
}

// look is a look of a client at all jobs of the host. What it reports of an end stays so, and the job did it.
func (c *campaign) look(client *rig) {
	_ = client.e.Adopt(c.ctx(), "box") // the host may be unreachable
	jobs, _ := client.e.List(c.ctx(), engine.Filter{Host: "box"})
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, got := range jobs {
		j := c.jobs[got.Name]
		if j == nil || !got.Status.Finished() {
			continue
		}
		key := client.state + " " + j.name
		if before, ok := c.ends[key]; ok && !reflect.DeepEqual(before.Code, got.Exit.Code) || ok && before.Status != got.Status {
			c.Errorf("%s ended as %+v, now as %+v", j.name, before, got.Exit)
		}
		c.ends[key] = got.Exit
		c.check(j, &got)
	}
}

// check compares a reported end with what the job recorded.
func (c *campaign) check(j *campaignJob, got *engine.Job) {
	begun, ended := c.recorded(j, "begin"), c.recorded(j, "end")
	right := false
	switch got.Status {
	case engine.Exited:
		right = got.Exit.Code != nil && ended == fmt.Sprintln(*got.Exit.Code)
	case engine.Killed:
		right = j.fault == "stop"
	case engine.Lost:
		right = j.fault == "holder" || j.fault == "boot" && got.Exit.Reason == engine.ReasonReboot
	case engine.Failed:
		right = begun == ""
	case engine.Queued, engine.Starting, engine.Running, engine.Stopping: // no end
	}
	if !right {
		c.Errorf("%s, whose fault is %q, recorded %q and %q, and is reported as %+v", j.name, j.fault, begun, ended, got.Exit)
	}
}

// recorded is what a job has recorded.
func (c *campaign) recorded(j *campaignJob, what string) string {
	text, _ := os.ReadFile(c.file(j, what)) // nothing yet
	return string(text)
}

// await waits until both clients have reported an end of each of the jobs.
func (c *campaign) await(jobs []*campaignJob) {
	c.Helper()
	for _, client := range c.clients {
		missing := ""
		c.eventually("all ends are reported", func() bool {
			c.amid(func() { c.look(client) })
			missing = ""
			c.mu.Lock()
			defer c.mu.Unlock()
			for _, j := range jobs {
				if _, ok := c.ends[client.state+" "+j.name]; !ok {
					missing += " " + j.name
				}
			}
			return missing == ""
		})
	}
}

// fullDisk lets jobs end while the disk of the host is full.
func (c *campaign) fullDisk() {
	c.Helper()
	jobs := []*campaignJob{c.begin(100, "full"), c.begin(101, "full"), c.begin(102, "full")}
	for _, j := range jobs {
		c.eventually(j.name+" has begun", func() bool { return c.recorded(j, "begin") != "" })
	}
	fill := filepath.Join(c.remote, "fill")
	if err := os.WriteFile(fill, make([]byte, 32<<20), 0o600); err == nil {
		c.Fatal("the disk is not full")
	}
	for _, j := range jobs {
		sshtest.Write(c, c.file(j, "go"), "")
		c.eventually(j.name+" has ended", func() bool { return c.recorded(j, "end") != "" })
	}
	for range 3 {
		for _, client := range c.clients {
			c.amid(func() { c.look(client) })
		}
	}
	if err := os.Remove(fill); err != nil {
		c.Fatal(err)
	}
	c.await(jobs)
}

// reboot starts the host again while jobs run.
func (c *campaign) reboot() {
	c.Helper()
	jobs := []*campaignJob{c.begin(200, "boot"), c.begin(201, "boot")}
	for _, j := range jobs {
		c.eventually(j.name+" has begun", func() bool { return c.recorded(j, "begin") != "" })
	}
	c.s.SetDown(true)
	for _, j := range jobs {
		c.eventually(j.name+" has lost its supervisor", func() bool { return c.killSupervisor(j) })
		sshtest.Write(c, c.file(j, "go"), "")
		c.eventually(j.name+" has ended", func() bool { return c.recorded(j, "end") != "" })
	}
	sshtest.Write(c, c.boot, "00000000-0000-4000-8000-000000000000\n")
	c.s.SetDown(false)
	c.await(jobs)
}

// judge checks that each job ran once, and not at all if its start failed.
func (c *campaign) judge() {
	c.Helper()
	held, refused := 0, 0
	for name, j := range c.jobs {
		begun := c.recorded(j, "begin")
		switch {
		case j.refused != nil:
			refused++
			if begun != "" {
				c.Errorf("the start of %s failed with %v, but it ran", name, j.refused)
			}
			continue
		case len(begun) > len("b\n"):
			c.Errorf("%s began %d times", name, len(begun)/len("b\n"))
		}
		got, err := j.by.e.Handle(j.id).Facts(c.ctx())
		if err != nil {
			c.Errorf("%s: %v", name, err)
		}
		if got.HostHolder != "" {
			held++
		}
	}
	c.Logf("%d jobs, %d with a holder, %d starts failed, %d connections", len(c.jobs)-refused, held, refused, c.s.Connections())
}

// letAllEnd ends the jobs that are left.
func (c *campaign) letAllEnd() {
	for _, j := range c.jobs {
		_ = os.WriteFile(c.file(j, "go"), nil, 0o600)
	}
}
