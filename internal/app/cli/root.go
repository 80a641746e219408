package cli

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/shellword"
	"github.com/hobjobs/hob/internal/spelling"
	"github.com/hobjobs/hob/internal/termenv"
)

// The groups of commands in help.
const (
	groupRun      = "run"
	groupInspect  = "inspect"
	groupInteract = "interact"
	groupStop     = "stop"
	groupSetup    = "setup"
)

func (a *app) newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "hob",
		Short: "Supervise background jobs from the terminal",
		Long: "hob puts a running command on the back burner: watch it, talk to it, stop it,\n" +
			"find it again tomorrow. With no command, it opens the UI.\n\n" +
			"ID is a job ID, a unique prefix of one or the letters at its end. It can also be a\n" +
			"job name, @ for the newest job, or @2 for the one before it. A name means first a job\n" +
			"of the current directory.",
		Example: `hob run npm run dev          # Ctrl+B sends it to the background
hob run -b make test         # prints the job ID
hob log --follow make-test
hob wait @ && hob list`,
		Args: unknownCommand,
		// Cobra completes commands by their names alone.
		ValidArgsFunction: completeAliases,
		PersistentPreRun:  func(cmd *cobra.Command, _ []string) { a.command = commandName(cmd) },
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.openUI(cmd.Context()) },
		SilenceUsage:      true,
		SilenceErrors:     true,
		Version:           version(),
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetVersionTemplate("hob {{.Version}}\n")
	root.SetHelpFunc(a.help)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if cmd != root {
			return flagError(cmd, err)
		}
		if args := cmd.Flags().Args(); len(args) > 0 {
			at := max(slices.Index(a.args, args[0]), 0)
			return unknownCommand(cmd, a.args[at:]) // its flags cannot be checked
		}
		failed := flagError(cmd, err)
		if use := runFlagsFirst(root, a.args); use != "" {
			return usagef(use, "%w", failed)
		}
		return failed
	})
	root.PersistentFlags().Var(parseInto(&a.color, "WHEN", parseColor), "color", "use color: auto, always or never")
	completeValues(root, "color", "auto", "always", "never")
	root.PersistentFlags().BoolVar(&a.ascii, "ascii", false, "use ASCII characters only")
	a.ascii = !termenv.UTF8(runtime.GOOS, os.Getenv) // the default; --ascii=false overrides it
	root.AddGroup(
		&cobra.Group{ID: groupRun, Title: "Run"},
		&cobra.Group{ID: groupInspect, Title: "Inspect"},
		&cobra.Group{ID: groupInteract, Title: "Interact"},
		&cobra.Group{ID: groupStop, Title: "Stop and clean up"},
		&cobra.Group{ID: groupSetup, Title: "Agents and setup"},
	)
	root.SetHelpCommandGroupID(groupSetup)
	root.SetCompletionCommandGroupID(groupSetup)
	root.AddCommand(
		a.runCommand(), a.upCommand(), a.attachCommand(), a.restartCommand(), a.reviveCommand(),
		a.mcpCommand(), a.setupCommand(), a.hookCommand(), a.configCommand(), holderCommand(), notificationCommand(a), sendNotificationCommand(), a.manCommand(), a.versionCommand(),
	)
	root.AddCommand(a.withEngine(
		a.listCommand(), a.statusCommand(), a.pollCommand(), a.logCommand(), a.whyCommand(), a.screenCommand(), a.replayCommand(),
		a.eventsCommand(), a.whoCommand(), a.promptCommand(), a.writeCommand(), a.waitCommand(), a.queueCommand(),
		a.killCommand(), a.downCommand(), a.clearCommand(), a.removeCommand(), a.hostsCommand(),
	)...)
	for _, cmd := range root.Commands() {
		if slices.Contains(commandsWithAll(), cmd.Name()) {
			everywhereFlag(a, cmd)
		}
		if cmd.ValidArgsFunction == nil { // by default, a command takes no arguments
			cmd.ValidArgsFunction = cobra.NoFileCompletions
			if cmd.Args == nil {
				cmd.Args = argCount(0, 0, "")
			}
		}
	}
	describeBuiltins(root)
	return root
}

