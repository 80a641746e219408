package jobdir

import (
	"bytes"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unsafe"

	"github.com/hobjobs/hob/internal/atomicfile"
	"github.com/hobjobs/hob/internal/plainfile"
)

// Index is what the index file knows: the records of finished jobs, which never
// change. It only saves reading their directories: it may lack any job and may
// name jobs that are gone, and can be deleted without loss. Lines are decoded
// when they are asked for. It is for one goroutine.
type Index struct {
	lines []string // the JSON of lines whose sums match
	byID  map[string]int
	dec   decoder
	// Damaged is how many lines could not be read.
	Damaged int
}

// A line of the index is the CRC-32 of the rest in eight hexadecimal digits, a
// space, one JSON object (see indexcodec.go) and a newline.
const crcLen = 8

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
	x := &Index{lines: make([]string, 0, n), byID: make(map[string]int, n)}
	if len(data) == 0 {
		return x
	}
	// Strings of the records are parts of the file's content, which from here on
	// nobody changes.
	text := unsafe.String(unsafe.SliceData(data), len(data))
	for len(data) > 0 {
		i := bytes.IndexByte(data, '\n')
		if i < 0 { // a line that is just being written
			x.Damaged++
			break
		}
		line, lineText := data[:i], text[:i]
		data, text = data[i+1:], text[i+1:]
		if !sumMatches(line) {
			x.Damaged++
			continue
		}
		lineText = lineText[crcLen+1:]
		id, ok := lineID(lineText)
		if !ok || !ValidID(id) {
			x.Damaged++
			continue
		}
		x.byID[id] = len(x.lines)
		x.lines = append(x.lines, lineText)
	}
	return x
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
	return crc32.ChecksumIEEE(line[crcLen+1:]) == want
}

// Find is the record of a job; nil if the index lacks it.
func (x *Index) Find(id string) *Record {
	var rec Record
	if !x.Read(id, &rec) {
		return nil
	}
	if rec.State.End != nil {
		end := *rec.State.End
		rec.State.End = &end
	}
	return &rec
}

// Read is Find into rec, whose State.End is valid until the next call.
func (x *Index) Read(id string, rec *Record) bool {
	i, ok := x.byID[id]
	return ok && x.dec.decode(x.lines[i], rec) && rec.ID == id
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
	body := encodeRecord(rec)
	var sum [4]byte
	c := crc32.ChecksumIEEE(body)
	sum[0], sum[1], sum[2], sum[3] = byte(c>>24), byte(c>>16), byte(c>>8), byte(c)
	buf.WriteString(hex.EncodeToString(sum[:]))
	buf.WriteByte(' ')
	buf.Write(body)
	buf.WriteByte('\n')
}

// compactIndex rewrites the index without doubles, damage and jobs for which
// keep is false. What others add meanwhile is kept as it is. An index that cannot be
// read goes: its jobs are found again in their directories.
func (r *Root) compactIndex(keep func(id string) bool) error {
	path := filepath.Join(r.path, indexName)
	f, err := plainfile.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, plainfile.ErrNotPlain):
		return os.Remove(path)
	case err != nil:
		return err
	}
	defer f.Close()
	was, err := f.Stat()
	switch {
	case err != nil:
		return err
	case was.Size() > maxIndex:
		return os.Remove(path)
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	x := decodeIndex(data)
	var buf bytes.Buffer
	var rec Record
	for i := range x.lines {
		if !x.dec.decode(x.lines[i], &rec) {
			continue
		}
		if x.byID[rec.ID] == i && keep(rec.ID) {
			appendLine(&buf, &rec)
		}
	}
	if buf.Len() == len(data) {
		return nil
	}
	lock, err := r.lockIndex()
	if err != nil {
		return err
	}
	defer lock.Close()
	if now, err := os.Lstat(path); err != nil || !os.SameFile(was, now) {
		return nil // somebody has deleted it, and another one may have begun
	}
	if _, err := buf.ReadFrom(f); err != nil { // what was added meanwhile
		return err
	}
	return atomicfile.Write(path, buf.Bytes())
}
