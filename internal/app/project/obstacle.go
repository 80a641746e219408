package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Obstacle returns what would keep a process from starting or from becoming ready, as far as that is known before its
// start; "" if nothing is. d is what [Up.Decide] returned for it.
func (u *Up) Obstacle(ctx context.Context, proc Process, d Decision) (string, error) {
	if d.Action == Keep {
		return stranger(ctx, u.Engine, proc, d.Job)
	}
	spec := u.spec(proc)
	if err := spec.Check(); err != nil {
		return err.Error(), nil
	}
	if info, err := os.Stat(proc.Dir); err != nil {
		return "directory " + proc.Dir + ": " + reason(err), nil
	} else if !info.IsDir() {
		return "directory " + proc.Dir + ": it is a file", nil
	}
	if program := proc.program(); program != "" && !proc.finds(program) {
		return program + ": command not found", nil
	}
	who, err := strangerOn(ctx, u.Engine, proc, d.Job.ID)
	if who == "" || err != nil {
		return "", err
	}
	listeners, err := listenersOf(ctx, u.Engine, proc.Ready.Probe.port())
	owner := "by a process that hob cannot see"
	if len(listeners) > 0 {
		owner = "already: " + listeners[0].String()
	}
	return fmt.Sprintf("port %d is open %s", proc.Ready.Probe.port(), owner), err
}

// reason returns the error of the system without the path.
func reason(err error) string {
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		return of.Err.Error()
	}
	return err.Error()
}

// program returns the program that is executed, which may be a shell; "" for sh.
func (p *Process) program() string {
	if argv := p.command(); len(argv) > 0 {
		return argv[0]
	}
	return ""
}

// finds reports whether the process finds a program in its PATH, or by its path.
func (p *Process) finds(program string) bool {
	dirs := filepath.SplitList(p.pathVariable())
	if strings.ContainsRune(program, filepath.Separator) {
		dirs = []string{""}
	}
	for _, dir := range dirs {
		path := filepath.Join(dir, program)
		if !filepath.IsAbs(path) {
			path = filepath.Join(p.Dir, path)
		}
		if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o111 != 0 && !info.IsDir() {
			return true
		}
	}
	return false
}

func (p *Process) pathVariable() string {
	if path, ok := p.Env["PATH"]; ok {
		return path
	}
	return os.Getenv("PATH")
}
