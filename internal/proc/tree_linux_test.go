package proc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/hobjobs/hob/internal/testtool"
)

// stubborn ignores what can be ignored, in a session of its own.
const stubborn = `setsid sh -c "trap '' TERM HUP; echo \$\$ >&3; while :; do sleep 1000; done" &`

func TestTerminateLeavesNothing(t *testing.T) {
	for _, tc := range []struct {
		name   string
		script string
		say    int
		env    []string
	}{
		{"grandchildren in own sessions", `trap '' TERM HUP; ` + stubborn + stubborn + stubborn + stay, 4, nil},
		{"double fork, parent gone", `(` + stubborn + `) ; (` + stubborn + `); ` + stay, 3, nil},
		{"double fork without the variable", `(env -i PATH="$PATH" ` + stubborn + `) ; ` + stay, 2, nil},
		{"leader gone", `(` + stubborn + `) ; sh -c '` + stay + `' & exit 0`, 2, nil},
		{"forks all the time", `trap '' TERM; f() { echo $$ >&3; while :; do (sleep 0.01 &) ; done; }; f & f & f`, 3, nil},
		{"background group", `set -m; sh -c '` + stay + `' & ` + stay, 2, nil},
	} {
		for _, how := range []struct {
			name   string
			grace  time.Duration
			adopts bool
		}{{"at once", 0, true}, {"politely", 30 * time.Millisecond, true}, {"at once, of all processes", 0, false}, {"politely, of all processes", 30 * time.Millisecond, false}} {
			t.Run(tc.name+"/"+how.name, func(t *testing.T) {
				tr := startHeld(t, tc.script, tc.env...)
				tr.pids(tc.say)
				tr.ref.Adopts = how.adopts
				res, err := Terminate(t.Context(), tr.ref, Options{Grace: how.grace})
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("took %v for %d processes", res.Took, len(res.Signalled))
				if len(res.Survivors) != 0 {
					t.Errorf("survivors %+v", res.Survivors)
				}
				if !Alive(tr.ref.Holder) {
					t.Error("the holder was killed")
				}
				tr.close()
				tr.nobodyLeft()
			})
		}
	}
}

func TestTerminateWithoutSubreaperFindsStraysByVariable(t *testing.T) {
	tr := startTree(t, `(`+stubborn+`) ; `+stay)
	tr.pids(2)
	if res, err := Terminate(t.Context(), tr.ref, Options{}); err != nil || len(res.Survivors) != 0 {
		t.Errorf("result %+v, %v", res, err)
	}
	tr.nobodyLeft()
}

func TestTerminateSparesANestedHolder(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The client that starts it goes away, so the inner holder is adopted.
	t.Setenv("PROC_TEST_INNER", stay)
	inner := `(PROC_TEST_ROLE=holder PROC_TEST_JOB=inner PROC_TEST_SCRIPT="$PROC_TEST_INNER" setsid bash -c 'exec -a hob-holder "$0"' ` + exe + ` 4>&3 </dev/zero &)`
	tr := startHeld(t, inner+`; `+stay)
	// The outer leader says its pid; the inner one too, and its holder says it
	// again with the start.
	var inside int
	seen := map[int]bool{}
	for _, n := range tr.pids(4) {
		if seen[n] {
			inside = n
		}
		seen[n] = true
	}
	nested, err := Stat(inside)
	if err != nil {
		t.Fatal(err)
	}
	holder, err := Of(nested.PPID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		Terminate(context.Background(), JobRef{Leader: nested.Identity(), Session: nested.PID, Holder: holder, JobID: "inner"}, Options{})
		Signal(holder, 9)
	})
	until(t, "nested holder adopted", func() bool {
		p, err := Stat(holder.PID)
		return err == nil && p.PPID == tr.ref.Holder.PID
	})
	res, err := Terminate(t.Context(), tr.ref, Options{Grace: time.Minute})
	if err != nil || len(res.Survivors) != 0 || res.Escalated {
		t.Errorf("result %+v, %v", res, err)
	}
	if Alive(tr.ref.Leader) {
		t.Error("the outer leader lives")
	}
	if !Alive(holder) || !Alive(nested.Identity()) {
		t.Error("the nested job was killed with the outer one")
	}
	// And the other way round: the inner job ends without its surroundings.
	ref := JobRef{Leader: nested.Identity(), Session: nested.PID, Holder: holder, JobID: "inner"}
	if _, err := Terminate(t.Context(), ref, Options{}); err != nil {
		t.Fatal(err)
	}
	if Alive(nested.Identity()) || !Alive(holder) || !Alive(tr.ref.Holder) {
		t.Error("ending the inner job ended the wrong processes")
	}
}

