//go:build linux

package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/hobjobs/hob/internal/testtool"
)

// remoteKeys is how long a key takes until it is drawn, in a job on a host that is attached, and in ssh itself: on
// this machine, and over a line of 100 ms each way.
func remoteKeys(l *lab) {
	for _, delay := range []time.Duration{0, 100 * time.Millisecond} {
		n := l.count(200, 40)
		if delay > 0 {
			n = l.count(50, 6)
		}
		what := fmt.Sprintf("ssh: a key to be drawn in an attached job (%d keys, %d ms each way)", n, delay.Milliseconds())
		scripts := newRow(what, "%.1f ms", "")
		holders := newRow("the same, with hob-holder", "%.1f ms", "ssh + 10 ms")
		for _, row := range []*row{scripts, holders} {
			r := l.remote(delay)
			if r == nil {
				return
			}
			if row == holders {
				r.install()
			}
			floor := r.keys(n, r.sshProgram("-tt", "box", "echo ready; "+sink), "ready")
			h := l.hob()
			h.env = append(h.env, "HOB_STATE_DIR="+r.here, "PATH="+r.wrapper()+string(os.PathListSeparator)+os.Getenv("PATH"))
			output(h.command("run", "-b", "--pty", "--on", "box", "-n", "cat", "-c", sink))
			ours := r.keys(n, h.command("attach", "cat"), "attached")
			output(h.command("kill", "cat"))
			row.add("ssh -tt HOST", quantile(floor, 50), "").add("", quantile(ours, 50), fmt.Sprintf("95 of 100 within %.1f ms", quantile(ours, 95)))
			l.release()
		}
		l.print(scripts, holders)
	}
}

// keys types n keys into a program on a terminal, once it shows ready, each when the one before was drawn.
func (r *remote) keys(n int, cmd *exec.Cmd, ready string) (took []float64) {
	v := r.l.view(cmd)
	defer v.close()
	v.see(ready)
	next := letters()
	for i := range n {
		r.l.rest(keyEvery)
		key, text, gone := next(i)
		begin := time.Now()
		v.press(key)
		if !v.shows(viewLimit, text, gone) {
			check(fmt.Errorf("key %d was not drawn", i))
		}
		if i > 0 { // a terminal may not be ready for the first
			took = append(took, since(begin))
		}
	}
	return took
}

// sshProgram is ssh with these arguments.
func (r *remote) sshProgram(args ...string) *exec.Cmd {
	return exec.CommandContext(r.l.ctx, "ssh", append([]string{"-F", r.config}, args...)...)
}

// wrapper returns a directory with an ssh that reads the configuration of r.
func (r *remote) wrapper() string {
	dir := r.l.room("b")
	path := must(exec.LookPath("ssh"))
	check(testtool.WriteProgram(filepath.Join(dir, "ssh"), fmt.Sprintf("#!/bin/sh\nexec %s -F %s \"$@\"\n", path, r.config)))
	return dir
}

// delayed returns an address that leads to addr over a line that delays each way by delay.
func delayed(l *lab, addr string, delay time.Duration) string {
	if delay == 0 {
		return addr
	}
	listener := must(new(net.ListenConfig).Listen(l.ctx, "tcp", "127.0.0.1:0"))
	l.Cleanup(func() { check(listener.Close()) })
	go func() { // ends with the listener
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := new(net.Dialer).DialContext(l.ctx, "tcp", addr)
			if err != nil {
				_ = near.Close()
				continue
			}
			go carry(near, far, delay)
			go carry(far, near, delay)
		}
	}()
	return listener.Addr().String()
}

// carry writes to out what comes from in, later by delay.
func carry(out io.WriteCloser, in io.Reader, delay time.Duration) {
	type piece struct {
		data []byte
		due  time.Time
	}
	pieces := make(chan piece, 1<<12)
	go func() { // ends with in
		defer close(pieces)
		for {
			buf := make([]byte, 32<<10)
			n, err := in.Read(buf)
			if n > 0 {
				pieces <- piece{buf[:n], time.Now().Add(delay)}
			}
			if err != nil {
				return
			}
		}
	}()
	for p := range pieces {
		time.Sleep(time.Until(p.due))
		_, _ = out.Write(p.data) // after an error the other end has gone
	}
	_ = out.Close()
}
