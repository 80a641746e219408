package jobdir

// From returns at most n entries, beginning with the one that covers off.
func (t *Times) From(off int64, n int) []Moment {
	block, _ := t.block(func(m Moment) bool { return m.Offset <= off })
	var out []Moment
	for ; len(out) < n; block++ {
		ms, err := t.read(block)
		if err != nil || len(ms) == 0 {
			break
		}
		for i, m := range ms {
			// Skip entries before the one that covers off.
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
