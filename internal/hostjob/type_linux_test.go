package hostjob

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobjobs/hob/internal/holder"
)

// A request that types for a job that reads slowly answers before its client gives up, with what the job has read.
func TestTypingForSlowReaders(t *testing.T) {
	full := &holder.Failure{Code: holder.CodeUnresponsive, Taken: 7}
	for name, tc := range map[string]struct {
		speed  int // bytes per second
		size   int
		stops  int // it does not read more than that
		all    bool
		failed bool
	}{
		"fast":                  {1 << 30, 128 << 10, 1 << 30, true, false},
		"slow":                  {500, 128 << 10, 1 << 30, false, false},
		"very slow":             {60, 128 << 10, 1 << 30, false, false},
		"slow and little":       {500, 2000, 1 << 30, true, false},
		"stops reading midways": {1 << 30, 128 << 10, 5000, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, read := time.Now(), 0
				taken, err := typeSlowly(t.Context(), make([]byte, tc.size), func(_ context.Context, p []byte) error {
					if read+len(p) > tc.stops {
						f := *full
						return &f
					}
					time.Sleep(time.Duration(len(p)) * time.Second / time.Duration(tc.speed))
					read += len(p)
					return nil
				})
				f, failed := errors.AsType[*holder.Failure](err)
				if taken != read || (taken == tc.size) != tc.all || failed != tc.failed {
					t.Errorf("%d of %d were taken, %d were read: %v", taken, tc.size, read, err)
				}
				if failed && f.Taken != read+full.Taken {
					t.Errorf("the failure has %d bytes, the job %d", f.Taken, read+full.Taken)
				}
				if took := time.Since(began); took > 30*time.Second {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}
