package cli

import (
	"cmp"
	"context"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hobjobs/hob/internal/cells"
)

// help shows the help of a command, styled by fang. No other path uses fang: to choose
// its colors it queries the terminal's background and waits for the answer, even for
// errors.
func (a *app) help(cmd *cobra.Command, _ []string) {
	root := (&app{stdin: a.stdin, stdout: a.stdout, stderr: a.stderr, color: "auto"}).newRoot()
	path := []string{"--help"}
	for c := cmd; c.HasParent(); c = c.Parent() {
		path = append([]string{c.Name()}, path...)
	}
	if shown, _, err := root.Find(path[:len(path)-1]); err == nil {
		addPlaceholders(shown.Flags())
		addPlaceholders(root.PersistentFlags())
		shown.Long = a.fillHelp(shown.Long)
		if len(shown.Aliases) > 0 {
			shown.Long += "\n\n" + aliasLine(shown)
		}
		if shown.HasParent() {
			shown.Long = cmp.Or(shown.Long, shown.Short+".") + "\n\n" + exitStatusOf(commandName(shown))
		}
	}
	root.SetArgs(path)
	out := &errorWriter{w: a.stdout}
	if !isTerminal(a.stdout) { // on a terminal, the help package must write to it directly
		root.SetOut(out)
	}
	// Apart from writing, showing help cannot fail.
	_ = fang.Execute(context.Background(), root,
		fang.WithVersion(version()), fang.WithoutManpage(), fang.WithColorSchemeFunc(fang.AnsiColorScheme))
	a.helpErr = out.err
}

// addPlaceholders adds the placeholder of its value to the name of each flag, because help
// shows names only. The flags are still found by their original names.
func addPlaceholders(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		f.Name = withValue(f)
	})
}

// withValue returns the name of a flag with the placeholder of its value, if it has one. A value that
// may be omitted is written with an equals sign.
func withValue(f *pflag.Flag) string {
	kind := f.Value.Type()
	switch {
	case kind == "bool":
		return f.Name
	case f.NoOptDefVal != "":
		return f.Name + "[=" + kind + "]"
	}
	return f.Name + " " + kind
}

// helpWidth is the maximum width of paragraphs in help, and helpIndent what the help package puts
// before their lines.
const helpWidth, helpIndent = 88, 2

// fillHelp fills the lines of each paragraph to the width of the terminal. The help package would
// break lines again that are too long, and also within flags, after their hyphens. Blank and
// indented lines stay as they are.
func (a *app) fillHelp(text string) string {
	w := helpWidth
	if cols := terminalSize(a.stdout).Cols; cols > 0 {
		w = min(w, cols)
	}
	w -= helpIndent
	var b strings.Builder
	at := 0 // the column in a paragraph; 0: a new one begins
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || line[0] == ' ' {
			if at > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(line)
			at = 0
			continue
		}
		for _, word := range words {
			switch n := cells.Width(word); {
			case at == 0:
				at = n
			case at+1+n <= w:
				b.WriteByte(' ')
				at += 1 + n
			default:
				b.WriteByte('\n')
				at = n
			}
			b.WriteString(word)
		}
	}
	return b.String()
}

func aliasLine(cmd *cobra.Command) string {
	return "Aliases: " + strings.Join(cmd.Aliases, ", ")
}

// errorWriter writes to w and keeps the first error.
type errorWriter struct {
	w   io.Writer
	err error
}

func (e *errorWriter) Write(p []byte) (int, error) {
	n, err := e.w.Write(p)
	if e.err == nil {
		e.err = err
	}
	return n, err
}

// Set when a release is built: -ldflags "-X github.com/hobjobs/hob/internal/app/cli.release=…".
var (
	release string // the version, without v
	commit  string // short
	built   string // the date of the commit
)

// version returns the version that hob --version prints: the number of a release, or the
// commit of another build.
func version() string {
	v, hash, date := release, commit, built
	if info, ok := debug.ReadBuildInfo(); ok {
		if v == "" {
			v = strings.TrimPrefix(info.Main.Version, "v")
		}
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision" && hash == "" && len(s.Value) >= 7:
				hash = s.Value[:7]
			case s.Key == "vcs.time" && date == "":
				date = s.Value
			}
		}
	}
	if v == "" || v == "(devel)" {
		v = "devel"
	}
	about := []string{}
	if hash != "" {
		about = append(about, hash)
	}
	if day, _, _ := strings.Cut(date, "T"); day != "" {
		about = append(about, day)
	}
	about = append(about, runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH)
	return v + " (" + strings.Join(about, ", ") + ")"
}
