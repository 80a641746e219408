//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh"
	"github.com/hobjobs/hob/internal/sshtest"
)

// remote is an SSH server on this machine and an engine in this process whose jobs
// run there: what is measured is the engine, not how long a program takes to start.
type remote struct {
	l      *lab
	state  string // of the server's jobs
	here   string // state directory of the engine
	config string
	eng    *engine.Engine
}

// remote starts a server, behind a line that delays each way by delay; nil if there is none to start.
func (l *lab) remote(delay time.Duration) *remote {
	for _, tool := range []string{"sshd", "ssh"} {
		if !installed(tool) {
			fmt.Fprintf(l.stderr, "left out: %s is not here\n", tool)
			return nil
		}
	}
	client := sshtest.NewClient(l)
	r := &remote{l: l, state: l.room("r"), here: l.room("h"), config: client.ConfigFile}
	addr := sshtest.Sshd(l, client, []string{"HOB_STATE_DIR=" + r.state})
	client.AddHost(l, "box", delayed(l, addr, delay), "LogLevel ERROR", "HostKeyAlias ["+strings.Replace(addr, ":", "]:", 1))
	r.eng = must(engine.New(engine.WithStateDir(r.here), engine.WithClient("bench"),
		engine.WithBackend(ssh.New(ssh.WithConfigFile(r.config), ssh.WithPatience(time.Minute))), engine.WithRetention(engine.Retention{Count: 100_000})))
	l.Cleanup(r.close)
	return r
}

// install installs hob-holder on the server, for jobs that are started afterwards.
func (r *remote) install() {
	b := ssh.New(ssh.WithConfigFile(r.config))
	must(b.InstallHolder(r.l.ctx, "box", r.l.bin("hob-holder")))
	check(b.Close())
}

// close ends the jobs and the engine, also after the time for the measurements is over.
func (r *remote) close() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.l.ctx), 5*time.Minute)
	defer cancel()
	jobs := must(r.eng.List(ctx, engine.Filter{Running: true}))
	r.eng.StopAll(ctx, jobs, engine.StopOptions{Grace: engine.KillNow}, func(int, engine.StopReport, error) {})
	check(r.eng.Close())
}

// ssh runs a command on the server.
func (r *remote) ssh(command string) *exec.Cmd {
	return r.sshProgram("box", command)
}

// remoteLists is how long a look at many running jobs takes, which scripts or holders run.
func remoteLists(l *lab) {
	n := l.count(500, 100)
	what := fmt.Sprintf("ssh: how %d running jobs stand", n)
	scripts, holders := newRow(what, "%.1f ms", "30 ms"), newRow("the same, with hob-holder", "%.1f ms", "30 ms")
	for _, row := range []*row{scripts, holders} {
		r := l.remote(0)
		if r == nil {
			return
		}
		if row == holders {
			r.install()
		}
		ours, floor := r.lists(n)
		row.addMedian("ssh HOST ls -ln", floor, "").addMedian("", ours, "")
		l.release()
	}
	l.print(scripts, holders)
}

// lists starts n jobs and looks at them.
func (r *remote) lists(n int) (ours, floor []float64) {
	for range n {
		must(r.eng.Start(r.l.ctx, engine.Spec{Command: []string{"sleep", "3600"}, Host: "box", Backgrounded: true}))
	}
	for range r.l.count(30, 10) {
		begin := time.Now()
		jobs := must(r.eng.List(r.l.ctx, engine.Filter{Host: "box"}))
		ours = append(ours, since(begin))
		for _, j := range jobs {
			if j.Status != engine.Running || j.Link != engine.LinkOK {
				check(fmt.Errorf("%s is %s, %s %s", j.ID, j.Status, j.Link, j.LinkError))
			}
		}
		begin = time.Now()
		output(r.ssh("cd " + filepath.Join(r.state, "jobs") + " && ls -ln */output.log"))
		floor = append(floor, since(begin))
	}
	return ours, floor
}

// stamps prints the time, in nanoseconds, at moments that do not depend on when
// the log is read.
const stamps = "i=0; while [ $i -lt %d ]; do date +%%s%%N; i=$((i+1)); sleep 0.1$((i*37%%97)); done"

// remoteFollows is how long a line takes from a job's write to a program that
// shows its log.
func remoteFollows(l *lab) {
	r := l.remote(0)
	if r == nil {
		return
	}
	script := fmt.Sprintf(stamps, l.count(150, 40))
	ours := r.follow(must(r.eng.Start(l.ctx, engine.Spec{Script: script, Host: "box"})).ID)
	tail := r.ssh(script)
	out := must(tail.StdoutPipe())
	check(tail.Start())
	var floor []float64
	for lines := bufio.NewScanner(out); lines.Scan(); {
		floor = append(floor, age(lines.Text()))
	}
	check(tail.Wait())
	what := "ssh: a line, from the job to its open log, "
	l.print(
		newRow(what+"median", "%.1f ms", "").add("ssh HOST", quantile(floor, 50), "").add("", quantile(ours, 50), ""),
		newRow(what+"95 of 100", "%.1f ms", "120 ms").add("ssh HOST", quantile(floor, 95), "").add("", quantile(ours, 95), ""),
	)
}

// follow reads as the log pane does: what is new when the engine reports an event.
func (r *remote) follow(id engine.ID) (took []float64) {
	sub := r.eng.Subscribe(engine.Filter{Host: "box"})
	defer sub.Close()
	var rest string
	var off int64
	log := must(r.eng.Handle(id).Log(r.l.ctx, engine.StreamOutput))
	defer log.Close()
	buf := make([]byte, 64<<10)
	for over := false; !over; {
		for _, e := range must(sub.Next(r.l.ctx)) {
			over = over || e.Job.ID == id && e.Job.Status.Finished()
		}
		for {
			n, err := log.ReadAt(r.l.ctx, buf, off)
			if err != nil && !errors.Is(err, io.EOF) {
				check(err)
			}
			if n == 0 {
				break
			}
			off += int64(n)
			rest += string(buf[:n])
			for line, more, ok := strings.Cut(rest, "\n"); ok; line, more, ok = strings.Cut(rest, "\n") {
				took, rest = append(took, age(line)), more
			}
		}
	}
	return took
}

// age is how long ago a line of [stamps] was written, in milliseconds.
func age(line string) float64 {
	ns, err := strconv.ParseInt(line, 10, 64)
	if err != nil {
		return 0
	}
	return since(time.Unix(0, ns))
}
