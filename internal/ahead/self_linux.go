package ahead

import (
	"os"
	"strings"
)

// ownProgram is this very program, even if its file has been replaced since.
func ownProgram() (string, error) { return "/proc/self/exe", nil }

// ownFile is where this program's file is, or was.
func ownFile() (string, error) {
	path, err := os.Readlink("/proc/self/exe")
	return strings.TrimSuffix(path, " (deleted)"), err
}
