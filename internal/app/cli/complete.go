package cli

import (
	"bytes"
	"context"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/project"
)

// completion returns a completion of the names that find returns, except those that are already
// arguments. many allows more than one argument.
func (a *app) completion(many bool, find func(context.Context) ([]cobra.Completion, error)) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 && !many {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if _, err := a.engine(); err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		// The user is waiting in the middle of a command line.
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		found, err := find(ctx)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		found = slices.DeleteFunc(found, func(c cobra.Completion) bool {
			name, _, _ := strings.Cut(c, "\t") // a description follows
			return slices.Contains(args, name)
		})
		return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// completeJobs completes the IDs of the jobs that f selects, described by name and status.
func (a *app) completeJobs(f engine.Filter, many bool) cobra.CompletionFunc {
	f.Unverified = true
	return a.completion(many, func(ctx context.Context) (found []cobra.Completion, err error) {
		jobs, err := a.eng.List(ctx, f)
		badges := a.badges(time.Now())
		for _, j := range jobs {
			_, status, _ := badges.of(j)
			found = append(found, cobra.CompletionWithDesc(string(j.ID), escape(j.Name)+" · "+status))
		}
		return found, err
	})
}

// completeCommand completes the first argument to programs in PATH, and the others to files,
// as a shell does.
func completeCommand(_ *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 || prefix == "" || strings.ContainsRune(prefix, filepath.Separator) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	found := map[string]bool{}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // as a shell does
		}
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), prefix) || found[e.Name()] {
				continue
			}
			if _, err := exec.LookPath(filepath.Join(dir, e.Name())); err == nil {
				found[e.Name()] = true
			}
		}
	}
	if len(found) == 0 { // perhaps a directory with programs
		return nil, cobra.ShellCompDirectiveDefault
	}
	return slices.Sorted(maps.Keys(found)), cobra.ShellCompDirectiveNoFileComp
}

func completeValues(cmd *cobra.Command, flag string, values ...cobra.Completion) {
	completeFlag(cmd, flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

func completeFlag(cmd *cobra.Command, flag string, complete cobra.CompletionFunc) {
	_ = cmd.RegisterFlagCompletionFunc(flag, complete) // fails only for an undefined flag
}

// completeHosts completes the names of hosts: those with jobs first, then those in ssh's configuration.
func (a *app) completeHosts() cobra.CompletionFunc {
	return a.completion(true, func(ctx context.Context) (names []cobra.Completion, err error) {
		known, err := a.knownHosts(ctx)
		for _, h := range known {
			names = append(names, h.name)
		}
		return names, err
	})
}

// completeGroups completes the values of --group: the names of groups that have jobs.
func completeGroups(a *app, cmd *cobra.Command) {
	completeFlag(cmd, "group", a.completion(true, func(ctx context.Context) ([]cobra.Completion, error) {
		return project.Groups(ctx, a.eng)
	}))
}

// completionHelp is the help of hob completion SHELL: where the shell looks for the script, and the
// commands that put it there for one user.
var completionHelp = map[string]struct{ shell, note, example string }{
	"bash": {
		"bash", "It works in new shells. Without the package bash-completion, add this line to ~/.bashrc\n" +
			"instead: source <(hob completion bash)",
		"mkdir -p ~/.local/share/bash-completion/completions\n" +
			"hob completion bash > ~/.local/share/bash-completion/completions/hob",
	},
	"zsh": {
		"zsh", "It goes into a directory of fpath and works in new shells.",
		"mkdir -p ~/.zfunc\n" +
			"hob completion zsh > ~/.zfunc/_hob\n" +
			"echo 'fpath=(~/.zfunc $fpath); autoload -U compinit; compinit' >> ~/.zshrc",
	},
	"fish": {
		"fish", "It works in new shells.",
		"mkdir -p ~/.config/fish/completions\n" +
			"hob completion fish > ~/.config/fish/completions/hob.fish",
	},
	"powershell": {
		"PowerShell", "For new shells, put the command into the file $PROFILE.",
		"hob completion powershell | Out-String | Invoke-Expression",
	},
}

func describeCompletion(cmd *cobra.Command) {
	cmd.Short = "Print a shell completion script"
	cmd.Long = "Print a script with which a shell completes commands, flags and job IDs.\n" +
		"To see where to install it, run: hob help completion SHELL"
	cmd.Example = "hob help completion bash\nhob completion bash"
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usagef("use bash, zsh, fish or powershell", "unknown shell %q", args[0])
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	for _, sub := range cmd.Commands() {
		help := completionHelp[sub.Name()]
		sub.Short = "Print a completion script for " + help.shell
		sub.Long = sub.Short + ".\n" + help.note
		sub.Example = help.example
		if shell := sub.Name(); shell == "bash" || shell == "zsh" {
			sub.RunE = func(cmd *cobra.Command, _ []string) error { return printCompletion(cmd, shell) }
		}
	}
}

// printCompletion prints the script of cobra, and defines the functions that it requires.
func printCompletion(cmd *cobra.Command, shell string) (err error) {
	var script bytes.Buffer
	brief, err := cmd.Flags().GetBool("no-descriptions")
	switch {
	case err != nil:
		return err
	case shell == "bash":
		err = cmd.Root().GenBashCompletionV2(&script, !brief)
	case brief:
		err = cmd.Root().GenZshCompletionNoDesc(&script)
	default:
		err = cmd.Root().GenZshCompletion(&script)
	}
	if err != nil {
		return err
	}
	needs := completionNeeds[shell]
	_, err = io.WriteString(cmd.OutOrStdout(), strings.Replace(script.String(), needs.call, needs.instead, 1))
	return err
}

// completionNeeds are the calls in the scripts of functions that may be missing in the shell: those of the
// package bash-completion, and of zsh before compinit has run.
var completionNeeds = map[string]struct{ call, instead string }{
	"bash": {
		`    _get_comp_words_by_ref "$@" cur prev words cword` + "\n",
		`    if declare -F _get_comp_words_by_ref >/dev/null; then
        _get_comp_words_by_ref "$@" cur prev words cword
    else # without the package bash-completion, words are those of the shell
        words=("${COMP_WORDS[@]}")
        cword=$COMP_CWORD
        cur=${words[cword]}
        prev=${words[cword - 1]}
    fi
`,
	},
	"zsh": {
		"compdef _hob hob\n",
		"(( $+functions[compdef] )) || { autoload -U compinit && compinit }\ncompdef _hob hob\n",
	},
}
