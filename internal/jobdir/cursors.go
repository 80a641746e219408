package jobdir

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/internal/atomicfile"
	"github.com/hobjobs/hob/internal/plainfile"
)

// What a reader accepts, in bytes: a number, and a line of two for each poll of a
// split job.
const (
	maxCursor = 64
	maxMarks  = 64 << 20
)

// ReadCursor is how far the polling client has read a job's output; 0 if it has
// not begun.
func ReadCursor(dir, client string) int64 {
	data, err := plainfile.Read(cursorPath(dir, client), maxCursor)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// WriteCursor records how far client has read.
func WriteCursor(dir, client string, cursor int64) error {
	path := cursorPath(dir, client)
	if err := makeCursors(dir); err != nil {
		return err
	}
	return atomicfile.Write(path, append(strconv.AppendInt(nil, cursor, 10), '\n'))
}

// LockCursor is held by a client that hands on what it has read and has not recorded
// yet that it was read. The error is ErrLocked if another one of that name is at it for
// longer than a lock is waited for.
func LockCursor(dir, client string) (*Held, error) {
	if err := makeCursors(dir); err != nil {
		return nil, err
	}
	return lockFile(filepath.Join(dir, CursorsDir, "l-"+clientName(client)))
}

func makeCursors(dir string) error {
	err := os.Mkdir(filepath.Join(dir, CursorsDir), 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// maxClient is how much of a client's name its file's name may have, in bytes: each
// may take three there.
const maxClient = 64

// cursorPath turns any client name into one file name, never one of a temporary
// file or another directory. The end of a long name becomes its hash, so that each
// client has a file of its own.
func cursorPath(dir, client string) string {
	return filepath.Join(dir, CursorsDir, "c-"+clientName(client))
}

func clientName(client string) string {
	if len(client) > maxClient {
		sum := sha256.Sum256([]byte(client))
		hash := "~" + hex.EncodeToString(sum[:16])
		client = client[:maxClient-len(hash)] + hash
	}
	return url.PathEscape(client)
}

// Mark is how far stdout and stderr of a job with separate streams reached when
// somebody looked.
type Mark struct{ Out, Err int64 }

// Total is how many bytes of both there were.
func (m Mark) Total() int64 { return m.Out + m.Err }

// Interleave gives the two streams of a job one order, so that a single number
// can say how far both were read: what came between two marks is stdout's part,
// then stderr's. now is added as the last mark if there is more than before. All
// clients get the same marks, each the beginning of what they get later.
func Interleave(dir string, now Mark) ([]Mark, error) {
	if err := makeCursors(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, CursorsDir, "order")
	lock, err := lockFile(path + ".lock")
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	marks, used, err := readMarks(path)
	if err != nil || !isNext(now, marks) {
		return marks, err
	}
	f, err := plainfile.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.WriteAt(fmt.Appendf(nil, "%d %d\n", now.Out, now.Err), int64(used))
	return append(marks, now), errors.Join(err, f.Close())
}

// Order is Interleave for a job that prints no more, and where nothing can be
// written: now is the last mark without being recorded.
func Order(dir string, now Mark) ([]Mark, error) {
	marks, _, err := readMarks(filepath.Join(dir, CursorsDir, "order"))
	if err == nil && isNext(now, marks) {
		marks = append(marks, now)
	}
	return marks, err
}

func readMarks(path string) (marks []Mark, used int, err error) {
	data, err := plainfile.Read(path, maxMarks)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, err
	}
	marks, used = parseMarks(data)
	return marks, used, nil
}

// isNext reports whether now has more than the last of marks.
func isNext(now Mark, marks []Mark) bool {
	last := Mark{}
	if len(marks) > 0 {
		last = marks[len(marks)-1]
	}
	return now.Out >= last.Out && now.Err >= last.Err && now != last
}

// parseMarks reads whole lines up to the first that makes no sense; used is where
// the next one goes.
func parseMarks(data []byte) (marks []Mark, used int) {
	var last Mark
	for {
		i := bytes.IndexByte(data[used:], '\n')
		if i < 0 {
			return marks, used
		}
		var m Mark
		if _, err := fmt.Sscanf(string(data[used:used+i]), "%d %d", &m.Out, &m.Err); err != nil || m.Out < last.Out || m.Err < last.Err {
			return marks, used
		}
		marks, last = append(marks, m), m
		used += i + 1
	}
}
