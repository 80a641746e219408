package jobdir

import "io/fs"

// Access lists, not modes, guard a profile's directories on Windows.
const privateModes = false

func checkOwner(string, fs.FileInfo) error { return nil }
