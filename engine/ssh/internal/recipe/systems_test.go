//go:build unix

package recipe

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine/ssh/internal/shell"
	"github.com/hobjobs/hob/internal/testtool"
)

// bsdTools are what a BSD or macOS has of what the recipe uses.
var bsdTools = []string{"cat", "mkdir", "mv", "rm", "ls", "dd", "grep", "wc", "sleep", "ln", "id", "tr", "mkfifo", "find", "stty", "tty", "perl", "printf"}

// bsdStandIns accept the options of BSD's programs that the recipe may use, and refuse others.
var bsdStandIns = map[string]string{
	"uname":  `case $1 in -s) echo FreeBSD ;; -m) echo amd64 ;; *) exit 1 ;; esac`,
	"date":   `[ "$*" = +%s ] || exit 1; exec /bin/date +%s`,
	"sysctl": `[ "$*" = "-n kern.boottime" ] || exit 1; echo "{ sec = 1700000000, usec = 7 } Tue Nov 14 22:13:20 2023"`,
	"ps": `[ "$*" != "-A -o pid= -o ppid= -o pgid=" ] || exec /bin/ps "$@"
[ "$1 $2 $3" != "-o args= -p" ] || exec /bin/ps "$@"
[ "$1 $2 $3" = "-o lstart= -p" ] && [ -r "/proc/$4/stat" ] || exit 1
s=$(cat "/proc/$4/stat") || exit 1
s=${s##*") "}
set -- $s
echo "Tue Nov 14 ${20} 2023    "`,
}

// bsd is a place without /proc and without what only GNU or Linux has. It is
// this machine all the same: the scripts look for /proc under another name.
type bsd struct{ *place }

const noProc = "/prox/" // as long: the sizes of files are sent along

func newBSD(t *testing.T, sh string) *bsd {
	t.Helper()
	testtool.Need(t, append([]string{sh}, bsdTools...)...)
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("the stand-in for ps reads /proc")
	}
	bin := t.TempDir()
	for _, tool := range append([]string{sh}, bsdTools...) {
		path, err := exec.LookPath(tool)
		if err != nil {
			t.Fatal(err)
		}
		name := tool
		if tool == sh {
			name = "sh"
		}
		if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range bsdStandIns {
		testtool.WriteScript(t, filepath.Join(bin, name), "PATH=/usr/bin:/bin\n"+text)
	}
	p := &bsd{newPlace(t, sh, "PATH="+bin)}
	p.Session.Close()
	ch, err := p.local.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p.Session = shell.NewSession(ch, strings.ReplaceAll(Prelude(), "/proc/", noProc), patience)
	if _, err = p.Do(t.Context(), ":", patience); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *bsd) start(j Job) Spawned {
	p.t.Helper()
	s := ParseSpawn([]byte(p.ask(strings.ReplaceAll(Spawn(j, random()), "/proc/", noProc))))
	if !s.OK {
		p.t.Fatalf("not started: %s %s", s.Error, s.Text)
	}
	if strings.Contains(p.file(j.ID, "run"), "/proc/") {
		p.t.Fatal("the wrapper would find /proc: this test says nothing")
	}
	return s
}

func TestWithoutProc(t *testing.T) {
	t.Parallel()
	for _, sh := range []string{"dash", "bash", "mksh", "ksh93"} {
		t.Run(sh, func(t *testing.T) {
			t.Parallel()
			p := newBSD(t, sh)
			h := ParseHello([]byte(p.ask(Hello("m1"))))
			if h.Proc || !strings.HasPrefix(h.Boot, "sec=1700000000") || h.System != "FreeBSD amd64" || h.Up >= 0 {
				t.Errorf("hello says %+v", h)
			}
			for script, code := range map[string]int{"exit 7": 7, "kill -TERM $$": 143, "kill -KILL $$": 137, "kill -SEGV $$": 139} {
				j := p.job(script)
				p.start(j)
				if e := p.ended(j.ID); e.Code == nil || *e.Code != code || e.BootOf() != h.Boot {
					t.Errorf("%s: code %s in boot %s", script, show(e.Code), e.BootOf())
				}
			}
			for script, code := range map[string]int{"sleep 60 & echo ready; wait": 143, "trap '' TERM; echo ready; while :; do sleep 0.1; done": 137} {
				grace := patience
				if code == 137 {
					grace = 300 * time.Millisecond
				}
				j := p.job(script)
				dir := p.start(j).Dir
				p.until(j.ID, "ready", func(e *Entry) bool { return e.Sizes["output.log"] >= 6 })
				e := ParseList([]byte(p.ask(ListClosely(p.base, []string{j.ID})))).Jobs[j.ID]
				if e.Live == "" || e.Live != e.Job.Start || e.WrapLive != e.Wrapper.Start || !e.Group {
					t.Errorf("%s: it runs as %+v, but %q and %q live", script, e.Job, e.Live, e.WrapLive)
				}
				p.ask(Stop(dir, j.ID, StopOptions{Grace: grace, By: "cli", Reason: "kill"}))
				if e := p.list(j.ID); e.Code == nil || *e.Code != code || e.Group {
					t.Errorf("%s: code %s, group %v", script, show(e.Code), e.Group)
				}
			}
		})
	}
}

