package statedir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	fastjson "github.com/segmentio/encoding/json"

	"github.com/hobjobs/hob/internal/atomicfile"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/plainfile"
)

// Index is a cache of the records of finished jobs, which never change, so that their
// directories need not be read. It may lack jobs and may contain removed ones, and can be
// deleted without loss. Lines are decoded on demand. It is safe for concurrent use.
type Index struct {
	lines [][]byte // complete lines with a valid checksum, without their newline
	byID  map[string]int
	// Damaged is the number of lines that could not be read.
	Damaged int
}

// A line of the index is the CRC-32C of the JSON in eight hexadecimal digits, a space, a
// [jobdir.Record] as JSON and a newline. Lines of the first version of hob have another format and
// another checksum, so that each version skips the lines of the other.
const crcLen = 8

func sumOf(text []byte) uint32 { return crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)) }

// maxIndex is the largest index that is read, in bytes: many times the size that the
// default retention allows.
const maxIndex = 256 << 20

// Index reads the index. It is empty if the file is missing or not a regular file.
// Damaged lines are skipped.
func (r *Root) Index() *Index {
	data, err := plainfile.Read(filepath.Join(r.path, indexName), maxIndex)
	if err != nil {
		return &Index{}
	}
	return decodeIndex(data)
}

func decodeIndex(data []byte) *Index {
	n := bytes.Count(data, []byte{'\n'})
	x := &Index{lines: make([][]byte, 0, n), byID: make(map[string]int, n)}
	for len(data) > 0 {
		line, rest, whole := bytes.Cut(data, []byte{'\n'})
		data = rest
		// An incomplete line is still being written.
		if !whole || !sumMatches(line) {
			x.Damaged++
			continue
		}
		id := lineID(line)
		if !jobdir.ValidID(id) {
			x.Damaged++
			continue
		}
		x.byID[id] = len(x.lines)
		x.lines = append(x.lines, line)
	}
	return x
}

// lineID returns the id at the beginning of the JSON of a line, empty if it has none.
func lineID(line []byte) string {
	rest, _ := bytes.CutPrefix(line[crcLen+1:], []byte(`{"id":"`))
	id, _, _ := bytes.Cut(rest, []byte{'"'})
	return string(id)
}

func sumMatches(line []byte) bool {
	if len(line) < crcLen+2 || line[crcLen] != ' ' {
		return false
	}
	sum, err := strconv.ParseUint(string(line[:crcLen]), 16, 32)
	return err == nil && sumOf(line[crcLen+1:]) == uint32(sum)
}

// Find returns the record of a job, nil if the index lacks it.
func (x *Index) Find(id string) *jobdir.Record {
	i, ok := x.byID[id]
	if !ok {
		return nil
	}
	rec, err := decodeLine(x.lines[i])
	if err != nil || rec.ID != id {
		return nil
	}
	return rec
}

// decodeLine decodes the record in a line. A list decodes all lines: with encoding/json
// the whole command would take 50 % longer.
func decodeLine(line []byte) (*jobdir.Record, error) {
	rec := &jobdir.Record{}
	if err := fastjson.Unmarshal(line[crcLen+1:], rec); err != nil {
		return nil, err
	}
	rec.Meta.ApplyRaw()
	return rec, nil
}

func (x *Index) Len() int { return len(x.byID) }

// AddToIndex adds those jobs of recs to the index that are finished and whose records
// were read completely. Several processes may call it at the same time. After an error
// nothing was added; it is [jobdir.ErrLocked] if another process keeps the index locked.
func (r *Root) AddToIndex(recs ...*jobdir.Record) error {
	var buf bytes.Buffer
	for _, rec := range recs {
		if isComplete(rec) {
			appendLine(&buf, rec)
		}
	}
	if buf.Len() == 0 {
		return nil
	}
	lock, err := r.lockIndex()
	if err != nil {
		return err
	}
	defer lock.Close()
	f, err := plainfile.OpenFile(filepath.Join(r.path, indexName), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	if _, err := f.Write(buf.Bytes()); err != nil {
		// On a full disk, a part of a line would damage the next one.
		return errors.Join(err, f.Truncate(fi.Size()))
	}
	return nil
}

// isComplete reports whether rec has the end of a job as it stays. An end that only the files of a wrapper show is
// recorded later, with what the output says of it.
func isComplete(rec *jobdir.Record) bool {
	isRead := rec.Problem == "" && rec.ReadErr == nil
	return isRead && rec.Finished() && !rec.Derived
}

// lockIndex locks the index for changes. Readers need no lock.
func (r *Root) lockIndex() (*jobdir.FileLock, error) {
	return jobdir.LockPath(filepath.Join(r.Jobs(), indexLock))
}

func appendLine(buf *bytes.Buffer, rec *jobdir.Record) {
	line := *rec
	line.Meta = rec.Meta.WithRaw()
	text, err := json.Marshal(&line)
	if err != nil {
		return // its directory is read instead
	}
	fmt.Fprintf(buf, "%08x %s\n", sumOf(text), text)
}

// compactIndex rewrites the index without duplicates, damaged lines and jobs for which
// keep returns false. Nothing can be added meanwhile. An index that is not a regular file
// or too large is deleted: its jobs are read from their directories again.
func (r *Root) compactIndex(keep func(id string) bool) error {
	lock, err := r.lockIndex()
	if err != nil {
		return err
	}
	defer lock.Close()
	path := filepath.Join(r.path, indexName)
	data, err := plainfile.Read(path, maxIndex)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, plainfile.ErrNotRegular), errors.Is(err, plainfile.ErrTooLong):
		return os.Remove(path)
	case err != nil:
		return err
	}
	x := decodeIndex(data)
	var buf bytes.Buffer
	for i, line := range x.lines {
		if id := lineID(line); x.byID[id] == i && keep(id) {
			buf.Write(line)
			buf.WriteByte('\n')
		}
	}
	if buf.Len() == len(data) {
		return nil
	}
	return atomicfile.Write(path, buf.Bytes())
}
