package readahead

import (
	"testing"
	"testing/synctest"
)

// endless is a stream that always has more.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// A consumer may leave before the stream ends: the job that was to read it has ended.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // fails if a goroutine is left
		a := New(endless{})
		if n, err := a.Read(make([]byte, 10)); n != 10 || err != nil {
			t.Errorf("%d bytes, %v", n, err)
		}
		synctest.Wait() // it has read as far ahead as it may
		a.Close()
	})
}
