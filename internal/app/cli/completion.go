package cli

import "github.com/spf13/cobra"

// completionHelp is the help of hob completion SHELL: where the shell looks for the script, and the
// commands that put it there for one user.
var completionHelp = map[string]struct{ shell, note, example string }{
	"bash": {
		"bash", "It needs the package bash-completion and works in new shells.",
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

// describeCompletion sets the help texts of hob completion and its commands.
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
	}
}
