package logview

// tally counts the matching lines of each stretch of a log: how many there are
// and about where, in the same memory for a few and for millions. The zero
// value counts nothing.
type tally struct {
	stride int64    // bytes of a stretch
	counts []uint32 // matching lines that begin in each stretch
	total  int64
}

const (
	minStride    = 16
	maxStretches = 32 << 10 // 128 KiB
)

// reach makes room for a log of so many bytes: the longer it is, the longer the
// stretches.
func (t *tally) reach(size int64) {
	t.stride = max(t.stride, minStride)
	for size/t.stride >= maxStretches {
		for i := range (len(t.counts) + 1) / 2 {
			n := t.counts[2*i]
			if 2*i+1 < len(t.counts) {
				n += t.counts[2*i+1]
			}
			t.counts[i] = n
		}
		t.counts = t.counts[:(len(t.counts)+1)/2]
		t.stride *= 2
	}
}

// stretch is the one that holds an offset.
func (t *tally) stretch(off int64) int { return int(max(0, off) / max(t.stride, minStride)) }

// add counts what was found in the stretches from the given one on.
func (t *tally) add(from int, counts []uint32) {
	for len(t.counts) < from+len(counts) {
		t.counts = append(t.counts, 0)
	}
	for i, n := range counts {
		t.counts[from+i] += n
		t.total += int64(n)
	}
}

// forget takes back one line.
func (t *tally) forget(off int64) {
	if i := t.stretch(off); i < len(t.counts) && t.counts[i] > 0 {
		t.counts[i]--
		t.total--
	}
}

// set corrects a stretch after it was looked at.
func (t *tally) set(i, n int) {
	if i < len(t.counts) {
		t.total += int64(n) - int64(t.counts[i])
		t.counts[i] = uint32(n)
	}
}

// before is how many matching lines begin in the stretches before i.
func (t *tally) before(i int) int64 {
	n := int64(0)
	for _, c := range t.counts[:min(i, len(t.counts))] {
		n += int64(c)
	}
	return n
}

// next is the first stretch from i on, in direction dir, with matching lines;
// -1 if there is none.
func (t *tally) next(i, dir int) int {
	if dir < 0 {
		i = min(i, len(t.counts)-1)
	}
	for ; i >= 0 && i < len(t.counts); i += dir {
		if t.counts[i] > 0 {
			return i
		}
	}
	return -1
}

// copied is a tally that a command may read while this one goes on.
func (t *tally) copied() tally {
	return tally{stride: t.stride, counts: append([]uint32(nil), t.counts...), total: t.total}
}

// rows says on which rows of a column of height h, which stands for size bytes,
// there are matching lines; nil if there are none.
func (t *tally) rows(size int64, h int) []bool {
	if t.total == 0 || size <= 0 {
		return nil
	}
	rows := make([]bool, h)
	for i, n := range t.counts {
		if n > 0 {
			rows[min(int64(h)-1, int64(i)*t.stride*int64(h)/size)] = true
		}
	}
	return rows
}
