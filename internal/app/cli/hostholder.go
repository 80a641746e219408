package cli

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine/ssh"
	"github.com/hobjobs/hob/internal/units"
)

// holderCommands are the commands for the program hob-holder on hosts.
type holderCommands struct{ app *app }

func (a holderCommands) install() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "install HOST…",
		Short: "Install hob-holder on hosts",
		Long: "Copy the program hob-holder to ~/.local/share/hob on HOST (or hob in $XDG_DATA_HOME). It runs the\n" +
			"jobs that you start there afterwards, so that they work as on this machine, for example with\n" +
			"--queue, --after and --restart. Without it, jobs are run by shell scripts, which can do less.\n" +
			"It needs neither root nor a service. If this build is there already, nothing is copied.",
		Example:           "hob hosts install web1\nhob hosts install docker:box\nhob hosts install --holder ./hob-holder-linux-arm64 pi",
		Args:              argCount(1, -1, "host"),
		ValidArgsFunction: a.app.completeHosts(),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.installHolders(cmd.Context(), args, file) },
	}
	cmd.Flags().Var(textFlag(&file, "FILE"), "holder", "program to copy (default: hob-holder or hob-holder-OS-ARCH beside hob)")
	a.app.jsonFlag(cmd)
	return cmd
}

func (a holderCommands) uninstall() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "uninstall HOST…",
		Short: "Remove hob-holder from hosts",
		Long: "Delete the copies of hob-holder that hob hosts install has made on HOST, except those that still\n" +
			"run a job. Jobs and their logs stay.",
		Example:           "hob hosts uninstall web1",
		Args:              argCount(1, -1, "host"),
		ValidArgsFunction: a.app.completeHosts(),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.uninstallHolders(cmd.Context(), args) },
	}
	a.app.jsonFlag(cmd)
	return cmd
}

// installedJSON is what became of a hob-holder on a host: Done is installed, present, removed, kept or
// failed, and none if there was nothing to remove.
type installedJSON struct {
	Host    string `json:"host"`
	Done    string `json:"done"`
	Program string `json:"program"` // its path there
	Build   string `json:"build"`
	Bytes   int64  `json:"bytes"`   // copied
	Running int    `json:"running"` // processes that run it
	Error   string `json:"error"`
}

// installHolders installs on one host after the other, since each may ask questions, and tries the
// next one after a failure.
func (a holderCommands) installHolders(ctx context.Context, hosts []string, file string) error {
	if file != "" {
		var err error
		if file, err = filepath.Abs(file); err != nil {
			return err
		}
	}
	results := make([]installedJSON, 0, len(hosts))
	var failed error
	for _, host := range hosts {
		done, err := a.app.hosts.InstallHolder(ctx, host, file)
		r := installedJSON{
			Host:    host,
			Done:    "present",
			Program: done.Program,
			Build:   done.Build,
			Bytes:   done.Copied,
		}
		switch {
		case err != nil:
			r.Done, r.Error = "failed", err.Error()
			failed = errors.Join(failed, err)
		case done.Copied > 0:
			r.Done = "installed"
			a.app.reportf("%s: installed %s (%s)", host, done.Program, units.FormatBytes(done.Copied))
		default:
			a.app.reportf("%s: %s is installed already", host, done.Program)
		}
		results = append(results, r)
	}
	return a.printResults(results, failed)
}

func (a holderCommands) uninstallHolders(ctx context.Context, hosts []string) error {
	results := make([]installedJSON, 0, len(hosts))
	var failed error
	for _, host := range hosts {
		uses, err := a.app.hosts.UninstallHolders(ctx, host)
		if err != nil {
			failed = errors.Join(failed, err)
			results = append(results, installedJSON{Host: host, Done: "failed", Error: err.Error()})
			continue
		}
		if len(uses) == 0 {
			a.app.reportf("%s: hob-holder is not installed there", host)
			results = append(results, installedJSON{Host: host, Done: "none"})
		}
		for _, u := range uses {
			r, err := a.uninstalled(host, u)
			failed = errors.Join(failed, err)
			results = append(results, r)
		}
	}
	return a.printResults(results, failed)
}

// uninstalled reports what became of one program.
func (a holderCommands) uninstalled(host string, u ssh.HolderUse) (installedJSON, error) {
	r := installedJSON{
		Host:    host,
		Done:    "removed",
		Program: u.Program,
		Build:   u.Build,
		Running: u.Running,
	}
	switch {
	case u.Err != nil:
		r.Done, r.Error = "failed", u.Err.Error()
		return r, u.Err
	case !u.Removed:
		r.Done = "kept"
		a.app.reportf("%s: kept %s, which holds %s", host, u.Program, units.Count(u.Running, "job"))
	default:
		a.app.reportf("%s: removed %s", host, u.Program)
	}
	return r, nil
}

func (a holderCommands) printResults(results []installedJSON, failed error) error {
	if a.app.json {
		return errors.Join(a.app.printJSON(results), failed)
	}
	return failed
}
