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

	"github.com/hobjobs/hob/internal/plainfile"
)

// maxSocketPath returns the maximum length of a socket's path: that of the kernel's sun_path without
// NUL.
func maxSocketPath() int {
	if runtime.GOOS == "linux" {
		return 107
	}
	return 103
}

// socketName returns a short name, which is unique for the job directory.
func socketName(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return hex.EncodeToString(sum[:10])
}

// runtimeDirs returns the possible directories for the socket of the job in dir, best first.
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

// SocketPath returns the path for the socket of the job in dir: the first one that is short enough and
// in a directory that only this user can enter.
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
	return "", fmt.Errorf("no directory for the job's socket: %w", errors.Join(failed...))
}

// privateDir creates the directory d if necessary, and fails unless it belongs to this user and no
// other user can enter it.
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
	if err := plainfile.CheckOwner(info); err != nil {
		return fmt.Errorf("%s %w", d, err)
	}
	if info.Mode().Perm() != 0o700 {
		return os.Chmod(d, 0o700)
	}
	return nil
}
