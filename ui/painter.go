package ui

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/ui/components/border"
	"github.com/hobjobs/hob/ui/components/detail"
	"github.com/hobjobs/hob/ui/components/joblist"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// painter draws the panes while no job is attached: in frames what the components show, and in the borders how
// much more there is and in which state it is. It only reads.
type painter struct {
	*labels
	view   *view
	modal  *modal
	list   *joblist.Model
	detail *detail.Model
	output *output
}

// draw returns the lines of the panes. known is whether the jobs are known yet.
func (d *painter) draw(known bool) []string {
	left, right := d.drawList(known), d.drawRight()
	if d.view.lay.shape != shapeWide {
		return append(left, right...)
	}
	for i := range left {
		left[i] += right[i]
	}
	return left
}

// drawTooSmall draws a message for a pane that is too small, including how many jobs need input.
func (d *painter) drawTooSmall(waiting int) []string {
	words := []string{"too small"}
	if long := fmt.Sprintf("too small: %dx%d at least", minWidth, minHeight); len(long) <= d.view.w {
		words[0] = long
	}
	if waiting > 0 {
		words = append(words, d.opts.glyphs.Waiting+" "+strconv.Itoa(waiting)+" input")
		words = words[max(0, len(words)-d.view.h):]
	}
	lines := cells.Block(nil, d.view.w, d.view.h)
	top := (d.view.h - len(words)) / 2
	for i, text := range words {
		lines[top+i] = cells.Fit(cells.Blank((d.view.w-cells.Width(text))/2)+text, d.view.w)
	}
	return lines
}

func (d *painter) drawList(known bool) []string {
	l := d.view.lay
	if l.list.empty() {
		return nil
	}
	rows := split(d.list.View())
	if !known {
		rows = cells.Block(nil, l.list.w, l.list.h)
	}
	if l.shape == shapeBare {
		return rows
	}
	f := d.edges(d.view.focus == areaList)
	count, aside := d.listCounts()
	top, rowCount := d.list.Window()
	title := "Jobs"
	if group, _, _ := d.list.Narrowed(); group != "" {
		title = cells.Clean(group)
	}
	lines := []string{f.Top(title, d.dotted(d.list.SortNote(), d.zoomNote()), l.listFrame.w)}
	head := d.list.HeaderRows()
	lines = append(lines, f.Sides(rows[:head], l.listFrame.w)...)
	lines = append(lines, f.Scrolled(rows[head:], l.listFrame.w, top, rowCount, d.opts.glyphs.ScrollThumb)...)
	return append(lines, f.Bottom(count, aside, l.listFrame.w))
}

// footerHasFilter is the width from which on the footer names the key that filters the list.
const footerHasFilter = 120

// listCounts returns the texts in the lower border of the list: the number of jobs, and the number of marked
// jobs or a key.
func (d *painter) listCounts() (count, aside string) {
	all, shown := d.list.Len()
	if all == 0 && d.list.Filter() == "" {
		return "", ""
	}
	count = units.Count(all, "job")
	if d.list.Project() != nil && d.list.Filter() == "" {
		count = d.processCount()
	}
	top, rows := d.list.Window()
	visible := d.view.lay.list.h - d.list.HeaderRows()
	switch {
	case d.list.Filter() != "":
		count = d.dotted(strconv.Itoa(shown)+" of "+count, d.filterText(d.list.Filter()))
		if d.modal.prompt == nil {
			count = d.dotted(count, d.does(d.opts.keys.Panes.Back, "clear"))
		}
	case top+visible < rows:
		count = d.dotted(strconv.Itoa(max(0, visible))+" of "+strconv.Itoa(all), d.opts.glyphs.More+" more")
	}
	if n := len(d.list.Marked()); n > 0 {
		return count, strconv.Itoa(n) + " marked"
	}
	offered := d.list.Filter() == "" && d.view.w < footerHasFilter && d.view.given == areaList
	if filter := d.opts.keys.Jobs.Filter; offered && filter.Enabled() {
		aside = filter.Help().Key + " filter"
	}
	return count, aside
}

// orderWidth is the minimum width of the frame of a list whose border shows its order.
const orderWidth = 46

// processCount returns the number of processes of a project, and whether they are in the order of its file.
func (d *painter) processCount() string {
	_, n, _ := d.list.Narrowed()
	count := strconv.Itoa(n) + " processes"
	if n == 1 {
		count = "1 process"
	}
	if d.list.InFileOrder() && d.view.lay.listFrame.w >= orderWidth {
		count += ", in the order of the file"
	}
	return count
}

// drawRight draws detail above log, or the visible one of them.
func (d *painter) drawRight() []string {
	l := d.view.lay
	if l.rightFrame.empty() {
		return nil
	}
	w := l.rightFrame.w
	f := d.edges(d.view.focus == areaDetail)
	lines := make([]string, 0, l.rightFrame.h)
	side := func(block []string) {
		for i, line := range block {
			block[i] = " " + line
		}
		lines = append(lines, f.Sides(block, w)...)
	}
	switch {
	case l.log.empty():
		facts := d.dotted(d.moreDetail(), d.zoomNote())
		lines = append(lines, f.Top(d.title(w, facts), facts, w))
		side(split(d.detail.View()))
		return append(lines, f.Bottom("", "", w))
	case l.divider == 0:
		facts := d.briefFacts(w)
		lines = append(lines, d.logEdges().Top(d.title(w, facts)+d.output.contents(), facts, w))
	default:
		facts := d.moreDetail()
		if d.view.given == areaLog {
			facts = d.dotted(d.detail.Line(), d.where())
		}
		lines = append(lines, f.Top(d.title(w, facts), facts, w))
		side(split(d.detail.View()))
		g := d.logEdges()
		lines = append(lines, g.Divide(d.opts.glyphs.JoinLeft, d.opts.glyphs.JoinRight, d.output.logTitle(), d.logFacts(), w))
	}
	if d.output.screenShown() {
		side(split(d.output.screen.View()))
	} else {
		lines = append(lines, d.drawLog(f, w)...)
	}
	return append(lines, f.Bottom("", d.logNote(), w))
}

