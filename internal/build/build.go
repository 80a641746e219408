// Package build tells which build of hob a program has in it.
package build

import "runtime/debug"

// module is the one that hob, its holder's program and this package are of.
const module = "github.com/hobjobs/hob"

// Version says which build of hob this program has in it: the version of the module,
// which for a checkout names the commit, and whether something was changed since.
// It is empty where that is not known: without version control, and where the
// module was replaced by a directory.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	m := &info.Main
	for _, dep := range info.Deps { // in a program that embeds the engine
		if dep.Path == module {
			m = dep
		}
	}
	if m.Path != module || m.Replace != nil || m.Version == "(devel)" {
		return ""
	}
	return m.Version
}

// Same reports whether two programs may hold jobs for each other: they are of one
// build, as far as both know it.
func Same(a, b string) bool { return a == b || a == "" || b == "" }
