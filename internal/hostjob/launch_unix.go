//go:build linux || darwin

package hostjob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/atomicfile"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/localclient"
	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/internal/proc"
)

// launch starts a job at most once, however often the request comes and whatever cuts it short: the process
// that creates [jobdir.ClaimDir] either starts the job or makes sure that it never starts.
func launch(ctx context.Context, l *Launch) Launched {
	dir := filepath.Join(l.Base, l.ID)
	result, err := claimed(ctx, dir, l)
	replaced, isReplaced := errors.AsType[*replacedError](err)
	switch {
	case isReplaced:
		return Launched{Result: Replaced, Why: replaced.by}
	case errors.Is(err, errHomeless):
		return Launched{Result: Homeless, Why: err.Error()}
	case err != nil:
		return Launched{Result: Refused, Why: err.Error()}
	case result == Begun, result == Exists:
		return Launched{Result: result, List: list(ctx, l.Base, []string{l.ID})}
	}
	return Launched{Result: result}
}

// errHomeless means that the directory of jobs cannot hold the job.
var errHomeless = errors.New("the directory for jobs cannot be used")

// replacedError means that another job was started in the place of the lost one.
type replacedError struct{ by string }

func (e *replacedError) Error() string { return e.by + " was started in its place" }

// claimed prepares the directory and starts the job, unless it was started before.
func claimed(ctx context.Context, dir string, l *Launch) (string, error) {
	if err := check(l); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("%w: %w", errHomeless, err)
	}
	err := atomicfile.Create(filepath.Join(dir, jobdir.TokenFile), []byte(l.Meta.Token+"\n"))
	if errors.Is(err, fs.ErrExist) {
		var token []byte
		if token, err = plainfile.Read(filepath.Join(dir, jobdir.TokenFile), maxWord); err == nil && strings.TrimSpace(string(token)) != l.Meta.Token {
			return Taken, nil
		}
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", errHomeless, err)
	}
	if result := before(dir); result != "" {
		return result, nil
	}
	lock, err := jobdir.Lock(dir)
	if errors.Is(err, jobdir.ErrLocked) {
		return Exists, nil // another request is starting it
	}
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := lay(dir, l); err != nil {
		return "", discard(dir, err)
	}
	if l.InPlaceOf != "" {
		other, err := localclient.TakePlace(ctx, dir, l.InPlaceOf)
		if err == nil && other != "" {
			err = &replacedError{other}
		}
		if err != nil {
			return "", discard(dir, err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, jobdir.ClaimDir), 0o700); errors.Is(err, fs.ErrExist) {
		return before(dir), nil
	} else if err != nil {
		return "", discard(dir, err)
	}
	if err := begin(ctx, dir, l, lock); err != nil {
		return "", discard(dir, err)
	}
	return Begun, nil
}

// check returns an error for a request that is no launch.
func check(l *Launch) error {
	l.Meta.ApplyRaw()
	switch {
	case !filepath.IsAbs(l.Base), !jobdir.ValidID(l.ID), l.Meta.Token == "":
		return fmt.Errorf("%w: a launch without directory or token", record.ErrInvalid)
	}
	return nil
}

// discard deletes the directory of a job that was not started because of err, which it returns.
func discard(dir string, err error) error { return errors.Join(err, os.RemoveAll(dir)) }

// before returns the result if the job of dir was launched before, or is that of a client; else "".
func before(dir string) string {
	has := func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	}
	switch {
	case has(jobdir.ClaimDir) && has(jobdir.FailedFile):
		return Abandoned
	case has(jobdir.ClaimDir):
		return Exists
	case has(jobdir.MetaFile) && !has(HolderFile):
		return Shared
	}
	return ""
}

// lay writes the files of a new job.
func lay(dir string, l *Launch) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	m := &l.Meta
	m.ID = record.ID(l.ID)
	m.Dir = absolute(m.Dir)
	m.Backend, m.Host, m.Held = "local", "", true
	m.Boot, m.ClientMachine = proc.BootID(), proc.MachineID()
	m.After, m.AfterAny = l.After, l.AfterAny
	text, err := jobdir.EncodeMeta(m)
	if err != nil {
		return err
	}
	return errors.Join(
		atomicfile.Write(filepath.Join(dir, HolderFile), []byte(program+"\n")),
		atomicfile.Write(filepath.Join(dir, OwnerFile), []byte(l.Owner+"\n")),
		atomicfile.Write(filepath.Join(dir, jobdir.MetaFile), append(text, '\n')),
	)
}

// absolute returns the directory that a request names: relative ones begin at the home directory, where a
// job starts that names none.
func absolute(dir string) string {
	home := os.Getenv("HOME")
	if dir == "" {
		if info, err := os.Stat(home); err != nil || !info.IsDir() {
			return "/"
		}
		return home
	}
	if dir == "~" || strings.HasPrefix(dir, "~/") {
		return filepath.Join("/", home, dir[1:])
	}
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join("/", home, dir)
}

// begin starts the job, which this process has locked.
func begin(ctx context.Context, dir string, l *Launch, lock *jobdir.FileLock) error {
	r := &l.Meta.Request
	localclient.IsHolder() // this program is one
	var launcher localclient.Launcher
	_, err := launcher.Start(ctx, localclient.Launch{
		Dir:      dir,
		Request:  r,
		Env:      environ(l),
		Set:      slices.Sorted(maps.Keys(l.Env)),
		After:    l.After,
		AfterAny: l.AfterAny,
		Lock:     lock,
		Notify:   l.Notify,
		Events:   l.Events,
	})
	return err
}

// environ returns the environment of the job: that of this program, and what the request adds.
func environ(l *Launch) []string {
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if _, again := l.Env[name]; !again {
			env = append(env, kv)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.Env)) {
		env = append(env, name+"="+string(l.Env[name]))
	}
	return env
}
