//go:build unix

package recipe

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hobjobs/hob/internal/testtool"
)

// What another user could have prepared or could change is not taken for the private
// directory.
func TestSpareDirectoryIsPrivate(t *testing.T) {
	me := strconv.Itoa(os.Geteuid())
	eachShell(t, func(t *testing.T, p *place) {
		cases := []struct {
			name    string
			prepare func(tmp, dir string) error
			taken   bool
		}{
			{"a new one", func(_, _ string) error { return nil }, true},
			{"one from before", func(_, dir string) error { return os.Mkdir(dir, 0o700) }, true},
			{"open to others", func(_, dir string) error { return os.Mkdir(dir, 0o755) }, false},
			{"a link", func(tmp, dir string) error { return os.Symlink(tmp, dir) }, false},
			{"a file", func(_, dir string) error { return os.WriteFile(dir, nil, 0o700) }, false},
			{"others may rename it", func(tmp, _ string) error { return os.Chmod(tmp, 0o777) }, false},
			{"others may not rename it", func(tmp, _ string) error { return os.Chmod(tmp, 0o777|os.ModeSticky) }, true},
			{"others may rename a directory above", func(tmp, _ string) error { return os.Chmod(filepath.Dir(tmp), 0o777) }, false},
			{"of another user", func(_, dir string) error {
				testtool.NeedRoot(t)
				if err := os.Mkdir(dir, 0o700); err != nil {
					return err
				}
				return os.Chown(dir, 65534, 65534)
			}, false},
		}
		for _, c := range cases {
			tmp := filepath.Join(t.TempDir(), "tmp")
			if err := os.Mkdir(tmp, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := c.prepare(tmp, filepath.Join(tmp, "hob-"+me)); err != nil {
				t.Fatal(err)
			}
			second := t.TempDir() // where others find /tmp
			if err := os.Chmod(second, 0o700); err != nil {
				t.Fatal(err)
			}
			want := filepath.Join(second, "hob-"+me, "jobs")
			if c.taken {
				want = filepath.Join(tmp, "hob-"+me, "jobs")
			}
			script := serve[strings.Index(serve, "\nspare() {"):]
			script = strings.Replace(script[:strings.Index(script, "\n}\n")+3], " /tmp; do", " '"+second+"'; do", 1)
			if got := strings.TrimSpace(p.ask(script + "TMPDIR='" + tmp + "'\n" + Spare())); got != want {
				t.Errorf("%s: %q, want %q", c.name, got, want)
			}
		}
	})
}
