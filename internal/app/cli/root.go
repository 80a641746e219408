package cli

import (
	"errors"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/termenv"
	"github.com/hobjobs/hob/keymap"
)

// The groups of verbs in help.
const (
	groupJobs = "jobs"
	groupRead = "read"
	groupTalk = "talk"
	groupEnd  = "end"
)

// newRoot makes the tree of all verbs.
func (a *app) newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "hob",
		Short: "Supervises background jobs from the terminal",
		Long: "hob puts a running command on the back burner: watch it, talk to it, stop it,\n" +
			"find it again tomorrow. Without a verb it opens the UI on all jobs.\n\n" +
			"ID is the id of a job, the beginning of it, a name, or @ for the newest job and @2\n" +
			"for the one before.",
		Example: `hob run npm run dev          # Ctrl+B sends it to the background
hob run -b make test         # prints the id
hob log --follow make-test
hob wait @ && hob list`,
		Args:          a.noSuchVerb,
		RunE:          func(cmd *cobra.Command, _ []string) error { return a.openUI(cmd.Context()) },
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version(),
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetVersionTemplate("hob {{.Version}}\n")
	root.SetHelpFunc(a.help)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if words := cmd.Flags().Args(); cmd == root && len(words) > 0 {
			return a.noSuchVerb(cmd, words) // whose flags nobody can know
		}
		if v, ok := errors.AsType[*pflag.InvalidValueError](err); ok && v.GetFlag().Value.Type() == "bool" {
			return usagef("for example --"+v.GetFlag().Name, "--%s is true or false, not %q", v.GetFlag().Name, v.GetValue())
		}
		return usagef(strings.TrimSpace("hob help "+verbOf(cmd))+" shows the flags", "%w", err)
	})
	root.PersistentFlags().Var(parseInto(&a.color, "WHEN", parseColor), "color", "colour the output: auto, always or never")
	completeWords(root, "color", "auto", "always", "never")
	root.PersistentFlags().BoolVar(&a.ascii, "ascii", false, "draw with ASCII signs only")
	a.ascii = !termenv.UTF8(runtime.GOOS, os.Getenv) // --ascii=false draws the others all the same
	root.AddGroup(
		&cobra.Group{ID: groupJobs, Title: "Start and watch"},
		&cobra.Group{ID: groupRead, Title: "Read"},
		&cobra.Group{ID: groupTalk, Title: "Talk and wait"},
		&cobra.Group{ID: groupEnd, Title: "End and tidy"},
	)
	root.AddCommand(
		a.runCommand(), a.attachCommand(), a.listCommand(), a.statusCommand(),
		a.pollCommand(), a.logCommand(), a.screenCommand(), a.eventsCommand(), a.promptCommand(),
		a.writeCommand(), a.waitCommand(), a.restartCommand(),
		a.killCommand(), a.clearCommand(), a.removeCommand(),
		a.hostsCommand(), a.mcpCommand(), a.configCommand(), a.holderCommand(), a.manCommand(),
	)
	refuseStrays(root)
	return root
}

// noSuchVerb refuses words that are no verb: most likely a command line that
// lacks its run.
func (a *app) noSuchVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "hob help lists the verbs"
	if args[0] != "" {
		hint = "hob run " + quoteWords(args) + " starts it as a job; " + hint
	}
	if near := near(cmd, args[0]); len(near) > 0 {
		hint = "did you mean hob " + strings.Join(near, " or hob ") + "? " + hint
	}
	return usagef(hint, "no verb %q", args[0])
}

// near are the verbs that word may be a slip of, or the beginning.
func near(root *cobra.Command, word string) []string {
	if len(word) < 2 {
		return nil
	}
	var verbs, begun []string
	for _, verb := range root.Commands() {
		if !verb.IsAvailableCommand() {
			continue
		}
		verbs = append(verbs, verb.Name())
		if strings.HasPrefix(verb.Name(), word) {
			begun = append(begun, verb.Name())
		}
	}
	if nearest := keymap.Nearest(word, verbs); nearest != "" && len(begun) == 0 {
		return []string{nearest}
	}
	return begun
}

// refuseStrays has cobra's own verbs refuse words that name nothing, instead of
// showing the help of something else.
func refuseStrays(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Short = "Says what hob, or one of its verbs, does"
			cmd.Long = "Says what hob, or one of its verbs, does: hob help run."
			cmd.Args = func(_ *cobra.Command, args []string) error {
				if found, rest, err := root.Find(args); err != nil || found == nil || len(rest) > 0 {
					return usagef("hob help lists the verbs", "no verb %q", strings.Join(args, " "))
				}
				return nil
			}
		case "completion":
			cmd.Short = "Prints what makes a shell complete hob's verbs, flags and ids"
			cmd.Long = "Prints a script that makes a shell complete hob's verbs, its flags and the ids of\n" +
				"the jobs there are. hob help completion SHELL says where to put it."
			cmd.Example = "hob completion bash > ~/.local/share/bash-completion/completions/hob\n" +
				"hob completion zsh > \"${fpath[1]}/_hob\"\n" +
				"hob completion fish > ~/.config/fish/completions/hob.fish"
			cmd.Args = func(_ *cobra.Command, args []string) error {
				if len(args) > 0 {
					return usagef("there are bash, zsh, fish and powershell", "no completion for %q", args[0])
				}
				return nil
			}
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}

// verbOf is what is typed after hob for cmd: "run", "hosts check".
func verbOf(cmd *cobra.Command) string {
	return strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()), " ")
}

// jsonFlag gives a verb that prints data its --json.
func (a *app) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.json, "json", false, "print JSON")
}

// words checks how many words a verb takes. what names them for the message.
func words(low, high int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		hint := strings.TrimSuffix(cmd.UseLine(), " [flags]")
		switch {
		case len(args) < low:
			return usagef(hint, "%s needs %s", cmd.CommandPath(), what)
		case high >= 0 && len(args) > high:
			return usagef(hint, "%s does not take %q", cmd.CommandPath(), args[high])
		}
		return nil
	}
}

// holderCommand is how another program's engine starts holders of this one (see
// local.WithHolderCommand). Nobody types it.
func (a *app) holderCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "holder",
		Short:  "Holds one job; started by hob itself",
		Hidden: true,
		Args:   words(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			if code := local.RunHolder(); code != 0 {
				return exitStatus(code)
			}
			return nil
		},
	}
}
