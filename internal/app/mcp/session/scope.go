package session

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/mcp/plain"
)

// The labels of an agent's jobs.
const (
	LabelClient  = "agent.client"
	LabelProject = "agent.project"
	LabelNotify  = "agent.notify" // the parameter notify, if given
	LabelTask    = "agent.task"   // its client accepts tasks
	LabelShell   = "agent.shell"  // the agent started it from its shell
)

// A Scope selects the jobs that an agent sees.
type Scope struct {
	Client  string
	Project string
}

// NewScope returns the scope of a client that works in dir.
func NewScope(client, dir string) Scope { return Scope{client, projectOf(dir)} }

// projectOf returns the git work tree that contains dir, or else dir itself.
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

// Labels returns the labels of the scope's jobs.
func (s Scope) Labels() map[string]string {
	return map[string]string{LabelClient: s.Client, LabelProject: s.Project}
}

// Owns reports whether the job belongs to the scope.
func (s Scope) Owns(j engine.Job) bool {
	return j.Labels[LabelClient] == s.Client && j.Labels[LabelProject] == s.Project
}

// Reader returns the client name of the scope's cursors. The engine truncates long names, so the
// directory is represented by a hash.
func (s Scope) Reader() string {
	sum := sha256.Sum256([]byte(s.Project))
	return fmt.Sprintf("%s %x", plain.OneLine(s.Client, 24), sum[:6])
}

// EndReader returns the client name of the cursor that records which ends were reported.
func (s Scope) EndReader() string { return s.Reader() + " end" }

// AnswerReader returns the client name of the cursor that records which question was answered.
func (s Scope) AnswerReader() string { return s.Reader() + " answer" }

// Filter returns the filter for the jobs of the scope, or for all jobs.
func (s Scope) Filter(all bool) engine.Filter {
	if all {
		return engine.Filter{}
	}
	return engine.Filter{Labels: s.Labels()}
}
