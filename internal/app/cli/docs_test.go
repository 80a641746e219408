package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var (
	codeSpan   = regexp.MustCompile("`[^`]+`")
	commandEnd = regexp.MustCompile(`[|;&)<>]|\$\(|#\s| …|\.\.\.`)
	// hobCommand matches hob at the start of a command, because prose mentions hob too.
	hobCommand = regexp.MustCompile(`(?:^|[|;&(] *|\$ |-- |scope |\d )hob((?: [^\s]+)*)`)
	quoted     = regexp.MustCompile(`'[^']*'`)
	loneFlag   = regexp.MustCompile(`^--[a-z][a-z-]*`)
)

// Every command and flag in the README and the pages of docs exists.
func TestDocsNameExistingCommandsAndFlags(t *testing.T) {
	root := (&app{}).newRoot()
	root.InitDefaultVersionFlag()
	pages, err := filepath.Glob("../../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	decisions, err := filepath.Glob("../../../docs/decisions/*.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, page := range append(append(pages, decisions...), "../../../README.md", "../../../CONTRIBUTING.md", "../agents/skill.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		fenced := false
		for n, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
				continue
			}
			var code []string
			if fenced || strings.HasPrefix(line, "    ") {
				code = []string{strings.TrimSpace(line)}
			}
			var cmds []*cobra.Command
			for _, span := range codeSpan.FindAllString(line, -1) {
				code = append(code, strings.Trim(span, "`"))
			}
			for _, c := range code {
				for _, m := range hobCommand.FindAllStringSubmatch(c, -1) {
					cmd, problem := checkCommand(root, m[1])
					if problem != "" {
						t.Errorf("%s:%d: %q: %s", filepath.Base(page), n+1, c, problem)
					}
					cmds = append(cmds, cmd)
					seen++
				}
				// A flag without a command belongs to a command of its line, or to any.
				if flag := loneFlag.FindString(c); flag != "" && !fenced && !anyHas(cmds, flag) && !anyHas(allOf(root), flag) {
					t.Errorf("%s:%d: no command has %s", filepath.Base(page), n+1, flag)
				}
			}
			if strings.HasPrefix(line, "| `hob") { // a table row about commands: its flags are theirs
				for _, c := range code {
					if flag := loneFlag.FindString(c); flag != "" && !anyHas(cmds, flag) {
						t.Errorf("%s:%d: %s is not a flag of the row's commands", filepath.Base(page), n+1, flag)
					}
				}
			}
		}
	}
	if seen < 60 {
		t.Errorf("only %d commands were found", seen)
	}
}

// checkCommand checks the arguments that follow hob in a command line and describes what is
// wrong with them.
func checkCommand(root *cobra.Command, rest string) (*cobra.Command, string) {
	rest = quoted.ReplaceAllString(rest, "X")
	if cut := commandEnd.FindStringIndex(rest); cut != nil {
		rest = rest[:cut[0]]
	}
	words := strings.Fields(rest)
	if len(words) == 0 {
		return root, ""
	}
	cmd, args, err := root.Find(words)
	if err != nil || cmd == root && !strings.HasPrefix(words[0], "-") && words[0] != "COMMAND" {
		return root, "no such command"
	}
	for i := 0; i < len(args); i++ {
		w := strings.TrimRight(args[i], ",.")
		if w == "--" || !strings.HasPrefix(w, "-") && cmd.Name() == "run" {
			break // the flags of the job's command follow
		}
		if len(w) < 2 || w[0] != '-' {
			continue
		}
		f := flagOf(cmd, w)
		if f == nil {
			return cmd, "no flag " + w
		}
		if f.NoOptDefVal == "" && !strings.Contains(w, "=") {
			i++ // its value
		}
	}
	return cmd, ""
}

func flagOf(cmd *cobra.Command, word string) *pflag.Flag {
	cmd.InitDefaultHelpFlag()
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	if strings.HasPrefix(word, "--") {
		if f := cmd.Flags().Lookup(name); f != nil {
			return f
		}
		return cmd.InheritedFlags().Lookup(name)
	}
	return cmd.Flags().ShorthandLookup(name[:1])
}

func anyHas(cmds []*cobra.Command, flag string) bool {
	for _, c := range cmds {
		if flagOf(c, flag) != nil {
			return true
		}
	}
	return false
}

func allOf(root *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{root}
	for _, c := range root.Commands() {
		all = append(all, allOf(c)...)
	}
	return all
}

// A check that accepts everything would prove nothing.
func TestCheckCommand(t *testing.T) {
	root := (&app{}).newRoot()
	for rest, want := range map[string]string{
		"": "", " log --limit 5 ID": "", " run -b -n x make --bogus": "", " wait @ && hob lst": "", " hosts check web1 --json": "", " run -c 'ulimit -v 5' x": "",
		" log --bogus ID": "no flag --bogus", " log -q": "no flag -q", " lst": "no such command", " run --bogus make": "no flag --bogus",
	} {
		if _, got := checkCommand(root, rest); got != want {
			t.Errorf("hob%s: %q, want %q", rest, got, want)
		}
	}
}
