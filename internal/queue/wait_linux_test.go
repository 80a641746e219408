package queue

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
)

// patience is how long a test waits for anything before it fails.
const patience = 60 * time.Second

// A place is a state directory with one queue. Its jobs are open files of this process.
type place struct {
	t           *testing.T
	root, queue string
	seq         uint64
}

// newPlace returns a place whose queue has these settings, or needs no slots if there are none.
func newPlace(t *testing.T, settings string) *place {
	root, name := t.TempDir(), Default
	if settings == "" {
		name = ""
	}
	p := &place{t: t, root: root, queue: Dir(filepath.Join(root, "queues"), name), seq: firstSeq}
	for _, dir := range []string{filepath.Join(p.queue, "jobs"), filepath.Join(root, "jobs"), filepath.Join(root, "trash")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if settings != "" {
		p.set(settings)
	}
	return p
}

// set writes the settings of the queue.
func (p *place) set(settings string) { p.write(filepath.Join(p.queue, "settings"), settings) }

func (p *place) write(path, text string) {
	p.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// A member is a job of the place that has a holder: this process.
type member struct {
	p           *place
	entry       Entry
	dir         string
	lock, alive int // -1 once closed
	done        chan Result
}

// add adds a job to the end of the queue. The state 0 is that of a job without an entry.
func (p *place) add(id string, state State) *member {
	p.t.Helper()
	m := &member{p: p, entry: Entry{state, p.seq, id}, dir: filepath.Join(p.root, "jobs", id), done: make(chan Result, 1)}
	p.seq++
	if err := os.Mkdir(m.dir, 0o700); err != nil {
		p.t.Fatal(err)
	}
	var err error
	if m.lock, err = unix.Open(filepath.Join(m.dir, jobdir.LockFile), unix.O_RDWR|unix.O_CREAT|unix.O_CLOEXEC, 0o600); err == nil {
		err = unix.FcntlFlock(uintptr(m.lock), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK})
	}
	if err == nil {
		err = unix.Mkfifo(alivePath(m.dir), 0o600)
	}
	if err == nil {
		m.alive, err = unix.Open(alivePath(m.dir), unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(m.die)
	if state != 0 {
		p.write(m.path(), "")
	}
	return m
}

func (m *member) path() string { return filepath.Join(m.p.queue, "jobs", m.entry.Name()) }

func (m *member) closePipe() {
	if m.alive >= 0 {
		unix.Close(m.alive)
		m.alive = -1
	}
}

// die ends the holder.
func (m *member) die() {
	if m.lock >= 0 {
		unix.Close(m.lock)
		m.lock = -1
	}
	m.closePipe()
}

// end records the end of the job, as its holder does.
func (m *member) end(status, code string) {
	m.p.write(filepath.Join(m.dir, "state.json"), `{"end":{"status":"`+status+`"}}`)
	if code != "" {
		m.p.write(filepath.Join(m.dir, "exit_code"), code+"\n")
	}
	os.Remove(m.path())
	m.die()
}

// change renames the entry of the job, as a client does.
func (m *member) change(to Entry) {
	m.p.t.Helper()
	held, err := lock(m.p.queue)
	if err != nil {
		m.p.t.Fatal(err)
	}
	defer held.Close()
	from := m.path()
	m.entry = to
	wake(m.dir)
	if err := os.Rename(from, m.path()); err != nil {
		m.p.t.Fatal(err)
	}
}

// begin starts the wait of the job, which follows after and afterAny.
func (m *member) begin(after ...record.ID) *member { return m.beginAt(Place{After: after}) }

func (m *member) beginAt(p Place) *member {
	p.Dir = m.p.queue
	over := make(chan struct{})
	go func() {
		m.done <- p.Wait(m.dir, jobdir.InheritAlive(m.dir, m.alive), func() {})
		close(over)
	}()
	m.p.t.Cleanup(func() { // before the job's files are closed
		select {
		case <-over:
			return
		default:
		}
		held, err := lock(m.p.queue)
		if err != nil {
			m.p.t.Fatal(err)
		}
		names, _ := os.ReadDir(filepath.Join(m.p.queue, "jobs"))
		for _, n := range names {
			if e, ok := ParseEntry(n.Name()); ok && e.ID == m.entry.ID {
				wake(m.dir)
				from := filepath.Join(m.p.queue, "jobs", n.Name())
				e.State = Canceled
				_ = os.Rename(from, filepath.Join(m.p.queue, "jobs", e.Name()))
			}
		}
		held.Close()
		<-over
	})
	return m
}

// An outcome is how a wait ends.
type outcome string

const (
	starts     outcome = "start"
	isCanceled outcome = "cancellation"
	isBlocked  outcome = "a job that did not succeed"
)

func outcomeOf(r *Result) outcome {
	switch {
	case r.Canceled != nil:
		return isCanceled
	case r.BlockedBy != "":
		return isBlocked
	}
	return starts
}

// ends waits for the outcome of the wait.
func (m *member) ends(want outcome) Result {
	m.p.t.Helper()
	select {
	case r := <-m.done:
		if got := outcomeOf(&r); got != want {
			m.p.t.Fatalf("%s: outcome %s, want %s", m.entry.ID, got, want)
		}
		if e, ok := ParseEntry(filepath.Base(r.Entry)); ok {
			m.entry = e
		}
		return r
	case <-time.After(patience):
		m.p.t.Fatalf("%s still waits", m.entry.ID)
	}
	return Result{}
}

// looks waits until the job has looked at the queue after a wake-up, and waits again.
func (m *member) looks() {
	m.p.t.Helper()
	wake(m.dir)
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if n, err := unix.IoctlGetInt(m.alive, unix.TIOCINQ); err == nil && n == 0 {
			break
		}
		if time.Now().After(end) {
			m.p.t.Fatal("the wake-up is not read")
		}
	}
	held, err := lock(m.p.queue) // the look is over or has not begun
	if err != nil {
		m.p.t.Fatal(err)
	}
	held.Close()
}

// waits checks that the job does not start.
func (m *member) waits() {
	m.p.t.Helper()
	for range 3 {
		m.looks()
	}
	select {
	case r := <-m.done:
		m.p.t.Fatalf("%s: outcome %s, want none", m.entry.ID, outcomeOf(&r))
	default:
	}
}

func TestJobsStartInTheirOrder(t *testing.T) {
	p := newPlace(t, "1 0 0\n")
	a, b, c := p.add("a", Waiting), p.add("b", Waiting), p.add("c", Waiting)
	c.begin()
	b.begin()
	c.waits()
	b.waits()
	a.begin().ends(starts)
	b.waits()
	a.end("exited", "0")
	b.ends(starts)
	c.waits()
	b.end("killed", "137")
	c.ends(starts)
}

func TestSlotsLimitJobs(t *testing.T) {
	p := newPlace(t, "2 0 0\n")
	a, b, c := p.add("a", Waiting).begin(), p.add("b", Waiting).begin(), p.add("c", Waiting).begin()
	a.ends(starts)
	b.ends(starts)
	c.waits()
	b.end("exited", "0")
	c.ends(starts)
}

func TestLoweredSlotsEndNoJob(t *testing.T) {
	p := newPlace(t, "2 0 0\n")
	a, b := p.add("a", Running), p.add("b", Running)
	c := p.add("c", Waiting).begin()
	p.set("1 0 0\n")
	c.waits()
	a.end("exited", "0")
	c.waits()
	b.end("exited", "0")
	c.ends(starts)
}

func TestRaisedSlotsStartJobs(t *testing.T) {
	p := newPlace(t, "1 0 0\n")
	p.add("a", Running)
	b, c := p.add("b", Waiting).begin(), p.add("c", Waiting).begin()
	b.waits()
	p.set("3 0 0\n")
	wake(b.dir)
	b.ends(starts)
	c.ends(starts) // woken by b
}

func TestDeathOfHolderFreesItsPlace(t *testing.T) {
	for _, tt := range []struct {
		name  string
		state State
	}{{"running", Running}, {"waiting", Waiting}} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, "1 0 0\n")
			a := p.add("a", tt.state)
			b := p.add("b", Waiting).begin()
			b.waits()
			a.die()
			b.ends(starts)
			if _, err := os.Lstat(a.path()); err == nil {
				t.Error("the entry of the dead job is still there")
			}
		})
	}
}

