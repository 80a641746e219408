package client

import (
	"context"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// mute is a connection to an agent that reads everything and never answers.
func mute(t *testing.T) net.Conn {
	t.Helper()
	here, there := net.Pipe()
	go io.Copy(io.Discard, there) // ends with the connection
	t.Cleanup(func() { there.Close() })
	return here
}

func TestSilentAgentTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newKeyAgent(t.Context(), mute(t))
		defer a.close()
		begin := time.Now()
		if keys, err := a.signers(); err == nil {
			t.Errorf("an agent that says nothing has %d keys", len(keys))
		}
		if took := time.Since(begin); took != agentPatience {
			t.Errorf("it was given up after %s, want %s", took, agentPatience)
		}
	})
}

func TestAgentIsClosedWithTheAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), agentPatience/2)
		defer cancel()
		a := newKeyAgent(ctx, mute(t))
		defer a.close()
		begin := time.Now()
		if _, err := a.signers(); err == nil {
			t.Error("an agent that says nothing answered")
		}
		if took := time.Since(begin); took != agentPatience/2 {
			t.Errorf("it was waited for %s", took)
		}
	})
}
