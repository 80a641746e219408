//go:build linux

// Package slurmtest runs a Slurm cluster on this machine for tests: the real programs, in a directory
// of the test, with nodes that have host names, boots and processes of their own.
package slurmtest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hobjobs/hob/internal/testtool"
)

// patience bounds each wait for a daemon; a machine that does nothing else needs two seconds in all.
const patience = 90 * time.Second

// Cluster is a running cluster. Its nodes, n1 and n2 after [Start], have Cores each. Its partitions are main (the
// default), urgent, whose jobs preempt those of main and may last an hour, closed, which takes no jobs,
// and shut, which starts none.
type Cluster struct {
	t     testing.TB
	nodes []string
	dir   string
	logs  []string
	ctl   *daemon
	pids  map[string]int // of the processes that started the nodes, by name
}

// Cores is how many cores each node pretends to have.
const Cores = 16

// Start starts a cluster, which ends with the test and its subtests. Its configuration ends with
// settings, such as "MinJobAge=2". The test is skipped, and fails in CI, if the programs are missing or
// the user is not root.
func Start(t testing.TB, settings ...string) *Cluster {
	t.Helper()
	return start(t, []string{"n1", "n2"}, settings)
}

// StartWithMemoryLimits is like Start, for a cluster with one node, whose kernel ends what uses more memory
// than a job may. The test is skipped where Slurm's plugin for control groups of version 1 has none.
func StartWithMemoryLimits(t testing.TB) *Cluster {
	t.Helper()
	const groups = "/sys/fs/cgroup/memory"
	if _, err := os.Stat(filepath.Join(groups, "memory.limit_in_bytes")); err != nil {
		t.Skip("needs control groups of version 1 with memory")
	}
	node := "m" + strings.ToLower(rand.Text()[:8]) // Slurm names its control groups after it
	t.Cleanup(func() {
		left, _ := filepath.Glob("/sys/fs/cgroup/*/slurm_" + node)
		for _, dir := range left {
			exec.Command("find", dir, "-depth", "-type", "d", "-exec", "rmdir", "{}", "+").Run() //nolint:errcheck // they are empty
		}
	})
	return start(t, []string{node}, []string{
		"ProctrackType=proctrack/cgroup", "TaskPlugin=task/cgroup", "JobAcctGatherType=jobacct_gather/cgroup", "SelectTypeParameters=CR_CPU_Memory", "DefMemPerCPU=50",
	})
}

func start(t testing.TB, nodes, settings []string) *Cluster {
	t.Helper()
	testtool.NeedRoot(t)
	testtool.Need(t, "munged", "slurmctld", "slurmd", "sbatch", "unshare", "mount")
	dir, err := os.MkdirTemp("", "hobslurm") // munged refuses long paths
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// The last processes of a node end a moment after the program that started it.
		for end := time.Now().Add(patience); ; <-time.After(20 * time.Millisecond) {
			if err := os.RemoveAll(dir); err == nil || time.Now().After(end) {
				return
			}
		}
	})
	c := &Cluster{t: t, nodes: nodes, dir: dir, pids: map[string]int{}}
	for _, sub := range []string{"", "munge", "state", "log"} {
		c.mkdir(sub, 0o755)
	}
	key := make([]byte, 128)
	rand.Read(key)
	c.write("munge/key", string(key), 0o600)
	c.write("slurm.conf", c.config(settings), 0o644)
	c.write("cgroup.conf", "CgroupPlugin=cgroup/v1\nCgroupMountpoint=/sys/fs/cgroup\nConstrainRAMSpace=yes\nConstrainSwapSpace=yes\nAllowedSwapSpace=0\n", 0o644)

	c.daemon("munged", "munged", "-F", "--force", "--num-threads=2", "--key-file="+c.path("munge/key"), "--socket="+c.path("munge/socket"),
		"--pid-file="+c.path("munge/pid"), "--log-file="+c.path("log/munged.log"), "--seed-file="+c.path("munge/seed"))
	c.await("munged answers", func() error { return c.try("munge", "-n", "-S", c.path("munge/socket")) })
	c.startController()
	for _, node := range nodes {
		c.mkdir("spool."+node, 0o755)
		d := c.daemon("slurmd."+node, "unshare", "--pid", "--mount", "--uts", "--fork", "--kill-child", "--mount-proc", "sh", "-c", nodeScript, "sh", node, dir)
		c.pids[node] = d.cmd.Process.Pid
	}
	c.await("all nodes are idle", func() error {
		out, err := c.output("sinfo", "-h", "-N", "-p", "main", "-o", "%t")
		if err == nil && strings.Join(strings.Fields(out), " ") != strings.TrimSpace(strings.Repeat("idle ", len(nodes))) {
			err = fmt.Errorf("the nodes are %q", strings.Fields(out))
		}
		return err
	})
	return c
}

