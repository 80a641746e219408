package ahead

import "os"

// ownProgram is this program.
func ownProgram() (string, error) { return os.Executable() }

// ownFile is where this program's file is.
func ownFile() (string, error) { return os.Executable() }
