//go:build linux || darwin

package local

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/proc"
)

// readyPatience is how long a holder may take to start its job. It takes
// milliseconds; a machine that swaps may need seconds.
const readyPatience = 30 * time.Second

// Capabilities implements [engine.Backend].
func (b *Backend) Capabilities() engine.Capabilities {
	return engine.Capabilities{PTY: true, Stdin: true, Split: true, Resize: true, Screen: true, LogLimit: true, TTYStdin: true}
}

// Start implements [engine.Backend].
func (b *Backend) Start(ctx context.Context, l engine.Launch) (engine.Run, error) {
	b.mu.Lock()
	closed := b.closed
	b.mu.Unlock()
	if closed {
		return nil, engine.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	cfg := launchConfig{
		Dir: l.Dir, Env: l.Env, Set: slices.Sorted(maps.Keys(l.Spec.Env)),
		RuntimeDir: runtimeDir(), Notify: b.notify, Stdin: l.Stdin != nil,
	}
	run, err := b.Open(ctx, l.Record)
	if err != nil {
		return nil, err
	}
	b.kids.reap()
	if b.inProcess {
		err = b.inner.start(cfg, l.Stdin)
	} else {
		err = b.spawn(string(l.ID), cfg, l.Stdin)
	}
	if errors.Is(err, errHolderDied) && lostAtStart(l.Dir, cfg.RuntimeDir) {
		return run, nil
	}
	if err != nil {
		return nil, &engine.Error{Op: "start", Job: l.ID, Backend: b.Name(), Err: err}
	}
	return run, nil
}

// holderProcess is a holder that waits for its configuration.
type holderProcess struct {
	pid    int
	config *os.File // what it is told; closed when that was said
	reply  *os.File
}

// spawn starts a holder and waits until its job runs.
func (b *Backend) spawn(id string, cfg launchConfig, stdin *os.File) error {
	data, err := json.Marshal(cfg)
	if err != nil {
		return err
	}
	var p *holderProcess
	if stdin == nil {
		p = b.takeSpare()
	}
	if p == nil {
		path, args, err := b.holderCommand()
		if err != nil {
			return err
		}
		if p, err = startHolder(path, append([]string{id}, args...), stdin); err != nil {
			return err
		}
	}
	defer p.reply.Close()
	b.kids.add(p.pid)
	_, werr := p.config.Write(data)
	_ = p.config.Close()
	return b.ready(p.pid, p.reply, werr)
}

// startHolder executes the program at path as a holder. stdin is lent or nil.
func startHolder(path string, args []string, stdin *os.File) (*holderProcess, error) {
	configR, configW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	replyR, replyW, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, configR.Close(), configW.Close())
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, errors.Join(err, configR.Close(), configW.Close(), replyR.Close(), replyW.Close())
	}
	// Standard error goes with the reply: what a holder that dies says is the
	// reason then.
	files := []uintptr{configR.Fd(), null.Fd(), replyW.Fd(), replyW.Fd()}
	if stdin != nil {
		files = append(files, stdin.Fd())
	}
	pid, err := forkUnmasked(path, append([]string{proc.HolderName}, args...), &syscall.ProcAttr{
		Dir: "/", Env: holderEnviron(), Files: files, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	err = errors.Join(err, configR.Close(), replyW.Close(), null.Close())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start the job's holder %s: %w", path, err), configW.Close(), replyR.Close())
	}
	return &holderProcess{pid: pid, config: configW, reply: replyR}, nil
}

// ready waits for the holder's answer.
func (b *Backend) ready(pid int, replyR *os.File, werr error) error {
	_ = replyR.SetReadDeadline(time.Now().Add(readyPatience))
	said, err := io.ReadAll(io.LimitReader(replyR, 64<<10))
	if errors.Is(err, os.ErrDeadlineExceeded) {
		// Our own child that was not reaped: the number is still its.
		_ = syscall.Kill(pid, syscall.SIGKILL)
		return fmt.Errorf("%w: no answer within %v", errHolderDied, readyPatience)
	}
	lines := bufio.NewScanner(strings.NewReader(string(said)))
	for lines.Scan() {
		var r launchReply
		if json.Unmarshal(lines.Bytes(), &r) != nil {
			continue
		}
		if r.Error != "" {
			return errors.New(r.Error)
		}
		return nil
	}
	text := strings.TrimSpace(string(said))
	if len(text) > 2000 {
		text = text[:2000] + "…"
	}
	return errors.Join(fmt.Errorf("%w: %q", errHolderDied, text), err, werr)
}

// holderCommand is the program to execute as a holder, and its arguments behind
// argv[0] and the id.
func (b *Backend) holderCommand() (path string, args []string, err error) {
	if len(b.command) == 0 {
		path, err = ownProgram()
		return path, nil, err
	}
	path, err = exec.LookPath(b.command[0])
	if err != nil {
		return "", nil, fmt.Errorf("find the program that holds jobs: %w", err)
	}
	return path, b.command[1:], nil
}

// holderEnviron is the holder's own environment: nothing of the caller's, which
// is the job's and would only grow old here. The Go runtime is kept small: one
// thread that runs Go code is enough, profiles are not read, and the first garbage
// is only collected at two megabytes of it, which an idle holder never has: a
// collection costs it more memory than it frees.
func holderEnviron() []string {
	env := []string{"GOMAXPROCS=1", "GOGC=50", "GOTRACEBACK=single", "GODEBUG=memprofilerate=0"}
	for _, name := range []string{"TMPDIR", "TZ", "GOCOVERDIR"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// children are the holders that this process started and has to reap. Their ends
// are learnt from their jobs; the process table is tidied when there is occasion.
type children struct {
	mu   sync.Mutex
	pids []int
}

func (c *children) add(pid int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pids = append(c.pids, pid)
}

func (c *children) reap() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pids = slices.DeleteFunc(c.pids, func(pid int) bool {
		got, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		return got == pid || errors.Is(err, syscall.ECHILD)
	})
}
