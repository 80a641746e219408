package mcp

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hobjobs/hob/engine"
)

// The labels of an agent's jobs.
const (
	labelClient  = "agent.client"
	labelProject = "agent.project"
	labelNotify  = "agent.notify" // as it was asked; absent: not
)

// A scope selects the jobs that an agent sees.
type scope struct {
	client  string
	project string
}

func newScope(client, dir string) scope { return scope{client, projectOf(dir)} }

// projectOf is the git work tree that dir is in, else dir itself.
func projectOf(dir string) string {
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		// A directory, or a file in work trees and submodules.
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return d
		}
		if d == filepath.Dir(d) {
			return filepath.Clean(dir)
		}
	}
}

func (s scope) labels() map[string]string {
	return map[string]string{labelClient: s.client, labelProject: s.project}
}

func (s scope) owns(j engine.Job) bool {
	return j.Labels[labelClient] == s.client && j.Labels[labelProject] == s.project
}

// reader is the client name of the scope's cursors. The engine truncates long names, so
// the directory is represented by a hash.
func (s scope) reader() string {
	sum := sha256.Sum256([]byte(s.project))
	return fmt.Sprintf("%s %x", oneLine(s.client, 24), sum[:6])
}

// filter selects the jobs of the scope, or all.
func (s scope) filter(all bool) engine.Filter {
	if all {
		return engine.Filter{}
	}
	return engine.Filter{Labels: s.labels()}
}

// find is the job that ref means: an id, a name, a unique prefix, or @ for the
// newest. Outside of the scope it looks only with all.
func (a *agent) find(ctx context.Context, ref string, all bool, in engine.Intent) (j engine.Job, err error) {
	switch {
	case ref == "":
		err = engine.ErrNotFound
	case all:
		j, err = a.eng.Resolve(ctx, ref, in)
	default:
		j, err = a.findOwn(ctx, ref, in)
	}
	switch {
	case err == nil || ctx.Err() != nil:
		return j, err
	case errors.Is(err, engine.ErrNotFound):
		return j, a.unknown(ctx, ref, all)
	}
	return j, general(err)
}

func (a *agent) findOwn(ctx context.Context, ref string, in engine.Intent) (engine.Job, error) {
	if j, err := a.eng.Get(ctx, ref); err == nil && string(j.ID) == ref && a.scope.owns(j) {
		return j, nil
	}
	jobs, err := a.eng.List(ctx, a.scope.filter(false))
	if err != nil {
		return engine.Job{}, err
	}
	return engine.Choose(jobs, ref, in)
}