// What left the group is found by its living parent; a nested job has its own holder.
func TestStopFindsDescendantsWithoutProc(t *testing.T) {
	t.Parallel()
	testtool.Need(t, "setsid", "ps")
	for _, sh := range []string{"dash", "bash", "mksh", "ksh93"} {
		t.Run(sh, func(t *testing.T) {
			t.Parallel()
			p := newBSD(t, sh)
			pids := t.TempDir()
			for name, tool := range map[string]string{"setsid": "setsid", "hob-holder": "sleep"} {
				path, err := exec.LookPath(tool)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(path, filepath.Join(pids, name)); err != nil {
					t.Fatal(err)
				}
			}
			j := p.job(`"$PIDS/setsid" sh -c 'echo $$ >"$PIDS/a"; exec sleep 616' & "$PIDS/setsid" sh -c 'echo $$ >"$PIDS/b"; exec "$PIDS/hob-holder" 616' & sleep 60`)
			j.Env = map[string]string{"PIDS": pids}
			dir := p.start(j).Dir
			stray, holder := p.awaitPID(filepath.Join(pids, "a")), p.awaitPID(filepath.Join(pids, "b"))
			p.ask(`until ps -o args= -p ` + strconv.Itoa(holder) + ` | grep -q '/hob-holder 616'; do nap; done`)
			s := ParseStop([]byte(p.ask(Stop(dir, j.ID, StopOptions{Grace: patience / 2, By: "cli", Reason: "kill"}))))
			if s.Killed != "TERM" || lives(stray) || !lives(holder) {
				t.Errorf("%+v; the stray runs: %v, the holder: %v", s, lives(stray), lives(holder))
			}
		})
	}
}

func TestForgedIdentityWithoutProc(t *testing.T) {
	t.Parallel()
	p := newBSD(t, "dash")
	j := p.job("sleep 60")
	dir := p.start(j).Dir
	real := p.file(j.ID, "pid")
	f := strings.Fields(real)
	for name, forged := range map[string]string{
		"reused": f[0] + " Tue_Nov_14_1_2023_ " + f[2] + " " + f[3],
		"reboot": f[0] + " " + f[1] + " sec=1,usec=2 " + f[3],
	} {
		if err := os.WriteFile(filepath.Join(dir, "pid"), []byte(forged+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if s := ParseStop([]byte(p.ask(Stop(dir, j.ID, StopOptions{Grace: time.Second, By: "cli", Reason: "kill"})))); s.Why != name {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "pid"), []byte(real), 0o600); err != nil {
		t.Fatal(err)
	}
	if s := ParseStop([]byte(p.ask(Stop(dir, j.ID, StopOptions{Grace: patience, By: "cli", Reason: "kill"})))); s.Killed != "TERM" {
		t.Errorf("the real one: %+v", s)
	}
}

func TestTimeoutWithoutProc(t *testing.T) {
	t.Parallel()
	p := newBSD(t, "dash")
	j := p.job("sleep 60")
	j.Timeout = 300 * time.Millisecond
	p.start(j)
	if e := p.ended(j.ID); e.Code == nil || *e.Code != 143 || e.EndedBy == nil || e.EndedBy.Reason != "timeout" {
		t.Errorf("code %s, ended by %+v", show(e.Code), e.EndedBy)
	}
}

// Sizes come from a stat that supports them, else from ls: the same numbers.
func TestSizesOfLogs(t *testing.T) {
	t.Parallel()
	manners := map[string]func(t *testing.T) *place{
		"stat":    func(t *testing.T) *place { return newPlace(t, "dash") },
		"busybox": func(t *testing.T) *place { return newPlace(t, "busybox") },
		"ls":      func(t *testing.T) *place { return newBSD(t, "dash").place },
	}
	for name, make := range manners {
		t.Run(name, func(t *testing.T) {
			p := make(t)
			uses := "stat"
			if name == "ls" {
				uses = "ls"
			}
			if got := p.ask(`[ -n "$h_stat" ] && echo stat || echo ls`); strings.TrimSpace(got) != uses {
				t.Fatalf("it uses %q", got)
			}
			for _, dir := range []string{"plain", "odd"} {
				if err := os.MkdirAll(filepath.Join(p.base, dir, "claim"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(p.base, "plain", "output.log"), []byte("hello"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("/etc/passwd", filepath.Join(p.base, "odd", "stdout.log")); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(filepath.Join(p.base, "odd", "stderr.log"), 0o600); err != nil {
				t.Fatal(err)
			}
			l := ParseList([]byte(p.ask(List(p.base, []string{"odd", "plain"}))))
			plain, odd := l.Jobs["plain"], l.Jobs["odd"]
			if plain == nil || odd == nil {
				t.Fatalf("listed %v", l.Jobs)
			}
			if diff := cmp.Diff(map[string]int64{"output.log": 5}, plain.Sizes); diff != "" {
				t.Errorf("sizes (-want +got):\n%s", diff)
			}
			slices.Sort(odd.Strange)
			if diff := cmp.Diff([]string{"stderr.log", "stdout.log"}, odd.Strange); diff != "" || len(odd.Sizes) > 0 {
				t.Errorf("sizes %v; no files are (-want +got):\n%s", odd.Sizes, diff)
			}
		})
	}
}
