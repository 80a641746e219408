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
	if from, to := m.sel.span(e.Start, len(m.glyphsOf(e))); from < to {
		marks = append(marks, mark{from, to, markSelected})
	}
	return marks
}

// hitsOf returns which glyphs of a line match.
func (m *Model) hitsOf(e *entry) [][2]int {
	if e.hitGen == m.query.gen {
		return e.hits
	}
	glyphs := m.glyphsOf(e)
	e.hits, e.hitGen = nil, m.query.gen
	found := m.query.re.FindAllStringIndex(textOf(glyphs), 256)
	at, i := 0, 0
	for _, f := range found {
		if f[0] == f[1] {
			continue
		}
		for i < len(glyphs) && at+len(glyphs[i].text) <= f[0] {
			at += len(glyphs[i].text)
			i++
		}
		from := i
		for i < len(glyphs) && at < f[1] {
			at += len(glyphs[i].text)
			i++
		}
		e.hits = append(e.hits, [2]int{from, i})
	}
	return e.hits
}
