package project

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hobjobs/hob/engine"
)

// Renew is the function for [engine.WithRenewal] with the default state directory: a process of a project is
// restarted as its file describes it now, with the values of its variables, which are not stored.
func Renew(j engine.Job) (*engine.Renewal, error) {
	if j.Labels[projectLabel] == "" || j.Labels[processLabel] == "" {
		return nil, nil
	}
	source, name := sourceOf(j), ProcessOf(j)
	plan, err := source.Load(os.LookupEnv)
	if err != nil {
		return nil, notRenewed(j, source, err)
	}
	proc := plan.withCopy(name)
	if proc == nil {
		return nil, &engine.Error{
			Op:   "restart",
			Job:  j.ID,
			Err:  fmt.Errorf("%w: %s no longer has a process %s", engine.ErrInvalid, plan.File, name),
			Hint: "add it again, or run its command as a new job: hob run " + commandText(j),
		}
	}
	if lost, file := lostVariables(*proc, plan.Dir, j); len(lost) > 0 {
		return nil, &engine.Error{
			Op:   "restart",
			Job:  j.ID,
			Err:  fmt.Errorf("%w: %s, which has the values of %s, does not exist", engine.ErrInvalid, file, strings.Join(lost, ", ")),
			Hint: "restore the file, or start " + name + " without it: hob up " + name,
		}
	}
	stateDir, err := engine.DefaultStateDir()
	if err != nil {
		return nil, err
	}
	key, err := readKey(stateDir)
	if err != nil {
		return nil, err
	}
	spec := j.Spec()
	proc.describe(&spec, key)
	if proc.FreePort {
		spec.Port = cmp.Or(j.Port, engine.AutoPort) // the same as before
	}
	return &engine.Renewal{Spec: spec, Options: proc.startOptions()}, nil
}

// commandText returns how to type the command of a job.
func commandText(j engine.Job) string {
	if j.Script != "" {
		return "-- sh -c '…'"
	}
	return "-- " + j.CommandLine()
}

// notRenewed returns why the file of a job's process cannot be used.
func notRenewed(j engine.Job, source Source, err error) error {
	e := &engine.Error{
		Op:   "restart",
		Job:  j.ID,
		Err:  fmt.Errorf("%w: %w", engine.ErrInvalid, err),
		Hint: "correct the file; the job was not touched",
	}
	if errors.Is(err, ErrNoFile) || errors.Is(err, fs.ErrNotExist) {
		gone := "the file of the project in " + source.Dir
		if len(source.Files) > 0 {
			gone = strings.Join(source.Files, ", ")
		}
		e.Err = fmt.Errorf("%w: %s, which describes %s, does not exist", engine.ErrInvalid, gone, ProcessOf(j))
		e.Hint = "restore the file, or run its command as a new job: hob run " + commandText(j)
	}
	return e
}

// lostVariables returns the variables that a job had from a file that does not exist any more, and the file.
func lostVariables(proc Process, dir string, j engine.Job) (lost []string, file string) {
	for name, digest := range j.EnvDigests {
		_, from, _ := strings.Cut(digest, " ")
		_, has := proc.Env[name]
		if has || from == "" {
			continue
		}
		path := from
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			lost, file = append(lost, name), from
		}
	}
	slices.Sort(lost)
	return lost, file
}
