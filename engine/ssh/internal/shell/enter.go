package shell

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Enter makes the sh of ch, which was just opened, run command in its place: a program that runs a sh
// elsewhere. limit bounds how long the sh may take to begin. After an error ch is closed.
func Enter(ctx context.Context, ch Channel, command string, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { ch.Close() })
	defer stop()
	mark := rand.Text()
	// Some shells read their script ahead: what follows is not sent before this was read.
	_, err := io.WriteString(ch, "{ echo; echo "+mark+"; exec "+command+"; }\n")
	var said []byte
	for err == nil && !bytes.Contains(said, []byte("\n"+mark+"\n")) {
		var n int
		buf := make([]byte, 4096)
		n, err = ch.Read(buf)
		said = append(said, buf[:n]...)
		if len(said) > startAnswer {
			err = ErrTooMuch
		}
	}
	if err == nil && stop() {
		return nil
	}
	ch.Close()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ErrTimeout
	}
	if words := strings.TrimSpace(ch.Stderr()); words != "" && err != nil {
		return fmt.Errorf("%w: %s", err, lastLine(words))
	}
	if err == nil {
		err = ctx.Err()
	}
	return err
}
