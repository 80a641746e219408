package cli

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// What a release is built with: -ldflags "-X github.com/hobjobs/hob/internal/cli.release=…".
var (
	release string // the version, without v
	commit  string // short
	built   string // the date of the commit
)

// version is what hob --version says of this program: a release by its number, a
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
