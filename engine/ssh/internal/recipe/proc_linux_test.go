package recipe

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/hobjobs/hob/engine/ssh/internal/shell"
	"github.com/hobjobs/hob/internal/testtool"
)

// inside makes the sessions of p begin with the shell lines enter, which become a sh
// by "exec $SH". Where the system does not allow them the test is left out.
func (p *place) inside(enter string) {
	p.t.Helper()
	script := filepath.Join(p.t.TempDir(), "enter")
	testtool.WriteScript(p.t, script, "SH='"+p.sh+"'\n"+enter)
	probe := exec.Command(script)
	probe.Env, probe.Stdin = p.env, strings.NewReader("exit 0\n")
	if out, err := probe.CombinedOutput(); err != nil {
		p.t.Skipf("not allowed here: %v: %s", err, out)
	}
	p.Session.Close()
	p.local.Close()
	p.local = shell.NewLocal(script, p.env)
	p.Session = p.open()
}

// The first process of a container may not reap orphans: a killed process stays a zombie, and keeps
// the number of its group in use.
func TestStopUnderAnInitThatDoesNotReap(t *testing.T) {
	t.Parallel()
	testtool.NeedMounts(t)
	testtool.Need(t, "nsenter")
	for _, sh := range []string{"dash", "busybox"} {
		t.Run(sh, func(t *testing.T) {
			p := newPlace(t, sh)
			first := exec.Command("unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c", "echo up; exec sleep 1000")
			out, err := first.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := first.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				_ = first.Process.Kill() // it may have ended
				_ = first.Wait()
			})
			if up, _ := bufio.NewReader(out).ReadString('\n'); up != "up\n" {
				t.Skip("no processes can be kept apart here")
			}
			pid, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", first.Process.Pid))
			if err != nil {
				t.Skipf("its number cannot be found: %v", err)
			}
			p.inside(`exec nsenter --pid --mount --target ` + strings.TrimSpace(string(pid)) + ` "$SH"`)
			j := p.job("sleep 60 & sleep 61 & echo ready; wait")
			dir := p.start(j).Dir
			p.until(j.ID, "ready", func(e *Entry) bool { return e.Sizes["output.log"] >= 6 })
			s := ParseStop([]byte(p.ask(Stop(dir, j.ID, StopOptions{Grace: patience / 2, By: "cli", Reason: "kill"}))))
			e := p.list(j.ID)
			if s.Killed != "TERM" || s.Stuck || e.Code == nil || *e.Code != 143 {
				t.Errorf("%+v, code %s", s, show(e.Code))
			}
			if stats := p.ask("cat /proc/[0-9]*/stat"); !strings.Contains(stats, "(sleep) Z") {
				t.Errorf("there is no zombie, so this says nothing: %s", stats)
			}
		})
	}
}

// If /proc shows each user only their own processes, jobs are still distinguished.
func TestHiddenProcesses(t *testing.T) {
	t.Parallel()
	testtool.NeedMounts(t)
	testtool.Need(t, "setpriv", "setsid")
	const nobody = 65534
	for _, sh := range []string{"dash", "busybox"} {
		t.Run(sh, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, sh)
			if err := os.Chown(p.home, nobody, nobody); err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{p.home, p.sh} { // everybody may walk there
				for dir := filepath.Dir(path); dir != "/" && dir != os.TempDir(); dir = filepath.Dir(dir) {
					if err := os.Chmod(dir, 0o755); err != nil {
						t.Fatal(err)
					}
				}
			}
			p.inside(fmt.Sprintf(`exec unshare --mount /bin/sh -c 'mount -t proc -o hidepid=2 proc /proc && exec setpriv --reuid %d --regid %[1]d --clear-groups "$0"' "$SH"`, nobody))
			if seen := strings.TrimSpace(p.ask("[ ! -r /proc/1/stat ] || echo seen")); seen != "" {
				t.Skip("the processes of others are not hidden")
			}
			j := p.job("exit 7")
			p.start(j)
			if e := p.ended(j.ID); e.Code == nil || *e.Code != 7 {
				t.Errorf("code %s, want 7", show(e.Code))
			}
			j = p.job("setsid sh -c 'echo $$; exec sleep 61' & sleep 60")
			j.Env = map[string]string{"HOB_JOB_ID": j.ID}
			dir := p.start(j).Dir
			e := p.until(j.ID, "the stray", func(e *Entry) bool { return e.Sizes["output.log"] > 0 })
			if e.Live == "" || e.Live != e.Job.Start || !e.Lasting() {
				t.Errorf("it runs as %+v", e)
			}
			stray := strings.TrimSpace(p.file(j.ID, "output.log"))
			s := ParseStop([]byte(p.ask(Stop(dir, j.ID, StopOptions{Grace: patience / 2, By: "cli", Reason: "kill"}))))
			if e := p.list(j.ID); s.Killed == "" || s.Stuck || e.Code == nil || *e.Code != 143 {
				t.Errorf("%+v, code %s", s, show(e.Code))
			}
			pid, err := strconv.Atoi(stray)
			if err != nil {
				t.Fatal(err)
			}
			if syscall.Kill(pid, 0) == nil && !zombie(pid) {
				t.Error("what left its group is alive")
			}
		})
	}
}
