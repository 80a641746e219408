package jobdir

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"

	fastjson "github.com/segmentio/encoding/json"

	"github.com/hobjobs/hob/internal/atomicfile"
	"github.com/hobjobs/hob/internal/plainfile"
)

// Index is what the index file knows: the records of finished jobs, which never
// change. It only saves reading their directories: it may lack any job and may
// name jobs that are gone, and can be deleted without loss. Lines are decoded
// when they are asked for. It is safe for concurrent use.
type Index struct {
	lines [][]byte // whole lines whose sums match, without their line feed
	byID  map[string]int
	// Damaged is how many lines could not be read.
	Damaged int
}

// A line of the index is the CRC-32C of the rest in eight hexadecimal digits, a space,
// a [Record] as JSON and a newline. Lines of the first edition, which had another form,
// have another sum: each edition leaves out the lines of the other.
const crcLen = 8

func sumOf(text []byte) uint32 { return crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)) }

// maxIndex is how long an index may be, in bytes: many times what the jobs that are
// kept need.
const maxIndex = 256 << 20

// Index reads the index. One that is missing, or no plain file, is empty; what is
// damaged is left out.
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
		// What is not whole is just being written.
		if !whole || !sumMatches(line) {
			x.Damaged++
			continue
		}
		id := lineID(line)
		if !ValidID(id) {
			x.Damaged++
			continue
		}
		x.byID[id] = len(x.lines)
		x.lines = append(x.lines, line)
	}
	return x
}

// lineID is the id that the JSON of a line begins with; without one the job's
// directory is read.
func lineID(line []byte) string {
	rest, _ := bytes.CutPrefix(line[crcLen+1:], []byte(`{"id":"`))
	id, _, _ := bytes.Cut(rest, []byte{'"'})
	return string(id)
}

func sumMatches(line []byte) bool {
	if len(line) < crcLen+2 || line[crcLen] != ' ' {
		return false
	}
	var sum [4]byte
	if _, err := hex.Decode(sum[:], line[:crcLen]); err != nil {
		return false
	}
	want := uint32(sum[0])<<24 | uint32(sum[1])<<16 | uint32(sum[2])<<8 | uint32(sum[3])
	return sumOf(line[crcLen+1:]) == want
}

// Find is the record of a job; nil if the index lacks it.
func (x *Index) Find(id string) *Record {
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

// decodeLine reads the record in a line. A list or a prompt reads all lines: with
// encoding/json the whole command takes half as long again.
func decodeLine(line []byte) (*Record, error) {
	rec := &Record{}
	if err := fastjson.Unmarshal(line[crcLen+1:], rec); err != nil {
		return nil, err
	}
	rec.Meta.restore()
	return rec, nil
}

// Len is how many jobs the index has.
func (x *Index) Len() int { return len(x.byID) }

// AddToIndex adds finished jobs to the index, whose records were read whole. Others
// may add at the same time. With an error none was added; it is ErrLocked if others
// were at it for too long.
func (r *Root) AddToIndex(recs ...*Record) error {
	var buf bytes.Buffer
	for _, rec := range recs {
		if rec.Finished() && rec.Problem == "" && rec.Unread == nil {
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
		// What a full disk took of it would spoil the line that comes next.
		return errors.Join(err, f.Truncate(fi.Size()))
	}
	return nil
}

// lockIndex is held while the index is changed. Who only reads it needs no lock.
func (r *Root) lockIndex() (*Held, error) { return lockFile(filepath.Join(r.Jobs(), indexLock)) }

func appendLine(buf *bytes.Buffer, rec *Record) {
	line := *rec
	line.Meta.Exact = exactOf(&rec.Meta)
	text, err := json.Marshal(&line)
	if err != nil {
		return // its directory is read instead
	}
	fmt.Fprintf(buf, "%08x %s\n", sumOf(text), text)
}

// compactIndex rewrites the index without doubles, damage and jobs for which keep is
// false. Nothing can be added meanwhile. An index that cannot be read goes: its jobs are
// found again in their directories.
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
	case errors.Is(err, plainfile.ErrNotPlain), errors.Is(err, plainfile.ErrTooLong):
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
