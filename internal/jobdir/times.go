package jobdir

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sort"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/plainfile"
)

// The file times says when the bytes of a log were written and how large the
// screen was then, in blocks of timesBlock bytes. A block stands for itself: its
// first entry is absolute, so that a look-up bisects blocks and reads one. An
// entry is a tag and unsigned varints: the increase of the offset, that of the
// time in milliseconds since 1970, and with tagSized columns and rows. Zero
// bytes fill a block up.
const (
	timesBlock = 4096
	tagPlain   = 1
	tagSized   = 2
	maxEntry   = 1 + 2*binary.MaxVarintLen64 + 2*binary.MaxVarintLen16
)

// TimesGrain is how exact times are: of several entries within one grain only
// the first is kept, unless the size changed.
const TimesGrain = 100 * time.Millisecond

// TimesWriter appends to times. It is for one goroutine, the holder's.
type TimesWriter struct {
	f    *os.File
	end  int64 // of what was written whole
	fill int   // bytes used in the current block
	off  int64
	ms   int64
	size record.Size
	any  bool
}

// CreateTimes opens times for appending, making it.
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
	// What a writer before left is not continued: go on in a block of its own.
	if rest := int(w.end % timesBlock); rest > 0 {
		if err := w.write(make([]byte, timesBlock-rest)); err != nil {
			f.Close()
			return nil, err
		}
	}
	return w, nil
}

// Add notes that the bytes from off on were written at that time, on a screen of
// that size. Neither offsets nor times go back: earlier ones are taken as the
// last. A write that failed is tried again with the next entry.
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

// write appends b, all or nothing of it: a part would move the blocks that follow.
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

// Close closes the file.
func (w *TimesWriter) Close() error { return w.f.Close() }

// Moment is one entry of times.
type Moment struct {
	Offset int64 // the bytes from here on …
	At     time.Time
	Size   record.Size
}

// Times reads times, also while it grows. Safe for concurrent use.
type Times struct {
	f *os.File

	mu   sync.Mutex
	kept []Moment // of the block that [Times.At] read last; replaced, never changed
}

// OpenTimes opens times for reading.
func OpenTimes(dir string) (*Times, error) {
	f, err := plainfile.Open(filepath.Join(dir, TimesFile))
	if err != nil {
		return nil, err
	}
	return &Times{f: f}, nil
}

// Close closes the file.
func (t *Times) Close() error { return t.f.Close() }

// At is the entry that covers the byte at off; ok is false if none does. Who asks
// for bytes that are near each other makes it read once.
func (t *Times) At(off int64) (m Moment, ok bool) {
	t.mu.Lock()
	kept := t.kept
	t.mu.Unlock()
	after := func(ms []Moment) int { // off is before the entry there
		return sort.Search(len(ms), func(i int) bool { return ms[i].Offset > off })
	}
	// What was written does not change, but the last entry of what was read may
	// have got followers.
	if i := after(kept); i > 0 && i < len(kept) {
		return kept[i-1], true
	}
	block, ok := t.block(func(m Moment) bool { return m.Offset <= off })
	if !ok {
		return m, false
	}
	ms, err := t.read(block)
	if err != nil {
		return m, false
	}
	t.mu.Lock()
	t.kept = ms
	t.mu.Unlock()
	if i := after(ms); i > 0 {
		return ms[i-1], true
	}
	return m, false
}

// Since is the first offset that was written at that time or later, or where the
// last entry stands if none was.
func (t *Times) Since(at time.Time) int64 {
	first, found := int64(0), false
	// The entry that follows the last one before at.
	block, _ := t.block(func(m Moment) bool { return m.At.Before(at) })
	for ; !found; block++ {
		ms, err := t.read(block)
		if err != nil || len(ms) == 0 {
			break
		}
		for _, m := range ms {
			first = m.Offset
			if !m.At.Before(at) {
				found = true
				break
			}
		}
	}
	return first
}

// block is the last block for whose first entry before holds, else 0 and false.
func (t *Times) block(before func(Moment) bool) (n int64, ok bool) {
	fi, err := t.f.Stat()
	if err != nil {
		return 0, false
	}
	lo, hi := int64(0), (fi.Size()+timesBlock-1)/timesBlock
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
	return decodeMoments(buf[:n]), nil
}

// decodeMoments reads the entries of one block up to its filling, or to an entry
// that is not whole yet.
func decodeMoments(b []byte) []Moment {
	var out []Moment
	var off, ms uint64
	var size record.Size
	for len(b) > 0 && (b[0] == tagPlain || b[0] == tagSized) {
		var v [4]uint64
		n, at := 2, 1
		if b[0] == tagSized {
			n = 4
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
