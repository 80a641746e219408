package campaign

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/testtool"
	"github.com/hobjobs/hob/internal/testtool/stage"
)

var mixedJobs = flag.Int("campaign.mixed", 24, "how many jobs two versions of hob start in one state directory")

// mixed is a state directory on a small disk that the first edition of hob and this one use at once.
type mixed struct {
	*world
	old  string // path of the first edition
	rand *rand.Rand
	jobs []*mixedJob
}

// mixedJob is a job that one version started.
type mixedJob struct {
	name   string
	code   int
	old    bool   // the first edition started it
	fault  string // none, client, holder, stopper, stop or disk
	killed bool   // the fault may have ended it
}

// TestTwoVersionsUnderFaults has two versions start, list and stop each other's jobs while clients and
// holders are killed and the disk is full. Both report the same ends, and none that a job did not have.
func TestTwoVersionsUnderFaults(t *testing.T) {
	testtool.NeedMounts(t)
	if testing.Short() {
		t.Skip("-short")
	}
	from := *seed
	if from == 0 {
		from = uint64(time.Now().UnixNano())
	}
	t.Logf("-campaign.seed %d", from)
	m := &mixed{world: newWorld(t), old: stage.FirstEdition(t), rand: rand.New(rand.NewPCG(from, 0))}
	if err := os.Mkdir(m.State, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("none", m.State, "tmpfs", 0, "size=8m,mode=700"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(m.State, unix.MNT_DETACH) })
	t.Cleanup(func() {
		for _, p := range m.holders() {
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
	})

	faults := []string{"none", "client", "holder", "stopper", "stop", "none"}
	for n := range *mixedJobs {
		j := &mixedJob{name: fmt.Sprint("m", n), code: n % 5, old: n/len(faults)%2 == 0, fault: faults[n%len(faults)]}
		m.jobs = append(m.jobs, j)
		m.start(t, j)
		m.strike(t, j)
	}
	m.finish(t)
	for n := range 4 {
		j := &mixedJob{name: fmt.Sprint("d", n), code: n, old: n%2 == 0, fault: "disk"}
		m.jobs = append(m.jobs, j)
		m.start(t, j)
	}
	fill := filepath.Join(m.State, "fill")
	if err := os.WriteFile(fill, make([]byte, 16<<20), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	m.release(t)
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	m.finish(t)
	m.judge(t)
}

// command returns hob of one version, not yet started.
func (m *mixed) command(old bool, args ...string) *exec.Cmd {
	cmd := m.Command(args...)
	if old {
		cmd.Path = m.old
	}
	return cmd
}

func (m *mixed) file(j *mixedJob, name string) string {
	return filepath.Join(m.Dir, j.name+"."+name)
}

// start starts a job that ends when it is released, and kills the client at some moment if that is the
// fault.
func (m *mixed) start(t *testing.T, j *mixedJob) {
	t.Helper()
	script := fmt.Sprintf("echo b >> %s; until [ -e %s ]; do sleep 0.02; done; echo %d >> %s; exit %d",
		m.file(j, "begin"), m.file(j, "go"), j.code, m.file(j, "end"), j.code)
	cmd := m.command(j.old, "run", "-b", "--name", j.name, "-c", script)
	if j.fault == "client" {
		j.killed = m.kill(t, cmd)
		return
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", j.name, err, out)
	}
	m.await(t, j, "begin")
}

// kill runs cmd and kills it at a random moment. It reports whether it was in time.
func (m *mixed) kill(t *testing.T, cmd *exec.Cmd) bool {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Duration(m.rand.IntN(60_000)) * time.Microsecond) // the moment of the fault
	_ = cmd.Process.Kill()
	return cmd.Wait() != nil
}

// strike carries out the fault of a job that runs; the other version stops it.
func (m *mixed) strike(t *testing.T, j *mixedJob) {
	t.Helper()
	switch j.fault {
	case "holder":
		holder, ok := m.heldBy(j.name)
		if !ok {
			t.Fatalf("%s has no holder", j.name)
		}
		if err := proc.Signal(holder, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		j.killed = true
	case "stopper":
		m.kill(t, m.command(!j.old, "kill", j.name))
		j.killed = true // or will be
	case "stop":
		if out, err := m.command(!j.old, "kill", j.name).CombinedOutput(); err != nil {
			t.Errorf("kill %s: %v: %s", j.name, err, out)
		}
		j.killed = true
	}
}

// holders returns the holders of both versions.
func (m *mixed) holders() (found []process) {
	w := world{&stage.Stage{}}
	for _, exe := range []string{m.Exe, m.old, filepath.Join(filepath.Dir(m.old), proc.HolderName)} {
		w.Exe = exe
		found = append(found, w.processes()...)
	}
	return found
}

func (m *mixed) heldBy(name string) (proc.Identity, bool) {
	for _, p := range m.holders() {
		if len(p.args) > 1 && strings.HasPrefix(p.args[1], name+"-") {
			id, err := proc.IdentityOf(p.pid)
			return id, err == nil
		}
	}
	return proc.Identity{}, false
}

func (m *mixed) await(t *testing.T, j *mixedJob, file string) {
	t.Helper()
	err := stage.Eventually(j.name+": "+file, func() bool { _, err := os.Stat(m.file(j, file)); return err == nil })
	if err != nil {
		t.Fatal(err)
	}
}

// release lets the jobs end, and waits until those have that no fault has ended.
func (m *mixed) release(t *testing.T) {
	t.Helper()
	for _, j := range m.jobs {
		if err := os.WriteFile(m.file(j, "go"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, j := range m.jobs {
		if !j.killed {
			m.await(t, j, "end")
		}
	}
}

// finish lets the jobs end and waits until this version reports that they have.
func (m *mixed) finish(t *testing.T) {
	t.Helper()
	m.release(t)
	var jobs []job
	err := stage.Eventually("all jobs are over", func() bool {
		var err error
		if jobs, err = m.list(); err != nil {
			t.Error(err)
		}
		for _, j := range jobs {
			if !j.finished() {
				return false
			}
		}
		return len(m.holders()) == 0
	})
	if err != nil {
		t.Fatal(err, jobs, m.holders())
	}
}

// judge compares what both versions report with what the jobs recorded.
func (m *mixed) judge(t *testing.T) {
	t.Helper()
	for _, j := range m.jobs {
		got, ok, err := m.find(j.name)
		if err != nil {
			t.Error(err)
		}
		begun, _ := os.ReadFile(m.file(j, "begin"))
		if !ok {
			if j.fault != "client" || len(begun) > 0 {
				t.Errorf("%+v is not in the list", *j)
			}
			continue
		}
		if len(begun) > 2 {
			t.Errorf("%+v began %d times", *j, len(begun)/2)
		}
		recorded, _ := os.ReadFile(m.file(j, "end"))
		ended := strings.TrimSpace(string(recorded)) == strconv.Itoa(j.code)
		switch code := text(got.Code); {
		case got.Status == "exited" && ended && code == fmt.Sprint(" ", j.code):
		case got.Status == "killed" && (j.fault == "stop" || j.fault == "stopper"):
		case got.Status == "lost" && j.killed:
		case got.Status == "lost" && j.fault == "disk" && j.old: // its holder gives up
		default:
			t.Errorf("%+v, which recorded %q: %v", *j, recorded, got)
		}
		out, err := m.command(true, "status", "--json", got.ID).Output()
		if err != nil || !strings.Contains(string(out), fmt.Sprintf("%q:%q", "status", got.Status)) {
			t.Errorf("%+v: this version: %v\nthe first edition: %v: %s", *j, got, err, out)
		}
	}
}
