package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/engine"
)

// absoluteDir returns the working directory of a job for the value of --dir.
func absoluteDir(dir string) (string, error) {
	if dir == "" {
		return os.Getwd()
	}
	return filepath.Abs(dir)
}

// onHost completes spec for a job on a host. With hob's holder there, the job has a terminal where one on this
// machine would have it, if hob runs on a terminal. Otherwise it has a terminal only with --pty; one that is
// shown gets an open stdin instead.
func (a *app) onHost(spec *engine.Spec, f runFlags, holder bool) {
	if spec.Host == "slurm:" { // the nodes have this machine's files
		if dir, err := absoluteDir(spec.Dir); err == nil {
			spec.Dir = dir
		}
	}
	onTerminal := hasScreen(a.stdout)
	shown := onTerminal && !a.json
	asHere := holder && onTerminal && !spec.Stdin
	redirected := !isTerminal(a.stderr) // it is separate then, which on a host only a job without a terminal has
	switch {
	case spec.PTY, spec.Split, f.has("no-pty"):
	case f.background:
		spec.PTY = asHere
	case asHere && shown && !redirected:
		spec.PTY = true
	case shown:
		spec.Stdin, spec.Split = true, redirected
	default: // to forward the streams separately
		spec.Split = true
		spec.Stdin = spec.Stdin || a.hasInput()
	}
	if spec.PTY && spec.Size == (engine.Size{}) {
		spec.Size = a.callerSize()
	}
}

// hasInput reports whether standard input is a file, a pipe or a socket, which the command is
// then meant to read.
func (a *app) hasInput() bool {
	fi, err := a.stdin.Stat()
	return err == nil && (fi.Mode().IsRegular() || fi.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0)
}

// passStdin passes standard input to the job unless it is a terminal.
func (a *app) passStdin(spec engine.Spec) []engine.StartOption {
	if spec.Stdin || spec.Host != "" || isTerminal(a.stdin) {
		return nil
	}
	if _, err := a.stdin.Stat(); err != nil {
		return nil // closed
	}
	return []engine.StartOption{engine.WithFile(0, a.stdin)}
}

// passStderr passes a redirected standard error to a job with a terminal. What the job writes
// there then goes to the same file as without hob, not to its terminal.
func (a *app) passStderr(spec engine.Spec) []engine.StartOption {
	if !spec.PTY || spec.Host != "" || isTerminal(a.stderr) {
		return nil
	}
	if _, err := a.stderr.Stat(); err != nil {
		return nil // closed
	}
	return []engine.StartOption{engine.WithFile(2, a.stderr)}
}

// passDescriptors passes the job further file descriptors that a shell has opened, as for
// <(…). A job that goes to the background gets only those that its command names, because
// another program may wait until the others are closed. The caller closes files after the
// start, so that a program that writes to a job gets an error when the job has ended.
func (a *app) passDescriptors(spec engine.Spec) (opts []engine.StartOption, files []*os.File) {
	if spec.Host != "" {
		return nil, nil
	}
	var named []int
	if a.detaches {
		if named = namedDescriptors(slices.Concat(spec.Command, []string{spec.Script})); len(named) == 0 {
			return nil, nil
		}
	}
	for _, n := range inheritedDescriptors() {
		if a.detaches && !slices.Contains(named, n) {
			continue
		}
		f := os.NewFile(uintptr(n), "descriptor "+strconv.Itoa(n))
		opts, files = append(opts, engine.WithFile(n, f)), append(files, f)
	}
	return opts, files
}

// namedDescriptors returns the descriptors whose paths occur in args.
func namedDescriptors(args []string) (numbers []int) {
	for _, arg := range args {
		for _, dir := range []string{"/dev/fd/", "/proc/self/fd/"} {
			for rest := arg; ; {
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
