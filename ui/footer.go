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
	case p.cat != nil && p.over == nil:
		return []string{p.footerAttached(w)}
	case p.prompt != nil && p.over == nil:
		p.prompt.line.SetSize(max(0, w-2*promptEdge), 1)
		p.prompt.line.SetNote(p.promptNote(p.prompt))
		lines := []string{cells.Fit(cells.Blank(promptEdge)+p.prompt.line.View(), w)}
		if rows > 1 {
			lines = append(lines, p.footerLine(p.footerKeys(), "", w))
		}
		return lines
	}
	keys, state := p.footerKeys(), p.footerState()
	if p.over != nil {
		state = ""
	}
	if rows < 2 {
		return []string{p.footerLine(keys, state, w)}
	}
	first, rest := p.fitting(append(keys, p.moreKeys()...), w)
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

// footerLine puts as many keys as fit before the state.
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
	return cells.Fit(left+" "+p.styles.Footer.Text.Render(state)+" ", w)
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

// roomyFooter is the width from which on the footer says more than keys.
const roomyFooter = 70

// footerState is what stands on the right: flags of the log, else what happens
// to jobs when one leaves.
func (p *Pane) footerState() string {
	if p.trouble != "" {
		return p.trouble
	}
	if p.focus == areaLog && !p.screenShown() {
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
		add(p.log.Following() && p.live(), "FOLLOW")
		add(p.log.Wrap(), "WRAP")
		if len(flags) > 0 {
			return strings.Join(flags, "  ")
		}
	}
	switch n := p.Running(); {
	case p.w < roomyFooter: // the keys matter more; leaving says it, too
	case n == 1:
		return "1 job keeps running"
	case n > 1:
		return strconv.Itoa(n) + " jobs keep running"
	}
	return ""
}

// live reports whether the shown job still writes.
func (p *Pane) live() bool {
	j, ok := p.jobs[p.shown.id]
	return ok && !j.Status.Finished()
}
