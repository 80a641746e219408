package cli

import (
	"context"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// help shows a verb's help in fang's dress. Fang stays off every other path: to
// choose its colours it asks the terminal for its background and waits for the
// answer, on errors too.
func (a *app) help(cmd *cobra.Command, _ []string) {
	root := (&app{stdin: a.stdin, stdout: a.stdout, stderr: a.stderr, color: "auto"}).newRoot()
	path := []string{"--help"}
	for c := cmd; c.HasParent(); c = c.Parent() {
		path = append([]string{c.Name()}, path...)
	}
	if shown, _, err := root.Find(path[:len(path)-1]); err == nil {
		nameValues(shown.Flags())
		nameValues(root.PersistentFlags())
		if len(shown.Aliases) > 0 {
			shown.Long += "\n\n" + alsoCalled(shown)
		}
	}
	root.SetArgs(path)
	out := &keptError{w: a.stdout}
	if !isTerminal(a.stdout) { // fang wants the terminal itself
		root.SetOut(out)
	}
	// Besides, showing help cannot fail.
	_ = fang.Execute(context.Background(), root,
		fang.WithVersion(version()), fang.WithoutManpage(), fang.WithColorSchemeFunc(fang.AnsiColorScheme))
	a.unsaid = out.err
}

// nameValues adds to each flag's name what it takes, for help, which shows names
// alone. The flags are still found by the names that they had.
func nameValues(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if value := valueName(f); value != "" {
			f.Name += " " + value
		}
	})
}

// valueName is what stands for the value of a flag in help and manual; empty for a
// flag that takes none.
func valueName(f *pflag.Flag) string {
	switch f.Name {
	case "client", "name":
		return "NAME"
	case "dir":
		return "DIR"
	case "env":
		return "NAME[=VALUE]"
	case "filter", "exclude", "for":
		return "REGEX"
	case "on":
		return "HOST"
	case "script":
		return "SCRIPT"
	case "since":
		return "TIME"
	case "stream":
		return "STREAM"
	}
	if kind := f.Value.Type(); kind != "bool" {
		return kind
	}
	return ""
}

// alsoCalled names the other names of a verb.
func alsoCalled(verb *cobra.Command) string {
	return "Also: " + strings.Join(verb.Aliases, ", ") + "."
}

// keptError keeps the first error of writing to w.
type keptError struct {
	w   io.Writer
	err error
}

func (k *keptError) Write(p []byte) (int, error) {
	n, err := k.w.Write(p)
	if k.err == nil {
		k.err = err
	}
	return n, err
}

// What a release is built with: -ldflags "-X github.com/hobjobs/hob/internal/app/cli.release=…".
var (
	release string // the version, without v
	commit  string // short
	built   string // the date of the commit
)

// version is what hob --version prints: a release by its number, a
// build of a checkout by its commit.
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