// withEngine returns commands that start no job, for which the engine is opened before they run.
func (a *app) withEngine(commands ...*cobra.Command) []*cobra.Command {
	for _, cmd := range commands {
		cmd.PreRunE = func(*cobra.Command, []string) error {
			_, err := a.engine()
			return err
		}
	}
	return commands
}

// unknownCommand refuses arguments that do not begin with a command. Most likely
// "run" is missing.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if use := useInstead(args); use != "" {
		return usagef(use, "unknown command %q", args[0])
	}
	hint := "See: hob help"
	if _, err := strconv.Atoi(args[0]); err == nil {
		hint = "a job is named after the command, as in hob status NAME. See: hob list"
	} else if args[0] != "" {
		hint = "To run it as a job: hob run " + shellword.Join(args)
	}
	if similar := similarCommands(cmd, args[0]); len(similar) > 0 {
		rest := ""
		if len(args) > 1 {
			rest = " " + shellword.Join(args[1:])
		}
		for i, name := range similar {
			similar[i] = "hob " + name + rest
		}
		hint = "Did you mean: " + strings.Join(similar, " or ") + "? " + hint
	}
	return usagef(hint, "unknown command %q", args[0])
}

// similarCommands returns the commands that begin with typed, or else the one that is
// most likely misspelled.
func similarCommands(root *cobra.Command, typed string) []string {
	if len(typed) < 2 {
		return nil
	}
	var names, completed []string
	for _, cmd := range root.Commands() {
		if !cmd.IsAvailableCommand() {
			continue
		}
		names = append(names, cmd.Name())
		if strings.HasPrefix(cmd.Name(), typed) {
			completed = append(completed, cmd.Name())
		}
	}
	if nearest := spelling.Nearest(typed, names); nearest != "" && len(completed) == 0 {
		return []string{nearest}
	}
	return completed
}

// completeAliases returns the aliases of commands that begin with typed.
func completeAliases(cmd *cobra.Command, _ []string, typed string) (found []cobra.Completion, _ cobra.ShellCompDirective) {
	for _, c := range cmd.Root().Commands() {
		for _, alias := range c.Aliases {
			if typed != "" && strings.HasPrefix(alias, typed) {
				found = append(found, cobra.CompletionWithDesc(alias, c.Short))
			}
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// versionCommand prints what --version does, which other programs have as a command.
func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		GroupID: groupSetup,
		Short:   "Show the version of hob (also hob --version)",
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.stdout, "hob "+version())
			return err
		},
	}
}

// describeBuiltins sets the help texts of cobra's own commands and makes them refuse
// unknown arguments, for which they would otherwise show unrelated help.
func describeBuiltins(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Short = "Show help for hob or a command"
			cmd.Long = "Show help for hob or a command, for example: hob help run."
			cmd.Args = func(_ *cobra.Command, args []string) error {
				if found, rest, err := root.Find(args); err != nil || found == nil || len(rest) > 0 {
					return usagef("See: hob help", "unknown command %q", strings.Join(args, " "))
				}
				return nil
			}
		case "completion":
			describeCompletion(cmd)
		}
	}
}

// commandName returns the name of cmd without the program's: "run", "hosts check".
func commandName(cmd *cobra.Command) string {
	return strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()), " ")
}

func (a *app) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.json, "json", false, "print JSON")
}

// argCount checks the number of arguments: at least low, at most high, or any number
// if high is negative. missing names the first one in the error.
func argCount(low, high int, missing string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		hint := "Usage: " + strings.TrimSuffix(cmd.UseLine(), " [flags]")
		switch {
		case len(args) < low:
			return usagef(hint, "missing %s", missing)
		case high >= 0 && len(args) > high:
			hint = cmp.Or(otherArgument(cmd.Name(), args), hint)
			return usagef(hint, "unexpected argument %q", args[high])
		}
		return nil
	}
}

// holderCommand lets the engine of another program use this program for its holders
// (see local.WithHolderCommand). It is not meant to be typed.
func holderCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "holder",
		Short:  "Hold one job; started by hob itself",
		Hidden: true,
		RunE: func(*cobra.Command, []string) error {
			if code := local.RunHolder(); code != 0 {
				return exitStatus(code)
			}
			return nil
		},
	}
}
