//go:build unix

package recipe

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/ssh/internal/shell"
	"github.com/hobjobs/hob/internal/testtool"
)

// shells are the implementations of sh that the recipe has to run under.
var shells = []string{"dash", "bash", "busybox", "mksh", "zsh", "ksh93"}

const patience = 40 * time.Second

func TestMain(m *testing.M) {
	testtool.InParallel(12) // many wait for timeouts of ten seconds, and none for an answer of a host
	testtool.Prepare()
	os.Exit(m.Run())
}

// place is a host: this machine with one of the shells as its sh.
type place struct {
	t     *testing.T
	name  string // of the shell
	local *shell.Program
	base  string
	home  string
	sh    string // path of its sh
	env   []string
	*shell.Session
}

func newPlace(t *testing.T, sh string, env ...string) *place {
	t.Helper()
	if testing.Short() {
		t.Skip("-short") // shells need nearly all of these tests' time
	}
	testtool.Need(t, sh)
	path, err := exec.LookPath(sh)
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(path, filepath.Join(bin, "sh")); err != nil {
		t.Fatal(err)
	}
	// A wrapper writes there to its last moment, which may be after the test.
	home := filepath.Join(testtool.TempDir(t), "a home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, name: sh, home: home, sh: filepath.Join(bin, "sh"), base: filepath.Join(home, ".local/state/hob/jobs")}
	p.env = append([]string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + home}, env...)
	p.local = shell.NewLocal(p.sh, p.env)
	p.Session = p.open()
	t.Cleanup(func() {
		p.Close()
		p.local.Close()
	})
	return p
}

func (p *place) open() *shell.Session {
	p.t.Helper()
	ch, err := p.local.Open(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	return shell.NewSession(ch, Prelude(), patience)
}

func (p *place) ask(script string) string {
	p.t.Helper()
	a, err := p.Do(p.t.Context(), script, patience)
	if err != nil {
		p.t.Fatalf("%s: %v", firstWord(script), err)
	}
	return string(a.Out)
}

func firstWord(s string) string {
	w, _, _ := strings.Cut(s, " ")
	return w
}

func random() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

func (p *place) job(script string) Job {
	return Job{ID: "job-" + random()[:5], Token: random(), Owner: "m1", Meta: []byte("{}\n"), Script: script, Grace: patience / 2}
}

func (p *place) spawn(j Job) Spawned {
	p.t.Helper()
	s := ParseSpawn([]byte(p.ask(Spawn(j, random()))))
	if s.OK {
		p.t.Cleanup(func() {
			// Whatever a failed test left.
			if data, err := os.ReadFile(filepath.Join(s.Dir, "pid")); err == nil {
				if pid, err := strconv.Atoi(strings.Fields(string(data))[0]); err == nil && pid > 1 {
					syscall.Kill(-pid, syscall.SIGKILL)
				}
			}
		})
	}
	return s
}

// start spawns j and expects that to work.
func (p *place) start(j Job) Spawned {
	p.t.Helper()
	s := p.spawn(j)
	if !s.OK {
		p.t.Fatalf("not started: %s %s", s.Error, s.Text)
	}
	return s
}

func (p *place) list(id string) *Entry {
	p.t.Helper()
	l := ParseList([]byte(p.ask(List(p.base, []string{id}))))
	e := l.Jobs[id]
	if e == nil {
		p.t.Fatalf("%s is not in the list", id)
	}
	return e
}

// ended waits for the end of a job and returns its entry.
func (p *place) ended(id string) *Entry {
	p.t.Helper()
	return p.ends([]string{id})[id]
}

// ends waits until the ends of several jobs are recorded, and returns their entries. It requests one list for all of
// them, because a list costs a dozen processes.
func (p *place) ends(ids []string) map[string]*Entry {
	p.t.Helper()
	end := time.Now().Add(patience)
	for _, id := range ids {
		for file := filepath.Join(p.base, id, "exit_code"); ; time.Sleep(10 * time.Millisecond) {
			if _, err := os.Stat(file); err == nil {
				break
			}
			if time.Now().After(end) {
				p.t.Fatalf("%s: its end did not come: %+v", id, p.list(id))
			}
		}
	}
	jobs := ParseList([]byte(p.ask(List(p.base, ids)))).Jobs
	for _, id := range ids {
		if e := jobs[id]; e == nil || !e.Over {
			p.t.Fatalf("%s: its end is recorded, and it is listed as %+v", id, e)
		}
	}
	return jobs
}

func (p *place) until(id, what string, ok func(*Entry) bool) *Entry {
	p.t.Helper()
	end := time.Now().Add(patience)
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 600*time.Millisecond) {
		e := p.list(id)
		if ok(e) {
			return e
		}
		if time.Now().After(end) {
			p.t.Fatalf("%s: %s did not come: %+v", id, what, e)
		}
		time.Sleep(pause)
	}
}

func (p *place) file(id, name string) string {
	p.t.Helper()
	data, err := os.ReadFile(filepath.Join(p.base, id, name))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(data)
}

// eachShell runs f under every sh there is.
func eachShell(t *testing.T, f func(t *testing.T, p *place)) {
	t.Parallel()
	for _, sh := range shells {
		t.Run(sh, func(t *testing.T) {
			t.Parallel()
			f(t, newPlace(t, sh))
		})
	}
}

// awaitPID is the number that a process of the test has written to file.
func (p *place) awaitPID(file string) int {
	p.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		data, _ := os.ReadFile(file) // it comes
		if text, whole := strings.CutSuffix(string(data), "\n"); whole {
			pid, err := strconv.Atoi(text)
			if err != nil {
				p.t.Fatal(err)
			}
			p.t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) }) // it may have ended
			return pid
		}
		if time.Now().After(end) {
			p.t.Fatalf("no process writes its number to %s", file)
		}
	}
}

func lives(pid int) bool { return syscall.Kill(pid, 0) == nil && !zombie(pid) }
