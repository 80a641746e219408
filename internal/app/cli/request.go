package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

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

// onHost makes spec, which has the values of the flags, a request for a job on a host.
// There is a terminal only with --pty; what would get one here by itself gets
// an input that can be written to.
func (a *app) onHost(spec *engine.Spec, f runFlags) {
	spec.Host = f.on
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

// lendStdin lends the job our standard input where that is a file or a pipe.
func (a *app) lendStdin(spec engine.Spec) []engine.StartOption {
	if spec.Stdin || spec.Host != "" || isTerminal(a.stdin) {
		return nil
	}
	if _, err := a.stdin.Stat(); err != nil {
		return nil // closed
	}
	return []engine.StartOption{engine.WithStdin(a.stdin)}
}

// lendStderr lends a job with a terminal our standard error where that is redirected:
// what the job writes there goes where it would without hob, not to its terminal.
func (a *app) lendStderr(spec engine.Spec) []engine.StartOption {
	if !spec.PTY || spec.Host != "" || isTerminal(a.stderr) {
		return nil
	}
	if _, err := a.stderr.Stat(); err != nil {
		return nil // closed
	}
	return []engine.StartOption{engine.WithFile(2, a.stderr)}
}

// lendOthers lends the job what a shell has opened for it beyond the usual three, as
// for <(…). If the job is left in the background it is only what the command names: of
// the rest another program may wait for the end. The files are to be closed when the job has them,
// so that a program that writes to a job that ends sees that.
func (a *app) lendOthers(spec engine.Spec) (opts []engine.StartOption, lent []*os.File) {
	if spec.Host != "" {
		return nil, nil
	}
	var named []int
	if a.leaves {
		if named = namedDescriptors(slices.Concat(spec.Command, []string{spec.Script})); len(named) == 0 {
			return nil, nil
		}
	}
	for _, n := range inheritedDescriptors() {
		if a.leaves && !slices.Contains(named, n) {
			continue
		}
		f := os.NewFile(uintptr(n), "descriptor "+strconv.Itoa(n))
		opts, lent = append(opts, engine.WithFile(n, f)), append(lent, f)
	}
	return opts, lent
}

// namedDescriptors are the numbers of those that words name by path.
func namedDescriptors(words []string) (numbers []int) {
	for _, word := range words {
		for _, dir := range []string{"/dev/fd/", "/proc/self/fd/"} {
			for rest := word; ; {
				_, after, found := strings.Cut(rest, dir)
				if !found {
					break
				}
				rest = after
				digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
				if n, err := strconv.Atoi(digits); err == nil {
					numbers = append(numbers, n)
				}
			}
		}
	}
	return numbers
}
