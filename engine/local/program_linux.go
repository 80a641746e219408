package local

import "os"

// ownProgram returns a path that executes this very program, even if its file has been replaced.
func ownProgram() (string, error) { return "/proc/self/exe", nil }

// ownFile returns the path of this program's file, which may have been replaced; only its directory
// is used.
func ownFile() (string, error) { return os.Readlink("/proc/self/exe") }
