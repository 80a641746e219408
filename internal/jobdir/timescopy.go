package jobdir

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine/record"
)

// timesCopy is a copy in memory of times that are on another machine, as far as they were read. A job that prints
// all day writes three megabytes.
type timesCopy struct {
	from    record.Output
	reading sync.Mutex

	mu   sync.Mutex
	data []byte // only appended to
}

// CopyTimes reads times of another machine, whose clock ahead is added to. Until [Times.Refresh] there are none.
func CopyTimes(from record.Output, ahead time.Duration) *Times {
	c := &timesCopy{from: from}
	return &Times{f: c, copied: c, ahead: ahead}
}

// Refresh reads what was added to times of another machine. Those of this machine are always read as they are.
func (t *Times) Refresh(ctx context.Context) error {
	if t.copied == nil {
		return nil
	}
	return t.copied.read(ctx)
}

func (c *timesCopy) read(ctx context.Context) error {
	c.reading.Lock()
	defer c.reading.Unlock()
	size, err := c.from.Size(ctx)
	had, _ := c.size()
	if err != nil || size <= had {
		return err
	}
	added := make([]byte, size-had)
	n, err := c.from.ReadAt(ctx, added, had)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.data = append(c.data, added[:n]...)
	return nil
}

func (c *timesCopy) size() (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return int64(len(c.data)), nil
}

func (c *timesCopy) ReadAt(p []byte, off int64) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.NewReader(c.data).ReadAt(p, off)
}

func (c *timesCopy) Close() error { return c.from.Close() }
