//go:build unix

package plainfile

import (
	"errors"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// CheckPath returns an [ElementError] if another user decides what is found at path: an element of
// the path, or a link on the way, belongs neither to this user nor to root, or lies in a directory
// that others may write to. In a sticky directory such as /tmp others cannot replace what belongs
// to this user. A file at the end must not be writable by others either; the mode of a directory
// at the end is left to the caller. Missing elements are accepted: a caller that creates them
// checks the path again.
func CheckPath(path string) error {
	if !filepath.IsAbs(path) {
		here, err := os.Getwd()
		if err != nil {
			return err
		}
		path = here + "/" + path // filepath.Abs removes what is before .., which may be a link
	}
	var top syscall.Stat_t
	if err := syscall.Lstat("/", &top); err != nil {
		return &fs.PathError{Op: "lstat", Path: "/", Err: err}
	}
	w := walk{at: "/", rest: path, top: top.Uid}
	for w.rest != "" {
		if err := w.next(); errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// walk follows a path element by element, as the kernel does.
type walk struct {
	at    string // what was checked: a directory without links in its path
	rest  string // what is below it
	links int
	// top is the owner of /: root, or in a user namespace without it the id that stands for all
	// users of the machine that the namespace does not have.
	top uint32
}

// next checks the next element of the path and continues from it.
func (w *walk) next() error {
	name, rest, _ := strings.Cut(strings.TrimLeft(w.rest, "/"), "/")
	w.rest = rest
	switch name {
	case "", ".":
		return nil
	case "..": // at has no links
		w.at = filepath.Dir(w.at)
		return nil
	}
	if err := w.check(w.at, true); err != nil {
		return err
	}
	element := filepath.Join(w.at, name)
	fi, err := os.Lstat(element)
	if err != nil {
		return err
	}
	if fi.Mode()&fs.ModeSymlink == 0 {
		w.at = element
		return w.check(element, fi.Mode().IsRegular())
	}
	return w.follow(element)
}

// follow continues at the target of a link.
func (w *walk) follow(link string) error {
	if err := w.check(link, false); err != nil {
		return err
	}
	if w.links++; w.links > 40 {
		return &fs.PathError{Op: "open", Path: link, Err: errManyLinks}
	}
	target, err := os.Readlink(link)
	if err != nil {
		return err
	}
	if filepath.IsAbs(target) {
		w.at = "/"
	}
	w.rest = target + "/" + w.rest
	return nil
}

// check returns an error if the element belongs to another user, or if others may write to it and
// private is set.
func (w *walk) check(element string, private bool) error {
	fi, err := os.Lstat(element)
	if err != nil {
		return err
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	err = CheckOwner(fi)
	if st.Uid == 0 || st.Uid == w.top {
		err = nil
	}
	if err == nil && private && othersMayWrite(fi, st) {
		err = ErrWritable
	}
	if err != nil {
		return &ElementError{Element: element, Err: err}
	}
	return nil
}

// othersMayWrite reports whether users other than the owner and root may replace what is in a
// directory, or change a file.
func othersMayWrite(fi fs.FileInfo, st *syscall.Stat_t) bool {
	mode := fi.Mode()
	if mode.IsDir() && mode&fs.ModeSticky != 0 {
		return false
	}
	if mode.Perm()&0o002 != 0 {
		return true
	}
	return mode.Perm()&0o020 != 0 && !ownGroup(st.Uid, st.Gid)
}

// ownGroup reports whether the group gid is that of the user uid alone: many systems give each user
// a group of the same number or name, and then let groups write to new directories. The members of
// group 0, and of admin on macOS, may become root.
func ownGroup(uid, gid uint32) bool {
	switch {
	case gid == uid, gid == 0, runtime.GOOS == "darwin" && gid == 80:
		return true
	}
	g, err := user.LookupGroupId(strconv.Itoa(int(gid)))
	return err == nil && g.Name == userName(int(uid))
}
