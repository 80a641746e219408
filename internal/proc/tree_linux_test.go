package proc

import (
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

// stubborn ignores all signals that can be ignored, in its own session.
const stubborn = `setsid sh -c "trap '' TERM HUP; echo \$\$ >&3; while :; do sleep 1000; done" &`

func TestTerminateLeavesNothing(t *testing.T) {
	for _, tc := range []struct {
		name   string
		script string
		say    int
		env    []string
	}{
		{"grandchildren in own sessions", `trap '' TERM HUP; ` + stubborn + stubborn + stubborn + stay, 4, nil},
		{"double fork, parent ended", `(` + stubborn + `) ; (` + stubborn + `); ` + stay, 3, nil},
		{"double fork without the variable", `(env -i PATH="$PATH" ` + stubborn + `) ; ` + stay, 2, nil},
		{"leader ended", `(` + stubborn + `) ; sh -c '` + stay + `' & exit 0`, 2, nil},
		{"forks all the time", `trap '' TERM; f() { echo $$ >&3; while :; do (sleep 0.01 &) ; done; }; f & f & f`, 3, nil},
		{"background group", `set -m; sh -c '` + stay + `' & ` + stay, 2, nil},
	} {
		for _, how := range []struct {
			name   string
			grace  time.Duration
			adopts bool
		}{{"at once", 0, true}, {"with grace", 30 * time.Millisecond, true}, {"at once, of all processes", 0, false}, {"with grace, of all processes", 30 * time.Millisecond, false}} {
			t.Run(tc.name+"/"+how.name, func(t *testing.T) {
				tr := startWithHolder(t, tc.script, tc.env...)
				tr.pids(tc.say)
				tr.ref.Subreaper = how.adopts
				res, err := Terminate(t.Context(), tr.ref, Options{Grace: how.grace})
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("took %v for %d processes", res.Took, len(res.Signaled))
				if len(res.Survivors) != 0 {
					t.Errorf("survivors %+v", res.Survivors)
				}
				if !Alive(tr.ref.Holder) {
					t.Error("the holder was killed")
				}
				tr.close()
				tr.assertAllGone()
			})
		}
	}
}

func TestTerminateFindsOrphansByVariable(t *testing.T) {
	tr := startTree(t, `(`+stubborn+`) ; `+stay)
	tr.pids(2)
	if res, err := Terminate(t.Context(), tr.ref, Options{}); err != nil || len(res.Survivors) != 0 {
		t.Errorf("result %+v, %v", res, err)
	}
	tr.assertAllGone()
}

func TestTerminateSparesNestedHolder(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The client that starts the inner holder exits, so that holder is adopted.
	t.Setenv("PROC_TEST_INNER", stay)
	inner := `(PROC_TEST_ROLE=holder PROC_TEST_JOB=inner PROC_TEST_SCRIPT="$PROC_TEST_INNER" setsid bash -c 'exec -a hob-holder "$0"' ` + exe + ` 4>&3 </dev/zero &)`
	tr := startWithHolder(t, inner+`; `+stay)
	// Both leaders write their pids. The inner holder writes the inner leader's pid again,
	// with its start time.
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
	holder, err := IdentityOf(nested.PPID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		Terminate(context.Background(), JobRef{Leader: nested.Identity(), Session: nested.PID, Holder: holder, JobID: "inner"}, Options{})
		Signal(holder, 9)
	})
	waitUntil(t, "nested holder adopted", func() bool {
		p, err := Stat(holder.PID)
		return err == nil && p.PPID == tr.ref.Holder.PID
	})
	res, err := Terminate(t.Context(), tr.ref, Options{Grace: time.Minute})
	if err != nil || len(res.Survivors) != 0 || res.Escalated {
		t.Errorf("result %+v, %v", res, err)
	}
	if Alive(tr.ref.Leader) {
		t.Error("the outer leader is alive")
	}
	if !Alive(holder) || !Alive(nested.Identity()) {
		t.Error("the nested job was killed with the outer one")
	}
	// Ending the inner job does not end the outer one.
	ref := JobRef{Leader: nested.Identity(), Session: nested.PID, Holder: holder, JobID: "inner"}
	if _, err := Terminate(t.Context(), ref, Options{}); err != nil {
		t.Fatal(err)
	}
	if Alive(nested.Identity()) || !Alive(holder) || !Alive(tr.ref.Holder) {
		t.Error("ending the inner job ended the wrong processes")
	}
}

