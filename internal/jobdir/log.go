package jobdir

import (
	"bytes"
	"context"
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

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/atomicfile"
	"github.com/hobjobs/hob/internal/logfile"
	"github.com/hobjobs/hob/internal/plainfile"
)

// OpenLog opens a log of the job in dir, by its file name, with the hole that the holder
// has recorded. If the job has not started, the log is empty until the holder creates it.
// The error matches fs.ErrNotExist if the log was deleted, alone or with its directory.
func OpenLog(dir, name string) (*logfile.File, error) {
	path := inDir(dir, name)
	var recorded func() logfile.Hole
	if name != StderrFile { // only the hole of the first log is recorded
		recorded = func() logfile.Hole {
			st, err := ReadState(dir)
			if err != nil {
				return logfile.Hole{}
			}
			return logfile.Hole{Start: st.Hole.Start, End: st.Hole.End, Lines: st.HoleLines}
		}
	}
	f, err := logfile.Open(path, recorded)
	if !errors.Is(err, fs.ErrNotExist) || absent(dir) {
		return f, err
	}
	st, stateErr := ReadState(dir)
	switch {
	case errors.Is(stateErr, fs.ErrNotExist), stateErr == nil && st.StartedAt.IsZero():
		return logfile.OpenLater(path, recorded), nil
	}
	// The start is recorded after the log is created, so it exists by now.
	return logfile.Open(path, recorded)
}

func absent(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// The largest files that are read, in bytes.
const (
	maxCursor = 64
	maxMarks  = 64 << 20 // one line for each poll of a job with separate streams
)

// ReadCursor returns the offset up to which a polling client has read a job's output, 0 if
// it has read nothing.
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

// WriteCursor records the offset up to which client has read.
func WriteCursor(dir, client string, cursor int64) error {
	path := cursorPath(dir, client)
	if err := makeCursors(dir); err != nil {
		return err
	}
	return atomicfile.Write(path, append(strconv.AppendInt(nil, cursor, 10), '\n'))
}

// LockCursor locks the cursor of client, so that two processes with the same client name
// do not deliver the same output: the lock is held from reading the output until the new
// cursor is written. The error is ErrLocked if another process keeps the lock for longer
// than lockTimeout.
func LockCursor(dir, client string) (*FileLock, error) {
	if err := makeCursors(dir); err != nil {
		return nil, err
	}
	return LockPath(filepath.Join(dir, CursorsDir, "l-"+clientName(client)))
}

func makeCursors(dir string) error {
	err := os.Mkdir(filepath.Join(dir, CursorsDir), 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// maxClient limits the length of a client's name in its file name, in bytes before
// escaping, which can triple it.
const maxClient = 64

func cursorPath(dir, client string) string {
	return filepath.Join(dir, CursorsDir, "c-"+clientName(client))
}

// clientName escapes any client name as a file name without a path separator. The end of
// a long name is replaced by the hash of the name, so that each client has its own file.
func clientName(client string) string {
	if len(client) > maxClient {
		sum := sha256.Sum256([]byte(client))
		hash := "~" + hex.EncodeToString(sum[:16])
		client = client[:maxClient-len(hash)] + hash
	}
	return url.PathEscape(client)
}

// Mark is the length of stdout and stderr, of a job with separate streams, at the time of
// a poll.
type Mark struct{ Out, Err int64 }

// lacks reports whether a stream is shorter than at another mark.
func (m Mark) lacks(other Mark) bool { return m.Out < other.Out || m.Err < other.Err }

// Total returns the number of bytes in both streams.
func (m Mark) Total() int64 { return m.Out + m.Err }

// Interleave defines one order for the bytes of both streams of a job, so that a cursor
// can be a single number: the bytes between two marks are those of stdout, then those of
// stderr. If there is new output, Interleave appends now to the recorded marks. It returns
// all marks. They are shared by all clients and never change.
func Interleave(dir string, now Mark) ([]Mark, error) {
	if err := makeCursors(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, CursorsDir, "order")
	lock, err := LockPath(path + ".lock")
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	marks, used, err := readMarks(path)
	if err != nil || !isNewer(now, marks) {
		return marks, err
	}
	f, err := plainfile.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.WriteAt(fmt.Appendf(nil, "%d %d\n", now.Out, now.Err), int64(used))
	return append(marks, now), errors.Join(err, f.Close())
}

// Order is Interleave without recording now, for a finished job or a directory that
// cannot be written.
func Order(dir string, now Mark) ([]Mark, error) {
	marks, _, err := readMarks(filepath.Join(dir, CursorsDir, "order"))
	if err == nil && isNewer(now, marks) {
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

// isNewer reports whether now has more output than the last of marks.
func isNewer(now Mark, marks []Mark) bool {
	last := Mark{}
	if len(marks) > 0 {
		last = marks[len(marks)-1]
	}
	return now != last && !now.lacks(last)
}

// parseMarks parses complete lines up to the first invalid one. used is the offset at
// which the next line is to be written.
func parseMarks(data []byte) (marks []Mark, used int) {
	var last Mark
	for {
		i := bytes.IndexByte(data[used:], '\n')
		if i < 0 {
			return marks, used
		}
		var m Mark
		_, err := fmt.Sscanf(string(data[used:used+i]), "%d %d", &m.Out, &m.Err)
		if err != nil || m.lacks(last) {
			return marks, used
		}
		marks, last = append(marks, m), m
		used += i + 1
	}
}

// Source adapts an output to package logfile.
type Source struct{ record.Output }

// Hole implements [logfile.Holer]. There is normally one dropped range; several are reported as
// their whole span.
func (s Source) Hole(ctx context.Context) (logfile.Hole, error) {
	if h, ok := s.Output.(logfile.HoleReporter); ok {
		return h.Hole(ctx)
	}
	ranges, err := s.Holes(ctx)
	if err != nil || len(ranges) == 0 {
		return logfile.Hole{}, err
	}
	return logfile.Hole{Start: ranges[0].Start, End: ranges[len(ranges)-1].End, Lines: -1}, nil
}