// The system may close the pipe of a process that dies before it releases its lock.
func TestPipeThatIsClosedBeforeTheLock(t *testing.T) {
	for _, tt := range []struct {
		name         string
		state        State
		beforeTheJob bool // waits
	}{
		{"running, already watched", Running, false}, {"running", Running, true},
		{"waiting, already watched", Waiting, false}, {"waiting", Waiting, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, "1 0 0\n")
			a, b := p.add("a", tt.state), p.add("b", Waiting)
			if tt.beforeTheJob {
				a.closePipe()
			}
			b.begin().waits()
			a.closePipe()
			b.waits()
			a.die()
			b.ends(starts)
		})
	}
}

func TestPause(t *testing.T) {
	p := newPlace(t, "1 1 0\n")
	a, b := p.add("a", Waiting).begin(), p.add("b", Waiting).begin()
	a.waits()
	b.change(Entry{Now, b.entry.Seq, "b"})
	b.ends(starts)
	a.waits()
	p.set("1 0 0\n")
	a.waits() // b has the slot
	b.end("exited", "0")
	a.ends(starts)
}

func TestJobThatIsPutFirst(t *testing.T) {
	p := newPlace(t, "1 0 0\n")
	a, b, c := p.add("a", Running), p.add("b", Waiting).begin(), p.add("c", Waiting).begin()
	b.waits()
	c.change(Entry{Waiting, firstSeq - 1, "c"})
	wake(b.dir)
	a.end("exited", "0")
	c.ends(starts)
	b.waits()
}

