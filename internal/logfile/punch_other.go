//go:build !linux && !darwin

package logfile

import "os"

func punchRange(*os.File, int64, int64) error { return ErrNoHoles }

func dataAfterHole(*os.File, int64, int64) (int64, bool) { return 0, false }