// nodeScript turns its process into a node with a host name and a boot ID of its own.
const nodeScript = `hostname "$1" && cat /proc/sys/kernel/random/uuid >"$2/boot.$1" &&
mount --bind "$2/boot.$1" /proc/sys/kernel/random/boot_id && exec slurmd -D -N "$1" -f "$2/slurm.conf"`

// Env is what programs need in their environment to use the cluster.
func (c *Cluster) Env() []string { return []string{"SLURM_CONF=" + c.path("slurm.conf")} }

// Run runs a program of Slurm and returns what it prints; the test t fails if that does.
func (c *Cluster) Run(t testing.TB, name string, args ...string) string {
	t.Helper()
	out, err := c.output(name, args...)
	if err != nil {
		t.Fatalf("%s %q: %v", name, args, err)
	}
	return strings.TrimSpace(out)
}

// Forgotten waits until Slurm does not know jobs with these names. It needs the setting MinJobAge.
func (c *Cluster) Forgotten(t testing.TB, names ...string) {
	t.Helper()
	list := strings.Join(names, ",")
	for end := time.Now().Add(patience); ; <-time.After(100 * time.Millisecond) {
		known := c.Run(t, "squeue", "-h", "-t", "all", "-n", list)
		if known == "" {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("Slurm does not forget %s:\n%s", list, known)
		}
	}
}

