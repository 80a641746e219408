package cli

import (
	"errors"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
)

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

// completeHosts has the flag complete the names of hosts: those of jobs, then
// those of the ssh configuration.
func (a *app) completeHosts(cmd *cobra.Command, flag string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, a.hostNames) // fails only for a flag that is not there
}

func (a *app) hostNames(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	known, err := a.knownHosts(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []cobra.Completion
	for _, h := range known {
		if !slices.Contains(args, h.name) {
			names = append(names, h.name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// tellingLink is grown, which reads the logs of job for [follow], and tells a
// person when the host of the job is lost and found meanwhile.
func (a *app) tellingLink(job engine.Job, grown func(ended bool) error) func(ended bool) error {
	if job.Host == "" || !isTerminal(a.stderr) {
		return grown
	}
	lost := false
	return func(ended bool) error {
		err := grown(ended)
		gone := errors.Is(err, engine.ErrUnreachable)
		switch {
		case gone && !lost:
			a.sayf("hob: %s; %s goes on, its output follows when the host is back", escape(err.Error()), job.ID)
		case lost && err == nil:
			a.sayf("hob: %s is back", escape(job.Host))
		}
		lost = gone
		return err
	}
}
