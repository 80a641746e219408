package shell

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// mute is a channel whose other side never sends anything, not even that it is closed.
type mute struct{ connection chan struct{} }

func (c *mute) Read([]byte) (int, error) {
	<-c.connection
	return 0, io.EOF
}
func (c *mute) Write(p []byte) (int, error) { return len(p), nil }
func (c *mute) Close() error                { return nil }
func (c *mute) CloseWrite() error           { return nil }
func (c *mute) Stderr() string              { return "" }

// A host whose shell does not respond is given up when the time limit is over, even if the channel
// stays open.
func TestMuteShellIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ch := &mute{make(chan struct{})}
		defer close(ch.connection)
		began := time.Now()
		_, err := NewSession(ch, "", 20*time.Second).Do(t.Context(), "", time.Minute)
		if took := time.Since(began); !errors.Is(err, ErrTimeout) || took != 20*time.Second {
			t.Errorf("%v after %v", err, took)
		}
	})
}
