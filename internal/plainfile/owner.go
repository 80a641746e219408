package plainfile

import "io/fs"

// OwnerError is the error for a file that belongs to another user. It matches [fs.ErrPermission].
type OwnerError struct {
	Owner, User int // ids of the file's user and of this process
}

func (e *OwnerError) Error() string {
	return "belongs to " + userName(e.Owner) + ", not to " + userName(e.User)
}

func (e *OwnerError) Unwrap() error { return fs.ErrPermission }