func TestTerminateNamesWhatItMayNotSignal(t *testing.T) {
	testtool.NeedRoot(t)
	tr := startTree(t, stay)
	tr.pids(1)
	ref, err := json.Marshal(tr.ref)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
	cmd.Env = append(os.Environ(), roleVariable+"=terminator")
	cmd.Stdin = bytes.NewReader(ref)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var res Result
	if err := json.Unmarshal(out, &res); err != nil {
		t.Fatal(err)
	}
	if len(res.Signalled) != 0 || !slices.ContainsFunc(res.Survivors, func(p Process) bool { return p.PID == tr.ref.Leader.PID }) {
		t.Errorf("result %+v", res)
	}
	if !Alive(tr.ref.Leader) {
		t.Error("the leader is gone")
	}
}

func TestTerminateKeepsDaemons(t *testing.T) {
	tr := startHeld(t, stubborn+stay)
	tr.pids(2)
	res, err := Terminate(t.Context(), tr.ref, Options{Grace: time.Minute, KeepDaemons: true})
	if err != nil || len(res.Survivors) != 0 || res.Escalated {
		t.Errorf("result %+v, %v", res, err)
	}
	left, err := Members(tr.ref)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) == 0 || slices.ContainsFunc(left, func(p Process) bool { return p.Session == tr.ref.Session }) {
		t.Errorf("left are %+v, want just the daemon and its child", left)
	}
}

func TestMembersOfALostJobAreFoundByVariableAlone(t *testing.T) {
	tr := startTree(t, `(`+stubborn+`) ; `+stay)
	said := tr.pids(2)
	members, err := Members(JobRef{JobID: tr.ref.JobID})
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, p := range members {
		pids = append(pids, p.PID)
	}
	for _, pid := range said {
		if !slices.Contains(pids, pid) {
			t.Errorf("members %v lack %d", pids, pid)
		}
	}
}

func TestReaperCollectsStraysAndLeavesChildrenToTheirWaiters(t *testing.T) {
	if os.Getenv("PROC_TEST_REAPING") == "" {
		// Reaping is for a process of its own: this one has others' children.
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), exe, "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), "PROC_TEST_REAPING=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	if err := SetSubreaper(); err != nil {
		t.Fatal(err)
	}
	var r Reaper
	own := exec.Command("sh", "-c", "exit 3")
	if err := r.Start(func() (int, error) {
		if err := own.Start(); err != nil {
			return 0, err
		}
		return own.Process.Pid, nil
	}); err != nil {
		t.Fatal(err)
	}
	excepted := exec.Command("sh", "-c", "exit 4")
	if err := excepted.Start(); err != nil {
		t.Fatal(err)
	}
	// Both are dead, and first in the kernel's list, before the strays are.
	for _, pid := range []int{own.Process.Pid, excepted.Process.Pid} {
		until(t, "child ended", func() bool { p, err := Stat(pid); return err == nil && p.Dead() })
	}
	said, say := pipe(t)
	parent := exec.Command("sh", "-c", `(sh -c 'echo $$ >&3; exit 5' &) ; (sh -c 'echo $$ >&3; kill -9 $$' &)`)
	parent.ExtraFiles = []*os.File{say}
	if err := parent.Run(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(said)
	strays := []int{number10(t, lines), number10(t, lines)}
	got := map[int]int{}
	until(t, "both strays collected", func() bool {
		for _, end := range r.ReapStrays(excepted.Process.Pid) {
			got[end.PID] = end.Code
		}
		return len(got) >= 2
	})
	codes := []int{got[strays[0]], got[strays[1]]}
	slices.Sort(codes)
	if !slices.Equal(codes, []int{5, 137}) {
		t.Errorf("strays %v ended as %v", strays, got)
	}
	if err := own.Wait(); own.ProcessState.ExitCode() != 3 {
		t.Errorf("own child: %v", err)
	}
	if err := excepted.Wait(); excepted.ProcessState.ExitCode() != 4 {
		t.Errorf("excepted child: %v", err)
	}
	if rest := r.ReapStrays(); len(rest) != 0 {
		t.Errorf("more strays %v", rest)
	}
}

func TestScanAndTree(t *testing.T) {
	tr := startTree(t, `sh -c '`+stay+`' & `+stay)
	said := tr.pids(2)
	var s Scanner
	defer s.Close()
	procs, err := s.Scan()
	if err != nil {
		t.Fatal(err)
	}
	tree := NewTree(procs)
	leader := tr.ref.Leader.PID
	child := said[0]
	if child == leader {
		child = said[1]
	}
	self, ok := tree.Process(os.Getpid())
	if !ok || self.RSS == 0 || self.Threads < 2 || self.Start == 0 {
		t.Errorf("this process: %+v", self)
	}
	if p, ok := tree.Process(child); !ok || p.PPID != leader || p.PGID != leader || p.Session != leader {
		t.Errorf("the child: %+v", p)
	}
	if args, err := Cmdline(child); err != nil || !slices.Equal(args, []string{"sh", "-c", stay}) {
		t.Errorf("command line %q, %v", args, err)
	}
	if _, err := strconv.ParseUint(tr.ref.Leader.Start, 10, 64); err != nil {
		t.Errorf("start %q", tr.ref.Leader.Start)
	}
}