func TestTerminateReportsProcessesItMayNotSignal(t *testing.T) {
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
	if len(res.Signaled) != 0 || !slices.ContainsFunc(res.Survivors, func(p Process) bool { return p.PID == tr.ref.Leader.PID }) {
		t.Errorf("result %+v", res)
	}
	if !Alive(tr.ref.Leader) {
		t.Error("the leader has ended")
	}
}

func TestTerminateKeepsDaemons(t *testing.T) {
	tr := startWithHolder(t, stubborn+stay)
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
		t.Errorf("left: %+v, want only the daemon and its child", left)
	}
}

func TestMembersOfLostJobByVariable(t *testing.T) {
	tr := startTree(t, `(`+stubborn+`) ; `+stay)
	want := tr.pids(2)
	members, err := Members(JobRef{JobID: tr.ref.JobID})
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, p := range members {
		pids = append(pids, p.PID)
	}
	for _, pid := range want {
		if !slices.Contains(pids, pid) {
			t.Errorf("members %v lack %d", pids, pid)
		}
	}
}

func TestReaperReapsOnlyOrphans(t *testing.T) {
	if os.Getenv("PROC_TEST_REAPING") == "" {
		// Reap in a new process, because this one has children of other tests.
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
	// It has ended and is first in the kernel's list, before the orphans.
	waitUntil(t, "child ended", func() bool { p, err := Stat(own.Process.Pid); return err == nil && p.Dead() })
	r2, w2 := pipe(t)
	parent := exec.Command("sh", "-c", `(sh -c 'echo $$ >&3; exit 5' &) ; (sh -c 'echo $$ >&3; kill -9 $$' &)`)
	parent.ExtraFiles = []*os.File{w2}
	if err := parent.Run(); err != nil {
		t.Fatal(err)
	}
	said := lines(r2)
	orphans := []int{readInt(t, said), readInt(t, said)}
	waitUntil(t, "both orphans reaped", func() bool {
		r.ReapOrphans()
		return !slices.ContainsFunc(orphans, func(pid int) bool { _, err := Stat(pid); return err == nil })
	})
	if err := own.Wait(); own.ProcessState.ExitCode() != 3 {
		t.Errorf("own child: %v", err)
	}
}

func TestScan(t *testing.T) {
	tr := startTree(t, `sh -c '`+stay+`' & `+stay)
	pids := tr.pids(2)
	var s Scanner
	procs, err := s.Scan()
	if err != nil {
		t.Fatal(err)
	}
	snapshot := byPID(procs)
	leader := tr.ref.Leader.PID
	child := pids[0]
	if child == leader {
		child = pids[1]
	}
	self, ok := snapshot[os.Getpid()]
	if !ok || self.RSS == 0 || self.Threads < 2 || self.Start == 0 {
		t.Errorf("this process: %+v", self)
	}
	if p, ok := snapshot[child]; !ok || p.PPID != leader || p.PGID != leader || p.Session != leader {
		t.Errorf("the child: %+v", p)
	}
	if args, err := Cmdline(child); err != nil || !slices.Equal(args, []string{"sh", "-c", stay}) {
		t.Errorf("command line %q, %v", args, err)
	}
	if _, err := strconv.ParseUint(tr.ref.Leader.Start, 10, 64); err != nil {
		t.Errorf("start %q", tr.ref.Leader.Start)
	}
}
