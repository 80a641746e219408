package logview

// tally counts the matching lines in each stretch of a log. It records how many there are and
// roughly where, in the same memory for a few matches and for millions. The zero value is empty.
type tally struct {
	stride int64    // bytes per stretch
	counts []uint32 // number of matching lines that begin in each stretch
	total  int64
}

const (
	minStride    = 16
	maxStretches = 32 << 10 // 128 KiB
)

// grow makes room for a log of size bytes. The longer the log, the longer the stretches.
func (t *tally) grow(size int64) {
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

// stretch returns the index of the stretch that contains an offset.
func (t *tally) stretch(off int64) int { return int(max(0, off) / max(t.stride, minStride)) }

// add adds counts to the stretches starting at from.
func (t *tally) add(from int, counts []uint32) {
	for len(t.counts) < from+len(counts) {
		t.counts = append(t.counts, 0)
	}
	for i, n := range counts {
		t.counts[from+i] += n
		t.total += int64(n)
	}
}

// remove subtracts one line.
func (t *tally) remove(off int64) {
	if i := t.stretch(off); i < len(t.counts) && t.counts[i] > 0 {
		t.counts[i]--
		t.total--
	}
}

// before returns the number of matching lines in the stretches before i.
func (t *tally) before(i int) int64 {
	n := int64(0)
	for _, c := range t.counts[:min(i, len(t.counts))] {
		n += int64(c)
	}
	return n
}

// next returns the first stretch with matching lines from i on, in direction dir, or -1.
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

// clone returns a copy that a command may read concurrently.
func (t *tally) clone() tally {
	return tally{stride: t.stride, counts: append([]uint32(nil), t.counts...), total: t.total}
}

// rows reports which rows of a column of height h, which represents size bytes, have matching
// lines. It returns nil if none has.
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
