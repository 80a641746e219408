//go:build !linux && !darwin

package jobdir

import (
	"errors"
	"os"
)

func lockRange(*os.File, int64, int64) error { return errors.ErrUnsupported }

func unlockRange(*os.File, int64, int64) error { return errors.ErrUnsupported }

func firstLockedByte(_ *os.File, _, to int64) int64 { return to }
