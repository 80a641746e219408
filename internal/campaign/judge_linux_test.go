package campaign

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/testtool/stage"
)

// terminalBuffer is how much a job may have printed that was not yet read from its terminal: it is
// lost with the holder.
const terminalBuffer = 64 << 10

// judge compares what new clients report about the job with the job's own record, ends what still
// runs, and checks what is left.
func (r *round) judge() error {
	if r.phase == "start" && !r.clientKilled {
		begun := func() bool { return readWorkerLog(r.dir).begun || r.holderKilled || r.clientEnded() }
		if err := stage.Eventually("a beginning", begun); err != nil {
			return err
		}
		if r.holderKilled {
			if err := r.awaitClientReport(); err != nil {
				return err
			}
		}
	}
	j, ok, err := r.find(r.name)
	if err != nil {
		return err
	}
	if !ok {
		if w := readWorkerLog(r.dir); r.phase != "start" || !r.clientKilled && !r.holderKilled || w.begun {
			return fmt.Errorf("the job is not in the list\nthe worker recorded: %v", w)
		}
		return r.nothingLeft("") // the client died before its request, or the holder before it held the job
	}
	if err := r.settle(j.ID); err != nil {
		return err
	}
	if j, _, err = r.find(r.name); err != nil {
		return err
	}
	if r.neverHeld(j) {
		return r.nothingLeft(j.ID)
	}
	if !j.finished() {
		if err := r.checkRunning(j); err != nil {
			return err
		}
	}
	verdict := r.verdict(j)
	if verdict != nil {
		verdict = fmt.Errorf("%w\nhob says: %v\nthe worker recorded: %v", verdict, j, readWorkerLog(r.dir))
	}
	return errors.Join(verdict, r.finish(j), r.output(j.ID), r.nothingLeft(j.ID))
}

// awaitClientReport waits until the client has reported the outcome of a holder that died during the job's
// start: a UI may show it without exiting.
func (r *round) awaitClientReport() error {
	return stage.Eventually("the client reports the death of the holder", func() bool {
		j, ok, err := r.find(r.name)
		return err == nil && (ok && j.finished() || r.clientEnded())
	})
}

func (r *round) clientEnded() bool {
	select {
	case <-r.left:
		return true
	default:
		return false
	}
}

// expectsEnd reports whether the job should end without being stopped.
func (r *round) expectsEnd() bool {
	return r.holderKilled || r.stopper != nil && !r.stopperKilled || r.phase == "exit" || r.chore.Lines > 0
}

// settle waits for the end if one is expected.
func (r *round) settle(id string) error {
	dir := filepath.Join(r.State, "jobs", id)
	ended := func() bool {
		st, err := jobdir.ReadState(dir)
		return err == nil && st.Exit.Known() || !jobdir.Locked(dir)
	}
	if r.stopperKilled {
		// Whether the holder received the stop request is visible once the grace time is over.
		for late := time.Now().Add(r.grace + 10*time.Second); !ended() && time.Now().Before(late); {
			time.Sleep(5 * time.Millisecond)
		}
	}
	if !r.expectsEnd() {
		return nil
	}
	if err := stage.Eventually("an end", ended); err != nil {
		return err
	}
	if r.stopper != nil {
		<-r.stopped
	}
	var since time.Time // since when it looks as if no holder has held it: a holder may be about to take the lock
	return stage.Eventually("the job is over", func() bool {
		j, _, err := r.find(r.name)
		if err != nil || j.finished() || !r.neverHeld(j) {
			since = time.Time{}
			return err == nil && j.finished()
		}
		if since.IsZero() {
			since = time.Now()
		}
		return time.Since(since) > lockTime
	})
}

// lockTime is longer than a holder takes from its configuration to its lock.
const lockTime = 10 * time.Second

// neverHeld reports whether the client died before the job had a holder. That is undecided while a
// launcher could still be starting one, for half a minute.
func (r *round) neverHeld(j job) bool {
	return j.Status == "starting" && (r.clientKilled || r.holderKilled) && !readWorkerLog(r.dir).begun && !jobdir.Locked(filepath.Join(r.State, "jobs", j.ID))
}

// checkRunning checks a job that was not ended: it is reported as running, and it runs.
func (r *round) checkRunning(j job) error {
	if j.Status != "running" {
		return fmt.Errorf("the job was not stopped, and it is %v", j)
	}
	before := readWorkerLog(r.dir).lines
	if err := stage.Eventually("another line", func() bool { return readWorkerLog(r.dir).lines > before }); err != nil {
		return err
	}
	s, err := show(r.Command("attach", r.name))
	if err != nil {
		return err
	}
	s.kill() // at any moment: one more client that dies
	s.close()
	<-s.ended
	out, _, err := r.Ask("log", "--limit", "1", r.name)
	if err == nil && !strings.HasPrefix(out, "line ") {
		err = fmt.Errorf("the log ends with %q", out)
	}
	return err
}

