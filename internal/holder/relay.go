package holder

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/hobjobs/hob/engine/record"
)

// A client elsewhere speaks to the holder of a job on this machine through a relay: a program here whose stdin
// and stdout are a stream to that client. The frames pass as they are. Where there is no holder, the first
// frame is an ERROR instead of HELLO.

// Relay joins in and out with the holder of the job in dir, until one side ends.
func Relay(ctx context.Context, dir string, in io.Reader, out io.Writer) error {
	c, err := reach(ctx, dir)
	if err != nil {
		_, writeErr := out.Write(appendFrame(nil, TypeError, encodeJSON(FailureOf(err))))
		return errors.Join(err, writeErr)
	}
	defer c.nc.Close()
	if _, err := out.Write(appendFrame(nil, TypeHello, c.hello)); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() { // ends with in, or with the process
		_, _ = io.Copy(c.nc, in)
		close(ended)
		_ = c.nc.Close()
	}()
	_, err = io.Copy(out, c.r.r)
	select {
	case <-ended: // the client has left
		return nil
	default:
		return err
	}
}

// Speak returns a client of the holder at the other end of a stream of [Relay], which it owns. It waits for the
// greeting until ctx is done, because a line may be slow. The errors are those of Dial.
func Speak(ctx context.Context, stream io.ReadWriteCloser) (*Client, error) {
	c, err := greeted(ctx, stream)
	if err == nil {
		c.begin()
	}
	return c, err
}

// refusedRelay returns why a relay did not reach a holder.
func refusedRelay(f Frame) error {
	a, _ := answerOf(f)
	if errors.Is(a.err, record.ErrNotRunning) {
		return record.ErrNotRunning
	}
	return fmt.Errorf("%w: %w", ErrNoSocket, a.err)
}
