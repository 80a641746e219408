//go:build unix

package plainfile

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/hobjobs/hob/internal/testtool"
)

func TestCheckPath(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		root    bool   // other users can only be tried as root
		prepare string // lines of: mkdir PATH MODE, link PATH TARGET, file PATH MODE, chown PATH, group PATH
		path    string
		element string // that is refused; empty: none
		err     error
	}{
		{"own directories", false, "mkdir a 755\nmkdir a/b 700", "a/b", "", nil},
		{"nothing yet", false, "", "a/b/c", "", nil},
		{"own link", false, "mkdir a 755\nlink l a", "l", "", nil},
		{"relative link", false, "mkdir a 755\nmkdir a/b 755\nmkdir c 755\nlink c/l ../a/./b", "c/l", "", nil},
		{"link to itself", false, "link l l", "l", "", errManyLinks},
		{"dangling link", false, "link l missing", "l", "", nil},
		{"directory at the end that others may write to", false, "mkdir a 777", "a", "", nil},
		{"directory on the way that others may write to", false, "mkdir a 777\nmkdir a/b 700", "a/b", "a", ErrWritable},
		{"nothing yet in a directory that others may write to", false, "mkdir a 777", "a/b", "a", ErrWritable},
		{"link to a path through such a directory", false, "mkdir a 777\nmkdir a/b 700\nlink l a/b", "l", "a", ErrWritable},
		{"sticky directory", false, "mkdir a 1777\nmkdir a/b 700", "a/b", "", nil},
		{"nothing yet in a sticky directory", false, "mkdir a 1777", "a/b", "", nil},
		{"own file", false, "file f 644", "f", "", nil},
		{"file that others may write to", false, "file f 646", "f", "f", ErrWritable},
		{"file of a group", true, "file f 664\ngroup f", "f", "f", ErrWritable},
		{"directory of a group", true, "mkdir a 775\ngroup a\nmkdir a/b 700", "a/b", "a", ErrWritable},
		{"directory that a group may only read", true, "mkdir a 755\ngroup a\nmkdir a/b 700", "a/b", "", nil},
		{"sticky directory of a group", true, "mkdir a 1775\ngroup a\nmkdir a/b 700", "a/b", "", nil},
		{"directory of another user on the way", true, "mkdir a 755\nmkdir a/b 700\nchown a", "a/b", "a", fs.ErrPermission},
		{"directory of another user at the end", true, "mkdir a 755\nchown a", "a", "a", fs.ErrPermission},
		{"nothing yet in a directory of another user", true, "mkdir a 755\nchown a", "a/b", "a", fs.ErrPermission},
		{"directory of another user in a sticky one", true, "mkdir a 1777\nmkdir a/b 755\nchown a/b", "a/b/c", "a/b", fs.ErrPermission},
		{"link of another user", true, "mkdir a 700\nlink l a\nchown l", "l/b", "l", fs.ErrPermission},
		{"own link to a link of another user", true, "mkdir a 700\nmkdir s 1777\nlink s/l ../a\nchown s/l\nlink own s/l", "own", "s/l", fs.ErrPermission},
		{"parent of the target of a link", false, "mkdir a 755\nmkdir a/b 755\nfile a/f 644\nlink l a/b", "l/../f", "", nil},
		{"parent of the target, writable by others", false, "mkdir a 777\nmkdir a/b 755\nlink l a/b", "l/../f", "a", ErrWritable},
		{"link of another user before its parent", true, "mkdir a 755\nmkdir a/b 755\nfile f 644\nlink l a/b\nchown l", "l/../f", "l", fs.ErrPermission},
		{"parent of a target that belongs to another user", true, "mkdir a 755\nmkdir a/b 755\nfile f 644\nlink l a/b\nchown a", "l/../f", "a", fs.ErrPermission},
		{"file of another user", true, "file f 644\nchown f", "f", "f", fs.ErrPermission},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.root {
				testtool.NeedRoot(t)
			}
			dir := testtool.Arrange(t, tc.prepare)
			err := CheckPath(dir + "/" + tc.path) // filepath.Join removes what is before ..
			if !errors.Is(err, tc.err) || (err != nil) != (tc.err != nil) {
				t.Fatalf("%v, want %v", err, tc.err)
			}
			element, ok := errors.AsType[*ElementError](err)
			if ok != (tc.element != "") || ok && element.Element != filepath.Join(dir, tc.element) {
				t.Errorf("%v, want one for %q", err, tc.element)
			}
		})
	}
}
