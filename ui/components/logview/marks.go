package logview

// markKind is why a character looks different from what the job printed.
type markKind int

const (
	markNone markKind = iota
	markMatch
	markCurrent
	markSelected
)

// mark is a stretch [from, to) of glyphs.
type mark struct {
	from, to int
	kind     markKind
}

// markAt is the kind at a glyph; later marks win.
func markAt(marks []mark, i int) markKind {
	kind := markNone
	for _, mk := range marks {
		if i >= mk.from && i < mk.to {
			kind = mk.kind
		}
	}
	return kind
}

// marksOf returns the marks of a line.
func (m *Model) marksOf(e *entry) []mark {
	var marks []mark
	if m.query.re != nil {
		kind := markMatch
		if e.Start == m.query.current {
			kind = markCurrent
		}
		for _, h := range m.hitsOf(e) {
			marks = append(marks, mark{h[0], h[1], kind})
		}
	}
	if from, to := m.sel.span(e.Start, m.glyphsOf(e).own); from < to {
		marks = append(marks, mark{from, to, markSelected})
	}
	return marks
}

// hitsOf returns which glyphs of a line match.
func (m *Model) hitsOf(e *entry) [][2]int {
	if e.hitGen == m.query.gen {
		return e.hits
	}
	d := m.glyphsOf(e)
	e.hits, e.hitGen = nil, m.query.gen
	for _, f := range m.query.re.FindAllStringIndex(d.part(0, d.own), 256) {
		if f[0] < f[1] {
			e.hits = append(e.hits, [2]int{d.glyphAt(f[0]), d.glyphAt(f[1]-1) + 1})
		}
	}
	return e.hits
}
