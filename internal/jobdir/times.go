package jobdir

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"sort"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/plainfile"
)

// The file times records when the bytes of a log were written and the size of the screen
// at that time, in blocks of timesBlock bytes. The first entry of a block is absolute, so
// that a lookup bisects the blocks and reads only one. An entry is a tag and unsigned
// varints: the increase of the offset, the increase of the time in milliseconds since
// 1970, and with tagSized columns and rows. Blocks are padded with zero bytes.
const (
	timesBlock = 4096
	tagPlain   = 1
	tagSized   = 2
	maxEntry   = 1 + 2*binary.MaxVarintLen64 + 2*binary.MaxVarintLen16
)

// TimesGrain is the resolution of times: of several entries within one grain only the
// first is written, unless the size changed.
const TimesGrain = 100 * time.Millisecond

// TimesWriter appends to times. It must not be used concurrently.
type TimesWriter struct {
	f    *os.File
	end  int64 // length of the file
	fill int   // bytes used in the current block
	off  int64
	ms   int64
	size record.Size
	any  bool
}

// CreateTimes opens times for appending and creates it if it is missing.
func CreateTimes(dir string) (*TimesWriter, error) {
	f, err := plainfile.OpenFile(filepath.Join(dir, TimesFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	w := &TimesWriter{f: f, end: fi.Size()}
	// The last block of a previous writer may be incomplete: begin a new one.
	if rest := int(w.end % timesBlock); rest > 0 {
		if err := w.write(make([]byte, timesBlock-rest)); err != nil {
			f.Close()
			return nil, err
		}
	}
	return w, nil
}

// Add records that the bytes from off on were written at the given time, on a screen of
// the given size. An offset or a time before the last one is replaced by the last one.
func (w *TimesWriter) Add(off int64, at time.Time, size record.Size) error {
	ms := at.UnixMilli()
	sized := size != w.size
	if w.any {
		off, ms = max(off, w.off), max(ms, w.ms)
		if !sized && ms-w.ms < TimesGrain.Milliseconds() {
			return nil
		}
	}
	baseOff, baseMS := w.off, w.ms
	var buf []byte
	if w.fill == 0 || w.fill+maxEntry > timesBlock {
		if w.fill > 0 {
			buf = make([]byte, timesBlock-w.fill, timesBlock-w.fill+maxEntry)
		}
		baseOff, baseMS, sized = 0, 0, true
	}
	pad := len(buf)
	if sized {
		buf = append(buf, tagSized)
	} else {
		buf = append(buf, tagPlain)
	}
	buf = binary.AppendUvarint(buf, uint64(off-baseOff))
	buf = binary.AppendUvarint(buf, uint64(ms-baseMS))
	if sized {
		buf = binary.AppendUvarint(buf, uint64(max(0, size.Cols)))
		buf = binary.AppendUvarint(buf, uint64(max(0, size.Rows)))
	}
	if err := w.write(buf); err != nil {
		return err
	}
	if pad > 0 || w.fill == 0 {
		w.fill = len(buf) - pad
	} else {
		w.fill += len(buf)
	}
	w.off, w.ms, w.size, w.any = off, ms, size, true
	return nil
}

// write appends b completely or not at all: a part of it would shift all later blocks.
func (w *TimesWriter) write(b []byte) error {
	n, err := w.f.Write(b)
	if err != nil {
		if n > 0 {
			err = errors.Join(err, w.f.Truncate(w.end))
		}
		return err
	}
	w.end += int64(n)
	return nil
}

func (w *TimesWriter) Close() error { return w.f.Close() }

// Moment is one entry of times.
type Moment struct {
	Offset int64 // of the first byte that was written at this time
	At     time.Time
	Size   record.Size
}

// Times reads times, also while it grows. It is safe for concurrent use.
type Times struct {
	f      timesSource
	copied *timesCopy    // f, if the file is elsewhere
	ahead  time.Duration // added to the times

	mu   sync.Mutex
	kept readBlock // the block that [Times.At] read last
}

// readBlock is one block of the file as it was read, and the beginning of the next. It does not change.
type readBlock struct {
	moments []Moment
	size    int64 // of the file before the block was read
	last    bool  // there was no next block
}

func OpenTimes(dir string) (*Times, error) {
	f, err := plainfile.Open(filepath.Join(dir, TimesFile))
	if err != nil {
		return nil, err
	}
	return &Times{f: timesFile{f}}, nil
}

// timesSource is what times are read from.
type timesSource interface {
	io.ReaderAt
	io.Closer
	size() (int64, error)
}

type timesFile struct{ *os.File }

func (f timesFile) size() (int64, error) {
	fi, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return fi.Size(), nil
}

func (t *Times) Close() error { return t.f.Close() }

// WrittenAt returns when the byte at off was written. ok is false if that is not recorded, or cannot be read.
func (t *Times) WrittenAt(ctx context.Context, off int64) (at time.Time, ok bool) {
	if t.copied != nil {
		last, any := t.Last()
		if later := !any || off >= last.Offset; later && t.Refresh(ctx) != nil {
			return at, false
		}
	}
	m, ok := t.At(off)
	return m.At, ok
}

// At returns the entry that covers the byte at off. ok is false if none does. Lookups of
// nearby bytes read the file only once until it grows.
func (t *Times) At(off int64) (m Moment, ok bool) {
	t.mu.Lock()
	kept := t.kept
	t.mu.Unlock()
	if m, ok := kept.at(off); ok && (m != kept.end() || t.endsWith(kept)) {
		return m, true
	}
	kept, ok = t.blockOf(off)
	if !ok {
		return m, false
	}
	t.mu.Lock()
	t.kept = kept
	t.mu.Unlock()
	return kept.at(off)
}

// at returns the last entry that begins at off or before.
func (b readBlock) at(off int64) (m Moment, ok bool) {
	i := sort.Search(len(b.moments), func(i int) bool { return b.moments[i].Offset > off })
	if i == 0 {
		return m, false
	}
	return b.moments[i-1], true
}

func (b readBlock) end() Moment { return b.moments[len(b.moments)-1] }

// endsWith reports whether b has the last entry of the file.
func (t *Times) endsWith(b readBlock) bool {
	size, err := t.f.size()
	return err == nil && b.last && size == b.size
}

// blockOf reads the block that covers the byte at off.
func (t *Times) blockOf(off int64) (b readBlock, ok bool) {
	size, err := t.f.size()
	if err != nil {
		return b, false
	}
	n, ok := t.block(func(m Moment) bool { return m.Offset <= off })
	if !ok {
		return b, false
	}
	ms, err := t.read(n)
	if err != nil {
		return b, false
	}
	next, err := t.readN(n+1, maxEntry)
	return readBlock{append(ms, next...), size, len(next) == 0}, err == nil
}

// All returns the entries in order.
func (t *Times) All() iter.Seq[Moment] { return t.from(0) }

// from returns the entries from a block on.
func (t *Times) from(block int64) iter.Seq[Moment] {
	return func(yield func(Moment) bool) {
		for ; ; block++ {
			ms, err := t.read(block)
			if err != nil || len(ms) == 0 {
				return
			}
			for _, m := range ms {
				if !yield(m) {
					return
				}
			}
		}
	}
}

// After returns the first entry with a larger offset. ok is false if there is none.
func (t *Times) After(off int64) (m Moment, ok bool) {
	block, _ := t.block(func(m Moment) bool { return m.Offset <= off })
	for m := range t.from(block) {
		if m.Offset > off {
			return m, true
		}
	}
	return m, false
}

// Resized returns the first entry between two offsets that has another size than the given one. ok is
// false if there is none.
func (t *Times) Resized(from, to int64, size record.Size) (m Moment, ok bool) {
	block, _ := t.block(func(m Moment) bool { return m.Offset <= from })
	for m := range t.from(block) {
		if m.Offset >= to {
			break
		}
		if m.Offset > from && m.Size != size {
			return m, true
		}
	}
	return m, false
}

// Last returns the last entry. ok is false if there is none.
func (t *Times) Last() (m Moment, ok bool) { return t.LastWhere(func(Moment) bool { return true }) }

// LastWhere returns the last entry for which before returns true, where it does so for all
// entries up to a certain one. ok is false if there is none.
func (t *Times) LastWhere(before func(Moment) bool) (last Moment, ok bool) {
	block, _ := t.block(before)
	for m := range t.from(block) {
		if !before(m) {
			break
		}
		last, ok = m, true
	}
	return last, ok
}

// Sizes returns the sizes of the screen that were recorded at an offset, in order.
func (t *Times) Sizes(off int64) (sizes []record.Size) {
	block, _ := t.block(func(m Moment) bool { return m.Offset < off })
	for m := range t.from(block) {
		if m.Offset > off {
			break
		}
		if m.Offset == off {
			sizes = append(sizes, m.Size)
		}
	}
	return sizes
}

// block returns the last block for whose first entry before returns true, else 0 and
// false.
func (t *Times) block(before func(Moment) bool) (n int64, ok bool) {
	size, err := t.f.size()
	if err != nil {
		return 0, false
	}
	lo, hi := int64(0), (size+timesBlock-1)/timesBlock
	for lo < hi {
		mid := (lo + hi) / 2
		ms, err := t.readN(mid, maxEntry)
		if err == nil && len(ms) > 0 && before(ms[0]) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return 0, false
	}
	return lo - 1, true
}

func (t *Times) read(block int64) ([]Moment, error) { return t.readN(block, timesBlock) }

func (t *Times) readN(block int64, n int) ([]Moment, error) {
	buf := make([]byte, n)
	n, err := t.f.ReadAt(buf, block*timesBlock)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	ms := decodeMoments(buf[:n])
	for i := range ms {
		ms[i].At = ms[i].At.Add(t.ahead)
	}
	return ms, nil
}

// decodeMoments decodes the entries of one block up to its padding or an incomplete entry.
func decodeMoments(b []byte) []Moment {
	var out []Moment
	var off, ms uint64
	var size record.Size
	for len(b) > 0 {
		var v [4]uint64
		n, at := 0, 1
		switch b[0] {
		case tagPlain:
			n = 2
		case tagSized:
			n = 4
		default:
			return out
		}
		for i := range n {
			x, k := binary.Uvarint(b[at:])
			if k <= 0 {
				return out
			}
			v[i], at = x, at+k
		}
		off, ms = off+v[0], ms+v[1]
		if n == 4 {
			size = record.Size{Cols: int(v[2] & 0xffff), Rows: int(v[3] & 0xffff)}
		}
		if off > 1<<62 || ms > 1<<52 {
			return out
		}
		out = append(out, Moment{int64(off), time.UnixMilli(int64(ms)), size})
		b = b[at:]
	}
	return out
}
