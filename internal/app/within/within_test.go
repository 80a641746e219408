package within_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/within"
)

func TestDir(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	base := t.TempDir()
	tree, link := filepath.Join(base, "tree"), filepath.Join(base, "link")
	if err := os.MkdirAll(filepath.Join(tree, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(tree, link); err != nil {
		t.Fatal(err)
	}
	dangling, loop := filepath.Join(base, "dangling"), filepath.Join(base, "loop")
	for link, to := range map[string]string{dangling: "gone/tree", loop: loop} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		started, dir string
		host         string
		want         bool
	}{
		"the directory":                       {tree, tree, "", true},
		"below it":                            {tree + "/sub", tree, "", true},
		"above it":                            {tree, tree + "/sub", "", false},
		"a name that begins the same":         {base + "/tree2", tree, "", false},
		"the root":                            {tree, "/", "", true},
		"started through a link":              {link + "/sub", tree, "", true},
		"named through a link":                {tree + "/sub", link, "", true},
		"not clean":                           {tree + "/sub/../sub/", tree + "/sub", "", true},
		"deleted":                             {tree + "/gone/deep", tree + "/gone", "", true},
		"deleted, and started through a link": {link + "/gone/deep", tree + "/gone", "", true},
		"deleted, and named through a link":   {tree + "/gone/deep", link + "/gone", "", true},
		"through a link to what was deleted":  {dangling + "/sub", base + "/gone/tree", "", true},
		"a link that leads to itself":         {loop + "/sub", loop, "", true},
		"on a host":                           {"/srv/app/api", "/srv/app", "web1", true},
		"elsewhere on a host":                 {"/srv/app2", "/srv/app", "web1", false},
		"the home directory of a host":        {"", "/srv/app", "web1", false},
		"the root of a host":                  {"", "/", "web1", true},
		"links of this machine on a host":     {link, tree, "web1", false},
		"no directory":                        {tree, "", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			job := engine.Job{}
			job.Dir, job.Host = c.started, c.host
			if got := len(within.Dir([]engine.Job{job}, c.dir)) == 1; got != c.want {
				t.Errorf("a job in %q, --dir %q: %v, want %v", c.started, c.dir, got, c.want)
			}
		})
	}
}
