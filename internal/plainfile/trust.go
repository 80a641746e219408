package plainfile

import (
	"errors"
	"io/fs"
)

// ErrWritable is matched by the error for a file or directory that other users may write to. It
// matches [fs.ErrPermission], as [OwnerError] does.
var ErrWritable error = writableError{}

type writableError struct{}

func (writableError) Error() string { return "can be changed by other users" }
func (writableError) Unwrap() error { return fs.ErrPermission }

// ElementError is the error for a path with an element that another user controls.
type ElementError struct {
	Element string // the directory, link or file
	Err     error  // an [OwnerError] or [ErrWritable]
}

func (e *ElementError) Error() string { return e.Element + " " + e.Err.Error() }
func (e *ElementError) Unwrap() error { return e.Err }

// errManyLinks is the error for a path whose symbolic links refer to each other.
var errManyLinks = errors.New("too many symbolic links")