// logNote returns the text in the lower border of the log: its size, unless the full detail shows it.
func (d *painter) logNote() string {
	switch l := d.view.lay; {
	case d.view.given == areaDetail && !d.output.screenShown():
		return ""
	case d.view.given == areaLog && l.shape == shapeWide && !d.output.group.shown():
		return d.dotted(d.output.logSize(), d.does(d.opts.keys.Panes.ShowDetail, "for all details"))
	}
	return d.output.logSize()
}

// drawLog draws the log inside its border, with a bar before the current line like that of the
// selected row in the list.
func (d *painter) drawLog(f border.Frame, w int) []string {
	block := split(d.output.log.View())
	y, n := d.output.log.CurrentRows()
	for i, line := range block {
		before := " "
		if i >= y && i < y+n {
			before = d.styles.Accent.Render(d.opts.glyphs.Cursor)
		}
		block[i] = before + line
	}
	return f.Sides(block, w)
}

func split(view string) []string {
	if view == "" {
		return nil
	}
	return strings.Split(view, "\n")
}

// edges returns the frame of a pane, with an emphasized title if it is focused.
func (d *painter) edges(focused bool) border.Frame {
	s := d.styles
	f := border.Frame{Border: d.opts.glyphs.Border, Line: s.Border, Title: s.Title, Info: s.Muted, Mark: d.opts.glyphs.Ellipsis}
	if focused && d.view.focused && !d.modal.active() {
		f.Title = s.PaneFocused
	}
	return f
}

// title returns the name of the shown job, for a border of w columns that has facts on its right.
func (d *painter) title(w int, facts string) string {
	j, ok := d.output.job()
	switch {
	case d.output.group.shown():
		return d.output.group.title()
	case !ok:
		return d.foldTitle()
	}
	return cells.Name(cells.Clean(j.Name), max(leastTitle, w-borderRoom-cells.Width(facts)), d.opts.glyphs.Ellipsis)
}

// borderRoom is the number of columns that a border needs besides its texts: for corners, blanks around the texts, and a
// line between them. leastTitle is the minimum width of a name in it.
const borderRoom, leastTitle = 8, 12

// foldTitle is the title while no job is shown: a row may be selected that stands for several.
func (d *painter) foldTitle() string {
	if on, _ := d.list.OnFold(); !on {
		return "Detail"
	}
	return "Older jobs"
}

func (d *painter) moreDetail() string {
	if n := d.detail.More(); n > 0 {
		return d.opts.glyphs.More + " " + strconv.Itoa(n)
	}
	return ""
}

// zoomNote returns a note if one pane is zoomed. It is empty where only one pane fits anyway.
func (d *painter) zoomNote() string {
	if !d.view.zoomed || d.view.w < stackWidth {
		return ""
	}
	return "zoomed"
}

// logEdges returns the frame of the log. New lines below the view are emphasized.
func (d *painter) logEdges() border.Frame {
	f := d.edges(d.view.focus == areaLog)
	if n, _ := d.output.log.NewLines(); n > 0 && !d.output.screenShown() {
		f.Info = d.styles.AccentStrong
	}
	return f
}

func (d *painter) logFacts() string { return d.dotted(d.output.logState(), d.zoomNote()) }

// briefFacts returns the facts about the job and its log in the border of a log without a detail, as many as fit into
// w columns. "following" is left out first, because most logs are followed.
func (d *painter) briefFacts(w int) string {
	all := d.logFacts()
	facts, badge, name := all, "", ""
	if all == d.dotted(following, d.zoomNote()) && !d.output.group.shown() {
		facts = d.zoomNote()
	}
	if d.view.given != areaLog { // it is only previewed
		all = facts
	}
	if j, ok := d.output.job(); ok {
		badge, name = statusbadge.Text(d.styles, j.Job), cells.Clean(j.Name)
	}
	state, room := d.detail.Line(), w-borderRoom-min(leastTitle, cells.Width(name+d.output.contents()))
	for _, text := range []string{d.dotted(state, all, d.where()), d.dotted(state, facts, d.where()), d.dotted(state, facts), d.dotted(badge, facts)} {
		if cells.Width(text) <= room {
			return text
		}
	}
	return facts
}

// where returns which job is shown: its place in the list while the list is hidden, otherwise the letters at the end
// of its ID.
func (d *painter) where() string {
	j, ok := d.output.job()
	if !ok {
		return ""
	}
	if at, all := d.list.Position(); d.view.lay.list.empty() && at > 0 {
		return strconv.Itoa(at) + " of " + strconv.Itoa(all)
	}
	return detail.Letters(j.ID)
}
