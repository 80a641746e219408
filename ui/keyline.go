package ui

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"

	"github.com/hobjobs/hob/internal/cells"
)

// footerItem is a part of the last line: a clickable key, or text.
type footerItem struct {
	key.Binding
	text  string // empty: a key
	group int
	x, w  int
}

// rightmost aligns text to the right.
func rightmost(text string, w int) footerItem {
	n := cells.Width(text)
	return footerItem{text: text, x: w - 1 - n, w: n}
}

// placed places the available keys from the left up to column end. Earlier keys are more
// important, but the last group, which has help, is always kept. Of a single group, the last key is
// kept beside the first.
func (l *labels) placed(groups [][]key.Binding, end int) []footerItem {
	var all []footerItem
	for g, group := range groups {
		for _, k := range group {
			if k.Enabled() {
				all = append(all, footerItem{Binding: k, group: g, w: cells.Width(l.keyLabel(k)) + 1 + cells.Width(k.Help().Desc)})
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	last, kept := keptKeys(all, end)
	var items []footerItem
	x, gap := 1, 0
	for i, item := range all {
		if gap > 0 && item.group != all[i-1].group {
			gap = groupGap
		}
		if i >= last {
			kept = 0
		}
		if x+gap+item.w+kept > end {
			continue
		}
		item.x = x + gap
		x, gap = item.x+item.w, keyGap
		items = append(items, item)
	}
	return items
}

// keptKeys returns the first of the keys that are always kept, and the width to reserve for them.
func keptKeys(all []footerItem, end int) (first, w int) {
	last := len(all) - 1
	first = slices.IndexFunc(all, func(k footerItem) bool { return k.group == all[last].group })
	if first > 0 {
		w = groupGap - keyGap
		for _, item := range all[first:] {
			w += keyGap + item.w
		}
		return first, w
	}
	w = keyGap + all[last].w
	if last == 0 || 1+all[0].w+w > end {
		w = 0
	}
	return last, w
}

// drawItems draws the last line. Keys are dim if the pane has no focus.
func (l *labels) drawItems(items []footerItem, w int, focused bool) string {
	label, desc := l.styles.Key, l.styles.Muted
	if !focused {
		label, desc = l.styles.Faint, l.styles.Faint
	}
	var b strings.Builder
	x := 0
	for _, item := range items {
		b.WriteString(cells.Blank(max(0, item.x-x)))
		x = max(x, item.x) + item.w
		if len(item.Keys()) == 0 {
			b.WriteString(item.text)
			continue
		}
		b.WriteString(label.Render(l.keyLabel(item.Binding)) + " " + desc.Render(item.Help().Desc))
	}
	return cells.Fit(b.String(), w)
}
