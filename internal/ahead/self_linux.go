package ahead

import "os"

// ownProgram is this very program, even if its file has been replaced since.
func ownProgram() (string, error) { return "/proc/self/exe", nil }

// ownFile is where this program's file is, or was: only its directory counts.
func ownFile() (string, error) {
	return os.Readlink("/proc/self/exe") // with a note behind it if it was deleted
}
