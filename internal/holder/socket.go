package holder

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
)

// maxSocketPath is the longest path that a socket can be bound to: the kernel's
// sun_path less its NUL.
func maxSocketPath() int {
	if runtime.GOOS == "linux" {
		return 107
	}
	return 103
}

// socketName is short whatever the job directory is called, and differs between
// state roots.
func socketName(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return hex.EncodeToString(sum[:10])
}

// runtimeDirs are where the socket of a job in dir may be, best first.
// runtimeDir is $XDG_RUNTIME_DIR, or empty.
func runtimeDirs(dir, runtimeDir string) []string {
	var dirs []string
	if filepath.IsAbs(runtimeDir) {
		dirs = append(dirs, filepath.Join(runtimeDir, "hob"))
	}
	root := filepath.Dir(filepath.Dir(dir))
	return append(dirs,
		filepath.Join(root, "run"),
		filepath.Join(os.TempDir(), "hob-"+strconv.Itoa(os.Getuid())),
		filepath.Join("/tmp", "hob-"+strconv.Itoa(os.Getuid())))
}

// SocketPath chooses where to bind the socket of the job in dir: the first place
// that is short enough and that only this user can enter.
func SocketPath(dir, runtimeDir string) (string, error) {
	name := socketName(dir)
	var failed []error
	for _, d := range runtimeDirs(dir, runtimeDir) {
		path := filepath.Join(d, name)
		if len(path) > maxSocketPath() {
			failed = append(failed, fmt.Errorf("%s is longer than the %d bytes a socket's path may have", path, maxSocketPath()))
			continue
		}
		if err := privateDir(d); err != nil {
			failed = append(failed, err)
			continue
		}
		return path, nil
	}
	return "", fmt.Errorf("no place for the job's socket: %w", errors.Join(failed...))
}

// privateDir makes sure that d is a directory of this user that nobody else can
// enter.
func privateDir(d string) error {
	err := os.Mkdir(d, 0o700)
	if err == nil {
		return nil
	}
	if !errors.Is(err, os.ErrExist) {
		return err
	}
	info, err := os.Lstat(d)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory", d)
	}
	if uid, ok := ownerOf(info); ok && uid != os.Getuid() {
		return fmt.Errorf("%s belongs to another user", d)
	}
	if info.Mode().Perm() != 0o700 {
		return os.Chmod(d, 0o700)
	}
	return nil
}
