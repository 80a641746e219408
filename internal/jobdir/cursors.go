package jobdir

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/hobjobs/hob/internal/atomicfile"
)

// Cursor is how far a polling client has read each of a job's streams.
type Cursor struct {
	Output int64 // output.log, or stdout.log of a job with split streams
	Errors int64 // stderr.log
}

// ReadCursor reads the cursor of client; the zero value if it has none.
func ReadCursor(dir, client string) Cursor {
	data, err := os.ReadFile(cursorPath(dir, client))
	if err != nil {
		return Cursor{}
	}
	var c Cursor
	if _, err := fmt.Sscan(string(data), &c.Output, &c.Errors); err != nil || c.Output < 0 || c.Errors < 0 {
		return Cursor{}
	}
	return c
}

// WriteCursor records the cursor of client.
func WriteCursor(dir, client string, c Cursor) error {
	path := cursorPath(dir, client)
	err := os.Mkdir(filepath.Dir(path), 0o700)
	if err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return atomicfile.Write(path, fmt.Appendf(nil, "%d %d\n", c.Output, c.Errors))
}

// cursorPath turns any client name into one file name, never one of a temporary
// file or another directory.
func cursorPath(dir, client string) string {
	if len(client) > 64 {
		client = client[:64]
	}
	return filepath.Join(dir, CursorsDir, "c-"+url.PathEscape(client))
}
