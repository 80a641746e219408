package logfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// Head is how many bytes at the beginning of a log are never dropped.
const Head = 1 << 20

// A Hole is the range of bytes that a log has lost to its cap. Its zero value
// is no hole. It begins at [Head] and its end only ever grows.
type Hole struct {
	Start int64 `json:"start"`
	End   int64 `json:"end"`
	// Lines is how many line feeds were in it, -1 if nobody counted.
	Lines int64 `json:"lines"`
}

// Len is the number of bytes dropped.
func (h Hole) Len() int64 { return h.End - h.Start }

// Empty tells whether nothing was dropped.
func (h Hole) Empty() bool { return h.End <= h.Start }

// Has tells whether the byte at off was dropped.
func (h Hole) Has(off int64) bool { return off >= h.Start && off < h.End }

// torn is how many bytes at the beginning of p, which is at off, are the rest of a
// character that was dropped.
func (h Hole) torn(p []byte, off int64) int {
	if h.Empty() || off != h.End {
		return 0
	}
	return Torn(p)
}

// GapText is the line that stands for n dropped bytes.
func GapText(n int64) string { return "[… " + FormatBytes(n) + " dropped …]" }

// FormatBytes writes a number of bytes for people: "512 B", "3.2 GiB".
func FormatBytes(n int64) string {
	if n < 1<<10 {
		return fmt.Sprintf("%d B", n)
	}
	v, unit := float64(n)/(1<<10), 0
	for v >= 1023.95 && unit < len("KMGTPE")-1 {
		v /= 1 << 10
		unit++
	}
	return fmt.Sprintf("%.1f %ciB", v, "KMGTPE"[unit])
}

// A Piece is what one [Read] found.
type Piece struct {
	N       int   // bytes read into the buffer
	Off     int64 // offset of the first of them; past the one asked for if that was dropped
	Dropped int64 // bytes skipped between the offset asked for and Off
	Size    int64 // size of the log at that moment
}

// Next is the offset to go on from.
func (p Piece) Next() int64 { return p.Off + int64(p.N) }

// Read reads bytes from off on, skipping the hole: an offset inside it moves to
// its end. One read never crosses the hole. N is 0 at the end of the log, which
// is no error. An offset behind the end is moved to the end.
func Read(ctx context.Context, src Source, p []byte, off int64) (Piece, error) {
	size, err := src.Size(ctx)
	if err != nil {
		return Piece{}, err
	}
	off = min(max(off, 0), size)
	for {
		hole, err := HoleOf(ctx, src)
		if err != nil {
			return Piece{}, err
		}
		at := off
		if hole.Has(off) {
			at = min(hole.End, size)
		}
		end := size
		if at < hole.Start && !hole.Empty() {
			end = min(end, hole.Start)
		}
		buf := p[:min(int64(len(p)), end-at)]
		n, err := readFull(ctx, src, buf, at)
		if err != nil {
			return Piece{}, err
		}
		if n > 0 && buf[0] == 0 {
			// Dropped while it was read? Then the hole has reached it.
			again, err := HoleOf(ctx, src)
			if err != nil {
				return Piece{}, err
			}
			if again.Has(at) {
				continue
			}
		}
		return Piece{N: n, Off: at, Dropped: at - off, Size: size}, nil
	}
}

// readFull fills p from off on; fewer bytes mean that the log ends there.
func readFull(ctx context.Context, src Source, p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		m, err := src.ReadAt(ctx, p[n:], off+int64(n))
		n += m
		if errors.Is(err, io.EOF) || (m == 0 && err == nil) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// findHole asks the file system for a hole that begins at [Head].
func findHole(f *os.File) (Hole, error) {
	info, err := f.Stat()
	if err != nil {
		return Hole{}, err
	}
	if info.Size() <= Head {
		return Hole{}, nil
	}
	end, ok := dataAfterHole(f, Head, info.Size())
	if !ok {
		return Hole{}, nil
	}
	return Hole{Start: Head, End: end, Lines: -1}, nil
}
