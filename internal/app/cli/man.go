package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manCommand prints the manual page, for packages of releases.
func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man",
		Short:  "Print the manual page (roff)",
		Hidden: true,
		RunE:   func(cmd *cobra.Command, _ []string) error { return writeMan(a.stdout, cmd.Root()) },
	}
}

// A manPage writes a manual page in roff with the macros of man(7). Errors show
// when it is flushed.
type manPage struct{ *bufio.Writer }

// writeMan writes the page of root and all commands, with the texts of help.
func writeMan(w io.Writer, root *cobra.Command) error {
	p := manPage{bufio.NewWriter(w)}
	p.macro("TH", strings.ToUpper(root.Name()), "1", "", root.Name()+" "+version())
	p.macro("SH", "NAME")
	p.text(root.Name() + " - " + lowerFirst(root.Short))
	p.macro("SH", "SYNOPSIS")
	p.text(root.Name())
	p.macro("br")
	p.text(root.Name() + " command [flags] [argument ...]")
	p.macro("SH", "DESCRIPTION")
	p.text(root.Long)
	p.examples(root)
	p.macro("SH", "GLOBAL FLAGS")
	p.flags(root.PersistentFlags())
	p.macro("SH", "COMMANDS")
	p.commands(root)
	for _, s := range manSections() {
		p.macro("SH", s.title)
		for _, item := range s.items {
			p.item(item[0], item[1])
		}
	}
	return p.Flush()
}

// commands writes the commands under parent and their subcommands.
func (p manPage) commands(parent *cobra.Command) {
	for _, cmd := range parent.Commands() {
		if !cmd.IsAvailableCommand() && cmd.Name() != "help" {
			continue
		}
		p.macro("SS", strings.TrimSuffix(cmd.UseLine(), " [flags]"))
		about := cmd.Long
		if about == "" {
			about = cmd.Short + "."
		}
		p.text(about)
		if len(cmd.Aliases) > 0 {
			p.macro("PP")
			p.text(aliasLine(cmd))
		}
		p.flags(cmd.LocalNonPersistentFlags())
		p.examples(cmd)
		p.commands(cmd)
	}
}

func (p manPage) flags(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name := "--" + withValue(f)
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		p.item(name, f.Usage)
	})
}

func (p manPage) examples(cmd *cobra.Command) {
	if cmd.Example == "" {
		return
	}
	p.macro("PP")
	p.macro("nf")
	p.macro("RS")
	p.text(cmd.Example)
	p.macro("RE")
	p.macro("fi")
}

// item is a paragraph under a term.
func (p manPage) item(term, text string) {
	p.macro("TP")
	fmt.Fprintf(p, "\\fB%s\\fR\n", roff(term))
	p.text(text)
}

// macro writes a request with its arguments.
func (p manPage) macro(name string, args ...string) {
	fmt.Fprintf(p, ".%s", name)
	for _, arg := range args {
		fmt.Fprintf(p, " \"%s\"", strings.ReplaceAll(roff(arg), `"`, `\(dq`))
	}
	p.WriteByte('\n')
}

// text writes lines of text and escapes those that roff would take for requests.
func (p manPage) text(s string) {
	for _, line := range strings.Split(strings.TrimSpace(s), "\n") {
		if line == "" {
			p.macro("PP")
			continue
		}
		line = roff(line)
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			line = `\&` + line
		}
		p.WriteString(line + "\n")
	}
}

// roff escapes s so that backslashes and hyphens appear as they are.
func roff(s string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...", "·", "|").Replace(s)
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

type manSection struct {
	title string
	items [][2]string
}

// manSections returns the sections that apply to all commands.
func manSections() []manSection {
	return []manSection{
		{"EXIT STATUS", [][2]string{
			{"0", "success"},
			{"1", "failure"},
			{"2", "wrong usage"},
			{"3", "no such job"},
			{"4", "the job's state does not allow this"},
			{"5", "the host is unreachable or refused"},
			{"others", "run, attach and wait exit with the job's own code: 127 not found, 126 not executable, 128 + N killed by signal N. " +
				"124: wait timed out. 125: hob itself failed, or the job was lost."},
		}},
		{"ENVIRONMENT", [][2]string{
			{"HOB_STATE_DIR", "directory of the jobs (default: $XDG_STATE_HOME/hob, else ~/.local/state/hob)"},
			{"HOB_CONFIG", "settings file (default: $XDG_CONFIG_HOME/hob/config.toml, else ~/.config/hob/config.toml)"},
			{"HOB_LOG", "file to which hob appends diagnostic messages (default: none)"},
			{"HOB_JOB_ID", "set in every job: its ID"},
			{"HOB_YIELD_MS, HOB_TIMEOUT_SEC, HOB_JOB_TTL_MS, HOB_MAX_OUTPUT_CHARS", "override the settings in [agent] for hob mcp"},
			{"PAGER, VISUAL, EDITOR", "program that opens a log, unless set in the settings"},
			{"NO_COLOR, CLICOLOR_FORCE", "disable colors; use colors even if the output is not a terminal"},
		}},
		{"FILES", [][2]string{
			{"~/.config/hob/config.toml", "settings, keys and theme; hob config prints the effective ones"},
			{"~/.local/state/hob/jobs/ID/output.log", "the complete output of a job"},
			{"~/.local/state/hob/jobs/ID/exit_code", "its exit code, once it has ended"},
		}},
	}
}
