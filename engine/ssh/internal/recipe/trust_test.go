//go:build unix

package recipe

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobjobs/hob/internal/testtool"
)

// The rule for paths is that of this machine, in package plainfile. In addition, others cannot write
// to the directory at the end.
func TestPathThatOthersControl(t *testing.T) {
	const changed, owned = "can be changed by other users", "belongs to another user"
	cases := []struct {
		name    string
		root    bool   // other users can only be tried as root
		prepare string // lines of: mkdir PATH MODE, link PATH TARGET, chown PATH, group PATH
		path    string
		element string // that is refused; empty: none
		why     string
	}{
		{"own directories", false, "mkdir a 755\nmkdir a/b 700", "a/b", "", ""},
		{"nothing yet", false, "", "a/b/c", "", ""},
		{"a name with signs", false, "mkdir a 755\nmkdir a/b->* 700\nlink a/ü a/b->*", "a/ü", "", ""},
		{"own link", false, "mkdir a 755\nlink l a", "l", "", ""},
		{"relative link", false, "mkdir a 755\nmkdir a/b 755\nmkdir c 755\nlink c/l ../a/./b\nmkdir a/b/d 700", "c/l/d", "", ""},
		{"link to itself", false, "link l l", "l", "l", "too many symbolic links"},
		{"dangling link", false, "link l missing", "l", "", ""},
		{"directory at the end that others may write to", false, "mkdir a 777", "a", "a", changed},
		{"sticky directory at the end", false, "mkdir a 1777", "a", "a", changed},
		{"directory on the way that others may write to", false, "mkdir a 777\nmkdir a/b 700", "a/b", "a", changed},
		{"nothing yet in a directory that others may write to", false, "mkdir a 777", "a/b", "a", changed},
		{"link to a path through such a directory", false, "mkdir a 777\nmkdir a/b 700\nlink l a/b", "l", "a", changed},
		{"path that leaves such a directory again", false, "mkdir a 777\nmkdir b 700\nlink l a/../b", "l", "a", changed},
		{"sticky directory", false, "mkdir a 1777\nmkdir a/b 700", "a/b", "", ""},
		{"nothing yet in a sticky directory", false, "mkdir a 1777", "a/b", "", ""},
		{"directory of a group", true, "mkdir a 775\ngroup a\nmkdir a/b 700", "a/b", "a", changed},
		{"directory of the own group", true, "mkdir a 775\nmkdir a/b 700", "a/b", "", ""},
		{"directory that a group may only read", true, "mkdir a 755\ngroup a\nmkdir a/b 700", "a/b", "", ""},
		{"directory of another user on the way", true, "mkdir a 755\nmkdir a/b 700\nchown a", "a/b", "a", owned},
		{"directory of another user at the end", true, "mkdir a 755\nchown a", "a", "a", owned},
		{"nothing yet in a directory of another user", true, "mkdir a 755\nchown a", "a/b", "a", owned},
		{"directory of another user in a sticky one", true, "mkdir a 1777\nmkdir a/b 755\nchown a/b", "a/b/c", "a/b", owned},
		{"link of another user", true, "mkdir a 700\nlink l a\nchown l", "l/b", "l", owned},
		{"own link to a link of another user", true, "mkdir a 700\nmkdir s 1777\nlink s/l ../a\nchown s/l\nlink own s/l", "own", "s/l", owned},
	}
	eachShell(t, func(t *testing.T, p *place) {
		for _, tc := range cases {
			t.Run(tc.name, func(t *testing.T) {
				if tc.root {
					testtool.NeedRoot(t)
				}
				dir := testtool.Arrange(t, tc.prepare)
				want := ""
				if tc.element != "" {
					want = filepath.Join(dir, tc.element) + " " + tc.why
				}
				got := strings.TrimSpace(p.ask(Trusted(filepath.Join(dir, tc.path))))
				if tc.why == owned {
					want += fmt.Sprintf(", number %d", testtool.OtherUser)
				}
				if got != want {
					t.Errorf("%q, want %q", got, want)
				}
			})
		}
	})
}

// Jobs are neither looked for nor started where another user decides what they are.
func TestStateDirectoryThatOthersControl(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		for _, way := range []string{"mkdir open 777\nmkdir open/state 700", "mkdir open 777"} {
			dir := testtool.Arrange(t, way)
			open := filepath.Join(dir, "open")
			q := newPlace(t, p.name, "HOB_STATE_DIR="+filepath.Join(open, "state"))
			if h := ParseHello([]byte(q.ask(Hello("m1")))); h.Unsafe != open+" can be changed by other users" {
				t.Errorf("hello names %q", h.Unsafe)
			}
			if s := q.spawn(q.job("true")); s.Error != "unsafe" || s.Text != open+" can be changed by other users" {
				t.Errorf("a start: %+v", s)
			}
			if _, err := os.Stat(filepath.Join(open, "state", "jobs")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the directory was created: %v", err)
			}
		}
	})
}
