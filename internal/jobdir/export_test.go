package jobdir

// Unusable is why the root at path cannot be used, after err.
var Unusable = unusable

// From returns at most n entries from the one that covers off on, for a replay.
func (t *Times) From(off int64, n int) []Moment {
	block, _ := t.block(func(m Moment) bool { return m.Offset <= off })
	var out []Moment
	for ; len(out) < n; block++ {
		ms, err := t.read(block)
		if err != nil || len(ms) == 0 {
			break
		}
		for i, m := range ms {
			// Left out is what the entry after it covers as well.
			if i+1 < len(ms) && ms[i+1].Offset <= off {
				continue
			}
			if len(out) < n {
				out = append(out, m)
			}
		}
	}
	return out
}
