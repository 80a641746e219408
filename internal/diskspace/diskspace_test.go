package diskspace

import (
	"errors"
	"syscall"
	"testing"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		bytes, files uint64
		want         string // "": there is space
	}{
		"enough":        {minBytes, minFiles, ""},
		"few bytes":     {47 << 10, 1000, "only 47 KiB free"},
		"no file":       {1 << 30, 0, "only 0 more files can be created"},
		"one file":      {1 << 30, 1, "only 1 more file can be created"},
		"several files": {1 << 30, 7, "only 7 more files can be created"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := check(tt.bytes, tt.files)
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || err.Error() != tt.want+": "+syscall.ENOSPC.Error() || !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
}
