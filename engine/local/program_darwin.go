package local

import (
	"os"
	"path/filepath"
)

// ownProgram returns the path of this program.
func ownProgram() (string, error) { return os.Executable() }

// ownFile returns the path of this program's file, with links resolved: Homebrew links hob and
// hob-holder into another directory, and a link to hob-holder is not trusted.
func ownFile() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}
