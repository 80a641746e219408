package cli

import (
	"io"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manCommand prints the manual page, which packages of releases also have.
func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "man",
		GroupID: groupSetup,
		Short:   "Print the manual (to read it: hob man | man -l -)",
		RunE:    func(cmd *cobra.Command, _ []string) error { return writeMan(a.stdout, cmd.Root()) },
	}
}

// manPage is the page of the root command, with the texts of help and the macros of man(7).
const manPage = `.TH "HOB" "1" "" "{{line .Name}} {{line version}}"
.SH "NAME"
{{text (printf "%s - %s" .Name (lowerFirst .Short))}}
.SH "SYNOPSIS"
{{.Name}}
.br
{{.Name}} command [flags] [argument ...]
.SH "DESCRIPTION"
{{text .Long}}
{{template "examples" .}}.SH "GLOBAL FLAGS"
{{template "flags" .PersistentFlags}}.SH "COMMANDS"
{{template "commands" .}}{{range sections}}.SH "{{.Title}}"
{{range .Items}}{{template "item" .}}{{end}}{{end}}

{{- define "commands"}}{{range .Commands}}{{if or .IsAvailableCommand (eq .Name "help")}}.SS "{{line (usage .)}}"
{{text (or .Long (printf "%s." .Short))}}
{{if .Aliases}}.PP
{{text (aliases .)}}
{{end}}{{template "flags" .LocalNonPersistentFlags}}{{template "examples" .}}{{template "commands" .}}{{end}}{{end}}{{end}}

{{- define "flags"}}{{range flags .}}{{template "item" .}}{{end}}{{end}}

{{- define "item"}}.TP
\fB{{line .Term}}\fR
{{text .Text}}
{{end}}

{{- define "examples"}}{{if .Example}}.PP
.nf
.RS
{{text .Example}}
.RE
.fi
{{end}}{{end}}`

func writeMan(w io.Writer, root *cobra.Command) error {
	page := template.Must(template.New("man").Funcs(template.FuncMap{
		"version": version, "lowerFirst": lowerFirst, "aliases": aliasLine, "sections": manSections,
		"line": roff, "text": roffText, "flags": manFlags,
		"usage": func(cmd *cobra.Command) string { return strings.TrimSuffix(cmd.UseLine(), " [flags]") },
	}).Parse(manPage))
	return page.Execute(w, root)
}

// manItem is a paragraph under a term.
type manItem struct{ Term, Text string }

func manFlags(flags *pflag.FlagSet) (items []manItem) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name := "--" + withValue(f)
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		items = append(items, manItem{name, f.Usage})
	})
	return items
}

// roffText returns lines of text. It escapes those that roff would take for requests; empty ones
// separate paragraphs.
func roffText(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	for i, line := range lines {
		lines[i] = roff(line)
		switch {
		case line == "":
			lines[i] = ".PP"
		case strings.HasPrefix(line, "."), strings.HasPrefix(line, "'"):
			lines[i] = `\&` + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

// roff escapes s so that backslashes and hyphens appear as they are.
func roff(s string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...", "·", "|").Replace(s)
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

type manSection struct {
	Title string
	Items []manItem
}

// manSections returns the sections that apply to all commands.
func manSections() []manSection {
	return []manSection{
		{"EXIT STATUS", exitRows("")},
		{"ENVIRONMENT", []manItem{
			{"HOB_STATE_DIR", "directory of the jobs (default: $XDG_STATE_HOME/hob, else ~/.local/state/hob)"},
			{"HOB_CONFIG", "settings file (default: $XDG_CONFIG_HOME/hob/config.toml, else ~/.config/hob/config.toml)"},
			{"HOB_LOG", "file to which hob appends diagnostic messages (default: none)"},
			{"HOB_JOB_ID", "set in every job: its ID"},
			{"HOB_YIELD_MS, HOB_TIMEOUT_SEC, HOB_JOB_TTL_MS, HOB_MAX_OUTPUT_CHARS", "override the settings in [agent] for hob mcp"},
			{"PAGER, VISUAL, EDITOR", "program that opens a log, unless set in the settings"},
			{"NO_COLOR, CLICOLOR_FORCE", "disable colors; use colors even if the output is not a terminal"},
		}},
		{"FILES", []manItem{
			{"~/.config/hob/config.toml", "settings, keys and theme; hob config prints the effective ones"},
			{"~/.local/state/hob/jobs/ID/output.log", "the complete output of a job"},
			{"~/.local/state/hob/jobs/ID/exit_code", "its exit code, once it has ended"},
		}},
	}
}
