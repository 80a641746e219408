package campaign

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/testtool/stage"
)

// A round is one job and the faults it is subjected to.
type round struct {
	plan
	*world
	dir string // of the chore

	client  *exec.Cmd
	screen  *screen       // the client's terminal; nil if it has none
	left    chan struct{} // closed when the client has ended
	stopper *exec.Cmd     // hob kill; nil if the job is not stopped
	stopped chan struct{} // closed when it has ended

	holderKilled  bool // the holder was killed, or may have been
	clientKilled  bool // the client was killed: if that was early, there is no job
	stopperKilled bool // hob kill was killed: the holder may have received its request
}

// play carries out the plan and waits until the phase is over.
func (r *round) play() error {
	data, err := json.Marshal(r.chore)
	if err == nil {
		err = os.WriteFile(filepath.Join(r.dir, choreFile), data, 0o600)
	}
	if err == nil {
		err = r.start()
	}
	if err != nil {
		return err
	}
	if r.phase != "start" {
		begun := func() bool { return readWorkerLog(r.dir).lines >= r.after }
		if err := stage.Eventually(fmt.Sprintf("%d lines", r.after), begun); err != nil {
			return err
		}
		if r.leave && r.screen != nil {
			_, _ = r.screen.ptmx.WriteString("\x02")
		}
	}
	switch r.phase {
	case "stop":
		r.stopper, r.stopped = r.Command("kill", "--grace", r.grace.String(), r.name), make(chan struct{})
		if err := r.stopper.Start(); err != nil {
			return err
		}
		go func() { _ = r.stopper.Wait(); close(r.stopped) }()
	case "exit":
		if err := os.WriteFile(filepath.Join(r.dir, goFile), nil, 0o600); err != nil {
			return err
		}
	}
	return r.strike()
}

func (r *round) start() error {
	r.client, r.left = r.Command(r.args(r.Program("worker"), r.dir)...), make(chan struct{})
	if r.way == "window" || r.way == "raw" {
		s, err := show(r.client)
		if err != nil {
			return err
		}
		r.screen, r.left = s, s.ended
		return nil
	}
	if err := r.client.Start(); err != nil {
		return err
	}
	go func() { _ = r.client.Wait(); close(r.left) }()
	return nil
}

// strike kills the plan's victim once its delay is over.
func (r *round) strike() error {
	time.Sleep(r.delay) // the moment of the fault; no event to wait for
	switch r.victim {
	case "holder":
		return r.killHolder()
	case "client":
		r.killClients()
	case "all":
		r.killClients()
		if r.stopper != nil {
			_ = r.stopper.Process.Kill()
			<-r.stopped
			r.stopperKilled = true
		}
	case "terminal":
		r.screen.close()
		<-r.left
		r.clientKilled = true
	}
	return nil
}

// killClients kills the processes that started the job.
func (r *round) killClients() {
	_ = r.client.Process.Kill() // it may have ended
	<-r.left
	r.clientKilled = true
}

// killHolder waits for the holder and kills it, unless it has exited by itself.
func (r *round) killHolder() error {
	var holder proc.Identity
	err := stage.Eventually("a holder", func() bool {
		var ok bool
		holder, ok = r.holder(r.name)
		return ok
	})
	if err != nil {
		return err
	}
	switch err := proc.Signal(holder, syscall.SIGKILL); {
	case err == nil:
		r.holderKilled = true
	case !errors.Is(err, proc.ErrGone):
		return err
	}
	return stage.Eventually("end of the holder", func() bool { return !proc.Alive(holder) })
}

// end closes what is still open: the job must be over or without clients.
func (r *round) end() {
	if r.screen != nil {
		r.screen.kill()
		r.screen.close()
	} else {
		_ = r.client.Process.Kill()
	}
	<-r.left
	if r.stopper != nil {
		<-r.stopped
	}
}
