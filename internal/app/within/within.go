// Package within selects jobs by the directory in which they were started.
package within

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hobjobs/hob/engine"
)

// Dir returns the jobs that were started in dir, an absolute path, or below; all jobs if dir is
// empty. It reuses the slice. On this machine, symbolic links are resolved, also if the directory was
// deleted since. The directory of a job on a host is compared as it is written. If none was written, the job
// runs in the home directory there, of which only the root is known to be above it.
func Dir(jobs []engine.Job, dir string) []engine.Job {
	if dir == "" {
		return jobs
	}
	target, seen := resolved(dir), map[string]bool{}
	return slices.DeleteFunc(jobs, func(j engine.Job) bool {
		if j.Host != "" {
			root := filepath.ToSlash(dir)
			return root != "/" && !below(path.Clean(j.Dir), root)
		}
		in, ok := seen[j.Dir]
		if !ok {
			in = belowHere(filepath.Clean(j.Dir), dir) || belowHere(resolved(j.Dir), target)
			seen[j.Dir] = in
		}
		return !in
	})
}

// belowHere is [below] for paths of this machine.
func belowHere(dir, root string) bool { return below(filepath.ToSlash(dir), filepath.ToSlash(root)) }

// below reports whether dir is root or in it. Both are clean, and have slashes.
func below(dir, root string) bool {
	return dir == root || strings.HasPrefix(dir, strings.TrimSuffix(root, "/")+"/")
}

// maxLinks is how many symbolic links to deleted directories are followed.
const maxLinks = 40

// resolved returns dir without symbolic links. Of a directory that was deleted, the part that
// still exists is resolved, and links that lead to it.
func resolved(dir string) string { return resolve(filepath.Clean(dir), maxLinks) }

func resolve(dir string, links int) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	parent := filepath.Dir(dir)
	if parent == dir {
		return dir
	}
	parent = resolve(parent, links)
	target, err := os.Readlink(dir)
	switch {
	case err != nil, links == 0:
		return filepath.Join(parent, filepath.Base(dir))
	case !filepath.IsAbs(target):
		target = filepath.Join(parent, target)
	}
	return resolve(filepath.Clean(target), links-1)
}
