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
		Short:  "Prints the manual page, in the language of man",
		Hidden: true,
		Args:   words(0, 0, ""),
		RunE:   func(cmd *cobra.Command, _ []string) error { return writeMan(a.stdout, cmd.Root()) },
	}
}

// A manPage writes a manual page in roff with the macros of man(7). Errors show
// when it is flushed.
type manPage struct{ *bufio.Writer }

// writeMan writes the page of root with all verbs, from the same words as help.
func writeMan(w io.Writer, root *cobra.Command) error {
	p := manPage{bufio.NewWriter(w)}
	p.macro("TH", strings.ToUpper(root.Name()), "1", "", root.Name()+" "+version())
	p.macro("SH", "NAME")
	p.text(root.Name() + " - " + lowerFirst(root.Short))
	p.macro("SH", "SYNOPSIS")
	p.text(root.Name())
	p.macro("br")
	p.text(root.Name() + " verb [flags] [argument ...]")
	p.macro("SH", "DESCRIPTION")
	p.text(root.Long)
	p.examples(root)
	p.macro("SH", "FLAGS OF EVERY VERB")
	p.flags(root.PersistentFlags())
	p.macro("SH", "VERBS")
	p.verbs(root)
	for _, s := range manSections() {
		p.macro("SH", s.title)
		for _, item := range s.items {
			p.item(item[0], item[1])
		}
	}
	return p.Flush()
}

// verbs writes the verbs under cmd and theirs.
func (p manPage) verbs(cmd *cobra.Command) {
	for _, verb := range cmd.Commands() {
		if !verb.IsAvailableCommand() && verb.Name() != "help" {
			continue
		}
		p.macro("SS", strings.TrimSuffix(verb.UseLine(), " [flags]"))
		about := verb.Long
		if about == "" {
			about = verb.Short + "."
		}
		p.text(about)
		if len(verb.Aliases) > 0 {
			p.macro("PP")
			p.text(alsoCalled(verb))
		}
		p.flags(verb.LocalNonPersistentFlags())
		p.examples(verb)
		p.verbs(verb)
	}
}

func (p manPage) flags(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if value := valueName(f); value != "" {
			name += " " + value
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

// text writes lines of text that cannot be taken for requests.
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

// roff is s as roff wants it: backslashes and the hyphens of flags as they are.
func roff(s string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...", "·", "|").Replace(s)
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

type manSection struct {
	title string
	items [][2]string
}

// manSections are what the verbs have in common.
func manSections() []manSection {
	return []manSection{
		{"EXIT STATUS", [][2]string{
			{"0", "done"},
			{"1", "failed"},
			{"2", "wrong usage"},
			{"3", "no such job"},
			{"4", "the job is in the wrong state for this"},
			{"5", "host unreachable or refused"},
			{"others", "run, attach and wait end with the job's own code: 127 not found, 126 not executable, 128 + N by signal N. " +
				"124: wait ran out of time. 125: hob itself failed, or the job was lost."},
		}},
		{"ENVIRONMENT", [][2]string{
			{"HOB_STATE_DIR", "where the jobs are; else $XDG_STATE_HOME/hob, else ~/.local/state/hob"},
			{"HOB_CONFIG", "the settings file; else $XDG_CONFIG_HOME/hob/config.toml, else ~/.config/hob/config.toml"},
			{"HOB_LOG", "a file to which hob adds what it can tell nobody; none if it is not set"},
			{"HOB_JOB_ID", "set in a job: its id"},
			{"HOB_YIELD_MS, HOB_TIMEOUT_SEC, HOB_JOB_TTL_MS, HOB_MAX_OUTPUT_CHARS", "hob mcp: instead of the settings in [agent]"},
			{"PAGER, VISUAL, EDITOR", "what opens a log, unless the settings say it"},
			{"NO_COLOR, CLICOLOR_FORCE", "no colours; colours also where no terminal is"},
		}},
		{"FILES", [][2]string{
			{"~/.config/hob/config.toml", "settings, keys and theme; hob config prints what is in effect"},
			{"~/.local/state/hob/jobs/ID/output.log", "what a job printed, from the first byte on"},
			{"~/.local/state/hob/jobs/ID/exit_code", "its exit code, once it has ended"},
		}},
	}
}
