//go:build linux || darwin

package holder

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A job that is started in the foreground and asks for the terminal's colors gets those of the client's
// terminal, however slowly the client starts; without a client it gets the default after a while.
func TestQueryWaitsForTheClientsTerminal(t *testing.T) {
	const query = "\x1b]11;?\x07"
	for name, tt := range map[string]struct {
		after  time.Duration // the reply
		attach bool          // a client attaches then
		want   string
	}{
		"a slow client": {2 * time.Second, true, "rgb:ffff/ffff/ffff"},
		"no client":     {factsWithin, false, "rgb:0000/0000/0000"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				var reply strings.Builder
				replied := func() string {
					synctest.Wait()
					mu.Lock()
					defer mu.Unlock()
					return reply.String()
				}
				h := newOpened(t, Config{Terminal: true, Foreground: true, Hooks: Hooks{
					Input: func(_ context.Context, p []byte) error {
						mu.Lock()
						defer mu.Unlock()
						reply.Write(p)
						return nil
					},
				}})
				defer h.Close()
				started(t, h)
				h.Output([]byte(query))
				time.Sleep(tt.after - time.Millisecond)
				if got := replied(); got != "" {
					t.Errorf("it does not wait: %q", got)
				}
				time.Sleep(time.Millisecond)
				if tt.attach {
					h.mu.Lock()
					h.setTerminalFacts(TerminalFacts{Background: &[3]uint8{255, 255, 255}}, true)
					h.mu.Unlock()
				}
				if got := replied(); !strings.Contains(got, tt.want) {
					t.Errorf("the reply is %q, want %s", got, tt.want)
				}
			})
		})
	}
}
