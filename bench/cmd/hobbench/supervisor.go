//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
)

// supervisor is a program that starts jobs and keeps their output: hob, a floor
// or a rival. Its jobs end with close.
type supervisor interface {
	name() string
	// launch starts the command line that starts a job, and does not wait.
	launch(argv []string) (*launched, error)
	// logs is the directory of the logs, and the log's path of an entry there.
	logs() (dir string, log func(entry string) string)
	// keepers are the processes that supervise now.
	keepers() ([]int, error)
	close() error
}

// killer is a supervisor that ends a job by a command line.
type killer interface {
	supervisor
	// killing is the command that ends the newest job.
	killing(l *launched) (*exec.Cmd, error)
}

// launched is a command line that was started.
type launched struct {
	client *exec.Cmd
	id     string // what names the job to its supervisor, if known beforehand
}

// wait waits for the command line to end.
func (l *launched) wait() error {
	if err := l.client.Wait(); err != nil {
		return fmt.Errorf("%s: %w", l.client, err)
	}
	return nil
}

// with is this process's environment with other values for some names.
func with(values ...string) []string {
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return slices.ContainsFunc(values, func(v string) bool { return nameOf(v) == nameOf(kv) })
	})
	return append(env, values...)
}

func nameOf(kv string) string {
	for i := range kv {
		if kv[i] == '=' {
			return kv[:i]
		}
	}
	return kv
}
