package project

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobjobs/hob/internal/httpget"
)

// A server may listen on one of the loopback addresses only.
func TestPortAcceptsConnections(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		t.Run(address, func(t *testing.T) {
			l, err := net.Listen("tcp", address)
			if err != nil {
				t.Skip(err)
			}
			port := httpget.Target{Port: l.Addr().(*net.TCPAddr).Port}
			if !accepts(t.Context(), port) {
				t.Error("a port with a listener does not accept")
			}
			l.Close()
			if accepts(t.Context(), port) {
				t.Error("a port without a listener accepts")
			}
		})
	}
}

// A wait without a limit of the file ends after ten minutes, and says what it waited for.
func TestWaitsEnd(t *testing.T) {
	forever := func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}
	w := watcher{id: "db-1"}
	t.Run("in time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			err := w.within(t.Context(), defaultLimit, "db is ready", forever)
			if want := "after 10m it still waits until db is ready; see: hob log db-1"; err == nil || err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
			equal(t, "time", time.Since(began), 10*time.Minute)
		})
	})
	t.Run("interrupted", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := w.within(ctx, defaultLimit, "db is ready", forever); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want that of the context", err)
		}
	})
	t.Run("another error", func(t *testing.T) {
		if err := w.within(t.Context(), defaultLimit, "x", func(context.Context) error { return w.endedTooEarly() }); err == nil || err.Error() != w.endedTooEarly().Error() {
			t.Errorf("%v, want %v", err, w.endedTooEarly())
		}
	})
}
