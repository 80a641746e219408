// Package build identifies the build of hob that a program contains.
package build

import "runtime/debug"

// module is the module path of hob, its holder program and this package.
const module = "github.com/hobjobs/hob"

// Version returns the build of hob that this program contains: the module version, which for a
// checkout names the commit, and whether there were uncommitted changes. It is empty if that is
// unknown: without version control, and if the module was replaced by a directory.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return Of(info)
}

// Of returns what Version is in the program with that information.
func Of(info *debug.BuildInfo) string {
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

// Same reports whether two programs may hold jobs for each other: they are of the same build, as
// far as both versions are known.
func Same(a, b string) bool { return a == b || a == "" || b == "" }
