package mcp

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/engine"
)

// The labels of an agent's jobs.
const (
	labelClient  = "agent.client"
	labelProject = "agent.project"
	labelNotify  = "agent.notify" // as it was asked; absent: not
)

// A scope is whose jobs an agent sees.
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

// reader is the name under which the engine keeps what the agent has read.
// Names are cut by the engine, so a long directory is told by its sum.
func (s scope) reader() string {
	sum := sha256.Sum256([]byte(s.project))
	return fmt.Sprintf("%s %x", oneLine(s.client, 24), sum[:6])
}

// find is the job that ref means: an id, a name, a unique prefix, or @ for the
// newest. Outside of the scope it looks only with all.
func (a *agent) find(ctx context.Context, ref string, all bool, in engine.Intent) (engine.Job, error) {
	if ref == "" {
		return engine.Job{}, a.unknown(ctx, "", all)
	}
	if all {
		j, err := a.eng.Resolve(ctx, ref, in)
		return j, a.explain(ctx, ref, all, err)
	}
	if j, err := a.eng.Get(ctx, ref); err == nil && string(j.ID) == ref && a.scope.owns(j) {
		return j, nil
	}
	jobs, err := a.eng.List(ctx, engine.Filter{Labels: a.scope.labels()})
	if err != nil {
		return engine.Job{}, a.explain(ctx, ref, all, err)
	}
	found := choose(jobs, ref, in)
	switch len(found) {
	case 0:
		return engine.Job{}, a.unknown(ctx, ref, all)
	case 1:
		return found[0], nil
	}
	return engine.Job{}, a.explain(ctx, ref, all, &engine.AmbiguousError{Ref: ref, Candidates: found})
}

// choose finds what ref means among jobs, newest first, by the rules of the
// command line.
func choose(jobs []engine.Job, ref string, in engine.Intent) []engine.Job {
	if n, ok := strings.CutPrefix(ref, "@"); ok {
		nth, err := strconv.Atoi(n)
		if n == "" {
			nth, err = 1, nil
		}
		if err != nil || nth < 1 || nth > len(jobs) {
			return nil
		}
		return jobs[nth-1 : nth]
	}
	var named, running, prefixed []engine.Job
	for _, j := range jobs {
		if string(j.ID) == ref {
			return []engine.Job{j}
		}
		if j.Name == ref {
			named = append(named, j)
			if !j.Status.Finished() {
				running = append(running, j)
			}
		}
		if strings.HasPrefix(string(j.ID), ref) {
			prefixed = append(prefixed, j)
		}
	}
	switch {
	case len(running) > 0:
		return running
	case len(named) > 0 && in == engine.Read:
		return named[:1]
	case len(named) > 0:
		return named
	}
	return prefixed
}
