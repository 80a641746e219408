//go:build unix

package project

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// What a probe has started ends with it: the next attempts would start more and more of it.
func TestProbeLeavesNoProcesses(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "alive")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	alive, err := os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	w := watcher{proc: Process{Ready: Ready{Probe: Probe{
		Script: "exec > alive; echo begun; sleep 1000; :", Dir: dir, Timeout: time.Second,
	}}}}
	if w.probe(t.Context()) == nil {
		t.Error("the probe succeeded")
	}
	_ = alive.SetReadDeadline(time.Now().Add(20 * time.Second))
	// The pipe ends when its last writer does.
	if out, err := io.ReadAll(alive); err != nil || string(out) != "begun\n" {
		t.Errorf("a process of the probe is alive: %q, %v", out, err)
	}
}
