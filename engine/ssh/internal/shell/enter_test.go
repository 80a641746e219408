//go:build unix

package shell

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"
)

// speaker is a channel whose program prints something at its start, with the last words of the sh in one piece.
type speaker struct {
	mu      sync.Mutex
	changed sync.Cond
	printed bytes.Buffer
	closed  bool
}

func (c *speaker) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	command := string(p)
	if script, enters := strings.CutPrefix(command, "{ echo; echo "); enters {
		mark, _, _ := strings.Cut(script, " ")
		c.printed.WriteString("\n" + mark + " 0\nhello")
	} else if script, asks := strings.CutPrefix(command, "echo\necho "); asks {
		mark, _, _ := strings.Cut(script, " ")
		c.printed.WriteString("\n" + mark + " 0\n")
	}
	c.changed.Broadcast()
	return len(p), nil
}

func (c *speaker) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.printed.Len() == 0 && !c.closed {
		c.changed.Wait()
	}
	if c.closed {
		return 0, io.EOF
	}
	return c.printed.Read(p)
}

func (c *speaker) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.changed.Broadcast()
	return nil
}

func (c *speaker) CloseWrite() error { return nil }
func (c *speaker) Stderr() string    { return "" }

// What a program prints at its start is left for its reader.
func TestEnterLeavesWhatTheProgramPrints(t *testing.T) {
	c := &speaker{}
	c.changed.L = &c.mu
	if err := Enter(t.Context(), c, "program", patience); err != nil {
		t.Fatal(err)
	}
	if got := c.printed.String(); got != "hello" {
		t.Errorf("%q is left to be read", got)
	}
}
