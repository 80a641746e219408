package cli

import (
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
)

// onHost makes spec, which has what the flags say, a request for a job on a host.
// There is no terminal to be had there; what would get one here gets an input
// that can be written to.
func (a *app) onHost(spec *engine.Spec, f runFlags) {
	spec.Host = f.on
	switch {
	case f.noPTY, f.split:
		spec.Stdin = f.stdin
	case f.background, isTerminal(a.stdout) && !a.json:
		spec.Stdin = true
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
