package vt

import "unicode/utf8"

const (
	maxClusterBytes = 64  // further runes of a cluster are dropped
	minTableLimit   = 256 // entries before the first collection
)

// clusterTable interns the texts of several runes that cells refer to.
type clusterTable struct {
	texts []string
	index map[string]uint32
	limit int // collect when there are more
}

func (ct *clusterTable) text(ch uint32) string { return ct.texts[ch&^clusterBit] }

func (ct *clusterTable) intern(s string) uint32 {
	if i, ok := ct.index[s]; ok {
		return i
	}
	if ct.index == nil {
		ct.index = make(map[string]uint32)
	}
	i := uint32(len(ct.texts)) | clusterBit
	ct.texts = append(ct.texts, s)
	ct.index[s] = i
	return i
}

// extra has properties that few cells have: an underline color and a link. The id
// identifies cells of the same link.
type extra struct {
	underline Color
	uri, id   string
}

// extraTable interns extras; index 0 is the empty one.
type extraTable struct {
	list  []extra
	index map[extra]uint16
	limit int
}

func (et *extraTable) at(i uint16) extra {
	if int(i) >= len(et.list) {
		return extra{}
	}
	return et.list[i]
}

// intern returns 0, the empty extra, if the table is full.
func (et *extraTable) intern(e extra) uint16 {
	if e == (extra{}) {
		return 0
	}
	if i, ok := et.index[e]; ok {
		return i
	}
	if et.index == nil {
		et.index = make(map[extra]uint16)
		et.list = make([]extra, 1)
	}
	if len(et.list) > 0xffff {
		return 0
	}
	i := uint16(len(et.list))
	et.list = append(et.list, e)
	et.index[e] = i
	return i
}

// collectTables drops entries that are not referenced by a cell on a screen or a pen.
// It is called only by Write, which invalidates cells that callers have.
func (t *Terminal) collectTables() {
	clusters, extras := t.clusters, t.extras
	t.clusters, t.extras = clusterTable{}, extraTable{}
	move := func(c *Cell) {
		if c.ch&clusterBit != 0 {
			c.ch = t.clusters.intern(clusters.text(c.ch))
		}
		if c.ext != 0 {
			c.ext = t.extras.intern(extras.at(c.ext))
		}
	}
	for i := range t.screens {
		s := &t.screens[i]
		for _, r := range s.rows {
			for x := range r.cells {
				move(&r.cells[x])
			}
		}
		move(&s.saved.pen)
	}
	move(&t.cur.pen)
	for i := range t.pens {
		move(&t.pens[i])
	}
	t.clusters.limit = max(minTableLimit, 2*len(t.clusters.texts))
	t.extras.limit = max(minTableLimit, 2*len(t.extras.list))
}

func (t *Terminal) internCluster(text []byte) uint32 {
	if i, ok := t.clusters.index[string(text)]; ok {
		return i
	}
	if len(t.clusters.texts) >= max(minTableLimit, t.clusters.limit) {
		t.collectTables()
	}
	return t.clusters.intern(string(text))
}

func (t *Terminal) internExtra(e extra) uint16 {
	if n := len(t.extras.list); n >= max(minTableLimit, t.extras.limit) || n > 0xff00 {
		t.collectTables()
	}
	return t.extras.intern(e)
}

// appendText appends the text of a cell, a space for a blank one.
func (t *Terminal) appendText(b []byte, c Cell) []byte {
	switch {
	case c.ch&clusterBit != 0:
		return append(b, t.clusters.text(c.ch)...)
	case c.attr&widthMask == wideTail:
		return b
	case c.ch == 0:
		return append(b, ' ')
	}
	return utf8.AppendRune(b, rune(c.ch))
}
