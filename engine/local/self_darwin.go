package local

import "os"

// ownProgram is this program.
func ownProgram() (string, error) { return os.Executable() }
