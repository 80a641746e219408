package cli

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/hobjobs/hob/engine"
)

// absoluteDir is the directory that a job asked for in dir gets.
func absoluteDir(dir string) (string, error) {
	if dir == "" {
		return os.Getwd()
	}
	return filepath.Abs(dir)
}

// sameRequest reports whether j was asked to run what spec asks for.
func sameRequest(j engine.Job, spec engine.Spec) bool {
	return j.Host == spec.Host && j.Script == spec.Script && slices.Equal(j.Command, spec.Command)
}

// onHost makes spec, which has what the flags say, a request for a job on a host.
// A terminal there is for who asks for it; what would get one here by itself gets
// an input that can be written to.
func (a *app) onHost(spec *engine.Spec, f runFlags) {
	spec.Host = string(f.on)
	switch {
	case f.pty:
		if spec.PTY = true; spec.Size == (engine.Size{}) {
			spec.Size = a.callerSize()
		}
	case f.noPTY, f.split:
		spec.Stdin = f.stdin
	case f.background:
		spec.Stdin = true
	case hasScreen(a.stdout) && !a.json:
		spec.Stdin, spec.Split = true, !isTerminal(a.stderr) // what is redirected is its own
	default: // the stand-in keeps the streams apart
		spec.Split = true
		spec.Stdin = f.stdin || a.hasInput()
	}
}

// hasInput reports whether our standard input is a file or a pipe: something
// that a command in our place would be meant to read.
func (a *app) hasInput() bool {
	fi, err := a.stdin.Stat()
	return err == nil && (fi.Mode().IsRegular() || fi.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0)
}