func TestStartNowBeyondTheSlots(t *testing.T) {
	for _, state := range []State{Waiting, After} {
		p := newPlace(t, "1 0 0\n")
		a := p.add("a", Running)
		b := p.add("b", state).begin("a")
		b.waits()
		b.change(Entry{Now, b.entry.Seq, "b"})
		b.ends(starts)
		a.isHeld()
	}
}

func (m *member) isHeld() {
	m.p.t.Helper()
	if !jobdir.Locked(m.dir) {
		m.p.t.Errorf("%s has no holder", m.entry.ID)
	}
}

func TestDamagedQueue(t *testing.T) {
	for _, tt := range []struct {
		name   string
		damage func(p *place, b *member)
	}{
		{"entry deleted", func(_ *place, b *member) { os.Remove(b.path()) }},
		{"settings deleted", func(p *place, _ *member) { os.Remove(filepath.Join(p.queue, "settings")) }},
		{"settings empty", func(p *place, _ *member) { p.set("\n") }},
		{"settings without sense", func(p *place, _ *member) { p.set("many slots 99999999999999999999") }},
		{"settings are a directory", func(p *place, _ *member) {
			os.Remove(filepath.Join(p.queue, "settings"))
			os.Mkdir(filepath.Join(p.queue, "settings"), 0o700)
		}},
		{"no slots", func(p *place, _ *member) { p.set("0 0 0\n") }},
		{"foreign files", func(p *place, _ *member) {
			for _, name := range []string{"w", "README", "x0000000000000001-a", "w00000000000000x1-a", "w0000000000000001-"} {
				p.write(filepath.Join(p.queue, "jobs", name), "")
			}
		}},
		{"entries of jobs that are gone", func(p *place, _ *member) {
			for _, e := range []Entry{{Running, 1, "gone"}, {Waiting, 2, "gone"}, {Waiting, 3, strings.Repeat("x", 200)}} {
				p.write(filepath.Join(p.queue, "jobs", e.Name()), "")
			}
		}},
		{"lock deleted", func(p *place, _ *member) { os.Remove(filepath.Join(p.queue, "lock")) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, "1 0 0\n")
			a := p.add("a", Running)
			b := p.add("b", Waiting).begin()
			b.waits()
			tt.damage(p, b)
			b.waits()
			a.end("exited", "0")
			b.ends(starts)
		})
	}
}

func TestAfter(t *testing.T) {
	for _, tt := range []struct {
		name string
		any  bool
		end  func(a *member)
		want outcome
	}{
		{"succeeded", false, func(a *member) { a.end("exited", "0") }, starts},
		{"failed", false, func(a *member) { a.end("exited", "3") }, isBlocked},
		{"failed, any", true, func(a *member) { a.end("exited", "3") }, starts},
		{"killed with code 0", false, func(a *member) { a.end("killed", "0") }, isBlocked},
		{"holder killed", false, (*member).die, isBlocked},
		{"holder killed, any", true, (*member).die, starts},
		{"pipe closed first", true, func(a *member) {
			a.closePipe()
			a.die()
		}, starts},
		{"succeeded and cleared", false, func(a *member) {
			a.end("exited", "0")
			if err := os.Rename(a.dir, filepath.Join(a.p.root, "trash", "a")); err != nil {
				a.p.t.Fatal(err)
			}
		}, starts},
		{"deleted", false, func(a *member) {
			a.die()
			os.RemoveAll(a.dir)
		}, isBlocked},
	} {
		for _, settings := range []string{"", "1 0 0\n"} {
			t.Run(tt.name+map[bool]string{true: ", without a queue"}[settings == ""], func(t *testing.T) {
				p := newPlace(t, settings)
				a := p.add("a", 0)
				place := Place{After: []record.ID{"a"}}
				if tt.any {
					place = Place{AfterAny: []record.ID{"a"}}
				}
				b := p.add("b", After).beginAt(place)
				b.waits()
				tt.end(a)
				if r := b.ends(tt.want); (r.BlockedBy == "a") != (tt.want == isBlocked) {
					t.Errorf("blocked by %q", r.BlockedBy)
				}
			})
		}
	}
}

func TestJobThatFollowedOthersKeepsItsPlace(t *testing.T) {
	p := newPlace(t, "1 0 0\n")
	first, slot := p.add("first", 0), p.add("slot", Running)
	b, c := p.add("b", After).begin("first"), p.add("c", Waiting).begin()
	c.waits()
	first.end("exited", "0")
	b.waits()
	slot.end("exited", "0")
	b.ends(starts)
	c.waits()
}

// lock locks the queue in dir until the file is closed.
func lock(dir string) (*os.File, error) { return lockFile(dir, unix.LOCK_EX) }
