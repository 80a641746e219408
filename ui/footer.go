package ui

import (
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"

	"github.com/hobjobs/hob/internal/cells"
)

// promptEdge is the blank on either side of a line to fill in, as beside the keys.
const promptEdge = 1

// footer is the last line or two: what can be pressed here, and how things stand.
func (p *Pane) footer(w int) []string {
	rows := p.lay.footer.h
	switch {
	case p.attachment != nil && p.over == nil:
		return []string{p.footerAttached(w)}
	case p.prompt != nil && p.over == nil:
		p.prompt.line.SetSize(max(0, w-2*promptEdge), 1)
		if p.prompt.note != nil {
			p.prompt.line.SetNote(p.prompt.note())
		}
		lines := []string{cells.Fit(cells.Blank(promptEdge)+p.prompt.line.View(), w)}
		if rows > 1 {
			keys, _ := p.footerKeys()
			lines = append(lines, p.footerLine(keys, "", w))
		}
		return lines
	}
	keys, more := p.footerKeys()
	state := p.footerState()
	if p.over != nil {
		state = ""
	}
	if rows < 2 {
		return []string{p.footerLine(keys, state, w)}
	}
	first, rest := p.fitting(append(keys, more...), w)
	return []string{p.footerLine(first, "", w), p.footerLine(rest, state, w)}
}

// fitting splits keys into those that fit into one line and the others.
func (p *Pane) fitting(keys []key.Binding, w int) (first, rest []key.Binding) {
	used := 0
	for i, k := range keys {
		_, widths := p.footerItems([]key.Binding{k})
		if len(widths) == 0 {
			continue
		}
		if used+widths[0] > w-2 {
			return keys[:i], keys[i:]
		}
		used += widths[0] + 2
	}
	return keys, nil
}

// footerLine puts as many keys as fit before the state, which is drawn already.
func (p *Pane) footerLine(keys []key.Binding, state string, w int) string {
	room := w - 2
	if state != "" && room-cells.Width(state) < 30 {
		state = "" // keys matter more
	}
	if state != "" {
		room -= cells.Width(state) + 2
	}
	// The last key, help, is kept where others go.
	items, widths := p.footerItems(keys)
	kept := 0
	if n := len(widths); n > 1 && widths[n-1]+2 < room {
		kept = widths[n-1] + 2
	}
	var b strings.Builder
	used := 0
	for i, item := range items {
		last := i == len(items)-1
		need := widths[i]
		if used > 0 {
			need += 2
		}
		if !last && used+need > room-kept || used+need > room {
			continue
		}
		if used > 0 {
			b.WriteString("  ")
		}
		b.WriteString(item)
		used += need
	}
	left := " " + cells.Fit(b.String(), max(0, room)) + " "
	if state == "" {
		return cells.Fit(left, w)
	}
	return cells.Fit(left+" "+state+" ", w)
}

// footerItems draws the keys that apply, with their widths.
func (p *Pane) footerItems(keys []key.Binding) (items []string, widths []int) {
	var b strings.Builder
	for _, k := range keys {
		if !k.Enabled() {
			continue
		}
		label, desc := p.keyLabel(k), k.Help().Desc
		b.Reset()
		p.footerKey.Add(&b, label)
		b.WriteByte(' ')
		p.footerDesc.Add(&b, desc)
		items = append(items, b.String())
		widths = append(widths, cells.Width(label)+1+cells.Width(desc))
	}
	return items, widths
}

const (
	// quitFooter and roomyFooter are the widths from which on the footer says how
	// to leave, and what becomes of the jobs then.
	quitFooter  = 60
	roomyFooter = 70
)

// footerState is what stands on the right: flags of the log; in the list, where
// the quit key leaves, what that does.
func (p *Pane) footerState() string {
	if p.trouble != "" {
		return p.styles.Footer.Text.Render(p.trouble)
	}
	if p.quits() {
		return p.leaving()
	}
	if p.focus != areaLog || p.screenShown() {
		return ""
	}
	var flags []string
	add := func(on bool, name string) {
		if on {
			flags = append(flags, name)
		}
	}
	if note := p.searchNote(); note != "" {
		text, _, _, _ := p.log.Query()
		flags = append(flags, "/"+cells.End(cells.Clean(text), 20, p.opts.glyphs.Ellipsis)+"  "+note)
	}
	add(p.log.MatchingOnly(), "MATCHING")
	add(p.log.Selecting(), "SELECT")
	add(p.log.Following() && p.live() && p.log.Err() == nil, "FOLLOW")
	add(p.log.Wrap(), "WRAP")
	return p.styles.Footer.Text.Render(strings.Join(flags, "  "))
}

// leaving is the key that leaves hob and that the jobs go on; of the two what
// there is room for.
func (p *Pane) leaving() string {
	words := ""
	switch n := p.Running(); {
	case p.w < roomyFooter: // leaving says it, too
	case n == 1:
		words = "1 job keeps running"
	case n > 1:
		words = strconv.Itoa(n) + " jobs keep running"
	}
	quit := p.opts.keys.Panes.Quit
	items, _ := p.footerItems([]key.Binding{quit})
	if len(items) == 0 || p.w < quitFooter {
		return p.styles.Footer.Text.Render(words)
	}
	if words != "" {
		words = p.styles.Footer.Desc.Render(", ") + p.styles.Footer.Text.Render(words)
	}
	return items[0] + words
}

// live reports whether the shown job still writes.
func (p *Pane) live() bool {
	j, ok := p.jobs[p.shown.id]
	return ok && !j.Status.Finished()
}
