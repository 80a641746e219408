//go:build !linux && !darwin

package logfile

import "os"

const seekData, seekHole = -1, -1 // invalid: Seek fails

func punchRange(*os.File, int64, int64) error { return ErrNoHoles }