// verdict checks the status against the failure table.
func (r *round) verdict(j job) error {
	w := readWorkerLog(r.dir)
	dir := filepath.Join(r.State, "jobs", j.ID)
	file, hasFile := jobdir.ReadExitCode(dir)
	if j.finished() && j.Status != "lost" && !r.holderKilled { // state.json comes first
		err := stage.Eventually("there is an exit_code", func() bool {
			file, hasFile = jobdir.ReadExitCode(dir)
			return hasFile
		})
		if err != nil {
			return err
		}
	}
	switch {
	case j.finished() && j.Status != "lost" && (j.Code == nil || hasFile && file != *j.Code):
		return fmt.Errorf("exit_code holds %d", file)
	case (!j.finished() || j.Status == "lost") && (j.Code != nil || hasFile):
		return errors.New("a code without an end")
	}
	switch j.Status {
	case "running":
		if r.expectsEnd() {
			return errors.New("it should have ended")
		}
	case "exited":
		if w.code == nil || *w.code != *j.Code {
			return errors.New("an exit that did not happen")
		}
		if r.stopper != nil && !r.holderKilled && r.victim == "none" {
			return errors.New("it was stopped, it did not exit")
		}
	case "killed":
		switch {
		case r.stopper == nil:
			return errors.New("killed without a request to stop it")
		case w.code != nil && *w.code == *j.Code: // it handled the signal
		case j.Signal == nil || *j.Code < 128:
			return errors.New("neither a signal nor the job's own code")
		}
	case "lost":
		if !r.holderKilled && (w.begun || !r.clientKilled) {
			return errors.New("its holder was not killed")
		}
		if j.Reason == nil || *j.Reason != "holder_died" {
			return errors.New("lost for another reason")
		}
	case "failed":
		if !r.holderKilled || w.begun {
			return errors.New("it did start")
		}
	default:
		return errors.New("what is that?")
	}
	return nil
}

// finish ends what runs, survivors too; the reported end must not change.
func (r *round) finish(j job) error {
	_, code, err := r.Ask("kill", "--grace", "150ms", r.name)
	if err != nil && (code != 4 || !j.finished()) {
		return err
	}
	after, _, err := r.find(r.name)
	if err != nil {
		return err
	}
	if !j.finished() {
		j.Status = "killed"
	}
	if after.Status != j.Status {
		return fmt.Errorf("after hob kill %v, before %v", after, j)
	}
	r.end()
	return nil
}

// output checks that the job's logs contain what it printed, and nothing else.
func (r *round) output(id string) error {
	logs, feed := []string{jobdir.OutputFile}, "\n"
	switch r.kind {
	case "pty":
		feed = "\r\n"
	case "split":
		logs = []string{jobdir.StdoutFile, jobdir.StderrFile}
	}
	w := readWorkerLog(r.dir)
	var want bytes.Buffer
	least := 0
	for n := range w.lines + 1 { // the last one may be in hob's log only
		if n == w.lines {
			least = want.Len()
		}
		want.WriteString(strings.TrimSuffix(r.chore.line(n), "\n") + feed)
	}
	if r.holderKilled && r.kind == "pty" {
		least -= terminalBuffer
	}
	for _, name := range logs {
		got, err := os.ReadFile(filepath.Join(r.State, "jobs", id, name))
		if err != nil && (w.begun || !errors.Is(err, os.ErrNotExist)) {
			return err
		}
		if !bytes.HasPrefix(want.Bytes(), got) {
			return fmt.Errorf("%s is not what the job printed (%d bytes, %d lines recorded)", name, len(got), w.lines)
		}
		if len(got) < least {
			return fmt.Errorf("%s has %d bytes, the job printed %d at least", name, len(got), least)
		}
	}
	return nil
}

// nothingLeft checks that no process of the job is still alive.
func (r *round) nothingLeft(id string) error {
	var left []string
	err := stage.Eventually("nothing is left", func() bool {
		left = nil
		for _, p := range r.processes() {
			if id != "" && strings.Contains(strings.Join(p.args, " "), id) || p.args[len(p.args)-1] == r.dir {
				left = append(left, p.String())
			}
		}
		return len(left) == 0
	})
	if err != nil {
		return fmt.Errorf("%w: %v", err, left)
	}
	// One that was killed as it started has left an empty file.
	if data, err := os.ReadFile(filepath.Join(r.dir, daemonFile)); err == nil && len(data) > 0 {
		pid, err := strconv.Atoi(string(data))
		if err != nil {
			return err
		}
		if exe, _ := os.Readlink(filepath.Join("/proc", string(data), "exe")); exe == r.Exe {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			return fmt.Errorf("daemon %d still runs", pid)
		}
	}
	return nil
}
