//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh"
	"github.com/hobjobs/hob/internal/testtool"
)

// remote is a server on this machine and an engine whose jobs run there, in this
// process: what is measured is the engine, not how long a program takes to start.
type remote struct {
	dir, config string
	server      *exec.Cmd
	eng         *engine.Engine
}

// remotely makes a measure of one that needs a server. What is measured stands
// beside ssh itself.
func remotely(m func(*remote, context.Context, *lab) ([]row, error)) func(context.Context, *lab) ([]row, error) {
	return func(ctx context.Context, l *lab) (_ []row, err error) {
		r, err := l.remote(ctx)
		if err != nil || r == nil {
			return nil, err
		}
		defer func() { err = join(err, r.close()) }()
		return m(r, ctx, l)
	}
}

// remote starts a server; nil if there is none to start.
func (l *lab) remote(ctx context.Context) (_ *remote, err error) {
	for _, tool := range []string{"sshd", "ssh", "ssh-keygen"} {
		if _, err := exec.LookPath(tool); err != nil {
			fmt.Fprintf(l.stderr, "left out: %s is not here\n", tool)
			return nil, nil
		}
	}
	dir, err := l.room("r")
	if err != nil {
		return nil, err
	}
	r := &remote{dir: dir, config: filepath.Join(dir, "config")}
	defer func() {
		if err != nil {
			err = join(err, r.close())
		}
	}()
	addr, err := r.serve(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.writeConfig(addr); err != nil {
		return nil, err
	}
	r.eng, err = engine.New(engine.WithStateDir(filepath.Join(dir, "here")), engine.WithClient("bench"), engine.WithBackend(ssh.New(ssh.WithConfigFile(r.config))),
		engine.WithRetention(engine.Retention{Count: 100_000}))
	return r, err
}

func (r *remote) serve(ctx context.Context) (addr string, err error) {
	for _, key := range []string{"id", "host"} {
		if out, err := exec.CommandContext(ctx, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(r.dir, key)).CombinedOutput(); err != nil {
			return "", fmt.Errorf("ssh-keygen: %w: %s", err, out)
		}
	}
	if addr, err = testtool.FindAddr(); err != nil {
		return "", err
	}
	_, port, _ := net.SplitHostPort(addr) // it is the address of a listener
	lines := []string{
		"Port " + port, "ListenAddress 127.0.0.1", "HostKey " + filepath.Join(r.dir, "host"), "AuthorizedKeysFile " + filepath.Join(r.dir, "id.pub"),
		"UsePAM no", "StrictModes no", "PidFile none", "PermitRootLogin yes", "PasswordAuthentication no", "KbdInteractiveAuthentication no",
		"SetEnv HOB_STATE_DIR=" + filepath.Join(r.dir, "there"),
	}
	config := filepath.Join(r.dir, "sshd_config")
	if err := os.WriteFile(config, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		return "", err
	}
	path, err := exec.LookPath("sshd") // it insists on an absolute one
	if err != nil {
		return "", err
	}
	if os.Geteuid() == 0 { // the place that it insists on then
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			return "", err
		}
	}
	r.server = exec.Command(path, "-D", "-e", "-f", config)
	if err := r.server.Start(); err != nil {
		return "", err
	}
	for {
		if c, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr); err == nil {
			return addr, c.Close()
		}
		if err := rest(ctx, 10*time.Millisecond); err != nil {
			return "", fmt.Errorf("sshd does not listen: %w", err)
		}
	}
}

func (r *remote) writeConfig(addr string) error {
	me, err := user.Current()
	if err != nil {
		return err
	}
	host, port, _ := net.SplitHostPort(addr)
	key, err := os.ReadFile(filepath.Join(r.dir, "host.pub"))
	if err != nil {
		return err
	}
	known := filepath.Join(r.dir, "known_hosts")
	if err := os.WriteFile(known, fmt.Appendf(nil, "[%s]:%s %s", host, port, key), 0o600); err != nil {
		return err
	}
	text := fmt.Sprintf("Host box\n HostName %s\n Port %s\n User %s\n IdentityFile %s\n IdentitiesOnly yes\n IdentityAgent none\n UserKnownHostsFile %s\n"+
		" GlobalKnownHostsFile /dev/null\n ControlPath none\n LogLevel ERROR\n", host, port, me.Username, filepath.Join(r.dir, "id"), known)
	return os.WriteFile(r.config, []byte(text), 0o600)
}

// close ends the jobs, the engine and the server. The jobs are killed by what their
// directories say: their host is this machine, and there may be hundreds.
func (r *remote) close() error {
	var errs []error
	files, err := filepath.Glob(filepath.Join(r.dir, "there", "jobs", "*", "pid"))
	errs = append(errs, err)
	for _, file := range files {
		if _, err := os.Stat(filepath.Join(filepath.Dir(file), "exit_code")); err == nil {
			continue
		}
		data, err := os.ReadFile(file)
		first, _, _ := strings.Cut(string(data), " ")
		if pid, numErr := strconv.Atoi(first); err == nil && numErr == nil && pid > 1 {
			err = syscall.Kill(-pid, syscall.SIGKILL)
		}
		if err != nil && !errors.Is(err, syscall.ESRCH) {
			errs = append(errs, err)
		}
	}
	if r.eng != nil {
		errs = append(errs, r.eng.Close())
	}
	if r.server != nil && r.server.Process != nil {
		errs = append(errs, r.server.Process.Kill())
		_ = r.server.Wait() // it says that it was killed
	}
	return errors.Join(errs...)
}

func (r *remote) ssh(ctx context.Context, host, command string) *exec.Cmd {
	return exec.CommandContext(ctx, "ssh", "-F", r.config, host, command)
}

// lists is how long a look at many running jobs takes.
func (r *remote) lists(ctx context.Context, l *lab) ([]row, error) {
	n := l.count(500, 100)
	for range n {
		if _, err := r.eng.Start(ctx, engine.Spec{Command: []string{"sleep", "3600"}, Host: "box", Backgrounded: true}); err != nil {
			return nil, fmt.Errorf("start: %w", err)
		}
	}
	var ours, floor []float64
	for range l.count(30, 10) {
		begin := time.Now()
		jobs, err := r.eng.List(ctx, engine.Filter{Host: "box"})
		if err != nil {
			return nil, err
		}
		ours = append(ours, milliseconds(time.Since(begin)))
		for _, j := range jobs {
			if j.Status != engine.Running || j.Link != engine.LinkOK {
				return nil, fmt.Errorf("%s is %s, %s %s", j.ID, j.Status, j.Link, j.LinkError)
			}
		}
		begin = time.Now()
		if out, err := r.ssh(ctx, "box", "cd "+filepath.Join(r.dir, "there", "jobs")+" && ls -ln */output.log").CombinedOutput(); err != nil {
			return nil, fmt.Errorf("ls: %w: %s", err, out)
		}
		floor = append(floor, milliseconds(time.Since(begin)))
	}
	return []row{{
		what: fmt.Sprintf("ssh: how %d running jobs stand", n), format: "%.1f ms",
		values: []value{{who: "ssh HOST ls -ln", n: median(floor)}, {n: median(ours)}}, aim: "30 ms",
	}}, nil
}
