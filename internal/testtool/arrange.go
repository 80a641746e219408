package testtool

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// OtherUser is the number of a user, and of a group, that has no files in the tests.
const OtherUser = 54321

// Arrange returns a directory with what the lines of script create, in their order:
//
//	mkdir PATH MODE   a directory; the mode is octal
//	file PATH MODE    an empty file
//	link PATH TARGET  a symbolic link
//	chown PATH        gives it to OtherUser, which only root can
//	group PATH        gives it to that group
func Arrange(t testing.TB, script string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(script) {
		words := append(strings.Fields(line), "")
		if err := arrange(words[0], filepath.Join(dir, words[1]), words[2]); err != nil {
			t.Fatalf("%s: %v", strings.TrimSpace(line), err)
		}
	}
	return dir
}

func arrange(what, path, arg string) error {
	switch what {
	case "mkdir":
		return errors.Join(os.Mkdir(path, 0o700), chmod(path, arg))
	case "file":
		return errors.Join(os.WriteFile(path, nil, 0o600), chmod(path, arg))
	case "link":
		return os.Symlink(arg, path)
	case "chown":
		return os.Lchown(path, OtherUser, OtherUser)
	case "group":
		return os.Lchown(path, -1, OtherUser)
	}
	return errors.New("no such line")
}

func chmod(path, octal string) error {
	bits, err := strconv.ParseUint(octal, 8, 12)
	if err != nil {
		return err
	}
	mode := fs.FileMode(bits & 0o777)
	if bits&0o1000 != 0 {
		mode |= fs.ModeSticky
	}
	return os.Chmod(path, mode)
}