// Hide makes files that the node with that name writes in dir visible on the other machines only after
// the returned function is called, as NFS may do. That ends with the node.
func (c *Cluster) Hide(t testing.TB, node, dir string) (show func()) {
	t.Helper()
	testtool.Need(t, "nsenter", "cp")
	own, err := os.MkdirTemp(c.dir, "late")
	if err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{"upper", "work"} {
		if err := os.Mkdir(filepath.Join(own, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	inNode := []string{"-m", "-t", strconv.Itoa(c.pids[node])}
	options := "lowerdir=" + dir + ",upperdir=" + own + "/upper,workdir=" + own + "/work"
	c.Run(t, "nsenter", append(inNode, "mount", "-t", "overlay", "overlay", "-o", options, dir)...)
	return func() { c.Run(t, "cp", "-a", own+"/upper/.", dir) }
}

// Hold stops the controller, so that it does not respond, until the returned function is called.
func (c *Cluster) Hold() (release func()) {
	c.t.Helper()
	c.signal(syscall.SIGSTOP)
	return func() { c.signal(syscall.SIGCONT) }
}

func (c *Cluster) signal(s syscall.Signal) {
	c.t.Helper()
	if err := c.ctl.cmd.Process.Signal(s); err != nil {
		c.t.Fatal(err)
	}
}

func (c *Cluster) path(name string) string { return filepath.Join(c.dir, name) }

func (c *Cluster) mkdir(name string, mode os.FileMode) {
	if err := os.MkdirAll(c.path(name), mode); err != nil {
		c.t.Fatal(err)
	}
	if err := os.Chmod(c.path(name), mode); err != nil {
		c.t.Fatal(err)
	}
}

func (c *Cluster) write(name, text string, mode os.FileMode) {
	if err := os.WriteFile(c.path(name), []byte(text), mode); err != nil {
		c.t.Fatal(err)
	}
}

func (c *Cluster) config(settings []string) string {
	host, err := os.Hostname()
	if err != nil {
		c.t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	me, err := user.Current()
	if err != nil {
		c.t.Fatal(err)
	}
	port := func() string {
		_, port, _ := net.SplitHostPort(testtool.FreeAddr(c.t))
		return port
	}
	var b strings.Builder
	fmt.Fprintf(&b, "ClusterName=test\nSlurmctldHost=%s(127.0.0.1)\nSlurmctldPort=%s\nSlurmUser=%s\nSlurmdUser=%[3]s\n", host, port(), me.Username)
	fmt.Fprintf(&b, "AuthType=auth/munge\nAuthInfo=socket=%[1]s/munge/socket\nCredType=cred/munge\nStateSaveLocation=%[1]s/state\nSlurmdSpoolDir=%[1]s/spool.%%n\n"+
		"SlurmctldPidFile=%[1]s/ctl.pid\nSlurmdPidFile=%[1]s/%%n.pid\nSlurmctldLogFile=%[1]s/log/slurmctld.log\nSlurmdLogFile=%[1]s/log/slurmd.%%n.log\n", c.dir)
	b.WriteString(`ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
SwitchType=switch/none
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0,sched_min_interval=0
KillWait=60
ReturnToService=2
EnforcePartLimits=ALL
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
`)
	for _, node := range c.nodes {
		fmt.Fprintf(&b, "NodeName=%s NodeHostname=%s NodeAddr=127.0.0.1 Port=%s CPUs=%d RealMemory=8000 State=UNKNOWN\n", node, host, port(), Cores)
	}
	b.WriteString(`PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE DefaultTime=60 PriorityTier=10 State=UP
PartitionName=urgent Nodes=ALL MaxTime=60 PriorityTier=20 PreemptMode=OFF State=UP
PartitionName=closed Nodes=ALL AllowAccounts=others State=UP
PartitionName=shut Nodes=ALL State=DOWN
`)
	for _, s := range settings {
		b.WriteString(s + "\n")
	}
	return b.String()
}

func (c *Cluster) startController() {
	c.ctl = c.daemon("slurmctld", "slurmctld", "-D", "-f", c.path("slurm.conf"))
}

// daemon is a program that runs until the test ends.
type daemon struct {
	cmd  *exec.Cmd
	gone chan struct{}
}

// daemon starts a program, whose output is kept for the message of a failure.
func (c *Cluster) daemon(name string, argv ...string) *daemon {
	c.t.Helper()
	file := c.path("log/" + name + ".out")
	log, err := os.Create(file)
	if err != nil {
		c.t.Fatal(err)
	}
	defer log.Close()
	c.logs = append(c.logs, file, c.path("log/"+name+".log"))
	d := &daemon{cmd: exec.Command(argv[0], argv[1:]...), gone: make(chan struct{})}
	d.cmd.Stdout, d.cmd.Stderr = log, log
	// What is set here must not get into jobs.
	d.cmd.Env = append(c.Env(), "PATH="+os.Getenv("PATH"), "HOME="+os.Getenv("HOME"))
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	go func() {
		defer close(d.gone)
		// The daemon ends with the thread that starts it: also with a test program that is killed.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := d.cmd.Start()
		if started <- err; err == nil {
			d.cmd.Wait() //nolint:errcheck // it is killed
		}
	}()
	if err := <-started; err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		// The end of a node is that of everything on it; nothing else starts processes.
		d.cmd.Process.Kill() //nolint:errcheck // it may have ended
		<-d.gone
	})
	return d
}

// await waits until ready returns nil. The test fails with the daemons' last words if it does not.
func (c *Cluster) await(what string, ready func() error) {
	c.t.Helper()
	end := time.Now().Add(patience)
	for {
		err := ready()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			c.t.Fatalf("the Slurm cluster does not start: until %s: %v\n%s", what, err, c.lastLogLines())
		}
		<-time.After(50 * time.Millisecond)
	}
}

func (c *Cluster) lastLogLines() string {
	var b strings.Builder
	for _, file := range c.logs {
		text, err := os.ReadFile(file)
		if err != nil || len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		fmt.Fprintf(&b, "%s:\n\t%s\n", filepath.Base(file), strings.Join(lines[max(0, len(lines)-15):], "\n\t"))
	}
	return b.String()
}

func (c *Cluster) try(name string, args ...string) error {
	_, err := c.output(name, args...)
	return err
}

func (c *Cluster) output(name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), c.Env()...)
	out, err := cmd.Output()
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(e.Stderr))
	}
	return string(out), err
}
