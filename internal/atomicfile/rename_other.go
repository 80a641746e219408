//go:build !linux

package atomicfile

import "os"

func rename(temp, path string) error { return os.Rename(temp, path) }

// renameNew renames temp to path unless that is taken: here files are linked for that.
func renameNew(string, string) (ok bool, err error) { return false, nil }
