package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/detail"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// header draws the first line: counts, and what is wrong about hosts.
func (p *Pane) header(w int) string {
	s := p.styles
	if group, _, c := p.list.Narrowed(); group != "" {
		return p.projectHeader(group, c, w)
	}
	hosts, gone := p.hostLine()
	left := p.countLine(w, "", p.jobCounts())
	style, forms := s.Muted, []string{hosts}
	if len(gone) > 0 {
		style = s.Warning
		brief := cells.Clean(gone[0]) + " unreachable"
		if n := len(gone); n > 1 {
			brief = strconv.Itoa(n) + " hosts unreachable"
		}
		forms = append(forms, brief, p.opts.glyphs.Unreachable+" "+strconv.Itoa(len(gone)))
	}
	for _, text := range forms {
		if gap := w - cells.Width(left) - cells.Width(text) - 1; text != "" && gap >= 2 {
			return cells.Fit(left+cells.Blank(gap)+style.Render(text), w)
		}
	}
	return cells.Fit(left, w)
}

// count is a number of jobs in one state. brief is the short form of words; "" means only the glyph.
type count struct {
	n      int
	glyph  string
	words  string
	brief  string
	render func(...string) string
}

// projectHeader draws the first line of a project: its name, how many of its jobs need the user, run and have
// failed, its file, and the key that shows all jobs.
func (p *Pane) projectHeader(group string, c statusbadge.Counts, w int) string {
	g, b := p.opts.glyphs, p.styles
	left := p.countLine(w, cells.Clean(group), []count{
		waitingCount(g, b, c.Waiting),
		{c.Restarting, g.Restarting, "restarting", "", b.Warning.Render},
		{c.Unhealthy, g.Running, "unhealthy", "unhealthy", b.Failed.Render},
		{c.OnlyRunning(), g.Running, "running", "", b.Running.Render},
		{c.Stale, g.Starting, "stale", "", b.Muted.Render},
		{c.Failed + c.Seen, g.Failed, "failed", "", b.Failed.Render},
		{c.Queued, g.Queued, "queued", "", b.Muted.Render},
	})
	right := ""
	if back := p.opts.keys.Panes.Back; isBound(back) && p.backShowsAll() {
		right = p.hintOf(p.keyLabel(back), "all "+units.Count(p.list.Total(), "job"))
	}
	if hosts, gone := p.hostLine(); len(gone) > 0 {
		right = strings.TrimSpace(b.Warning.Render(hosts) + cells.Blank(headerGap) + right)
	}
	if project := p.list.Project(); project != nil && p.opts.project.File != "" {
		file := cells.Clean(detail.Tilde(p.opts.project.File, p.opts.home))
		if room := w - cells.Width(left) - fileGap - headerGap - cells.Width(right) - 1; room >= min(leastFile, cells.Width(file)) {
			left += cells.Blank(fileGap) + b.Muted.Render(cells.TruncateStart(file, room, g.Ellipsis))
		}
	}
	gap := w - cells.Width(left) - cells.Width(right) - 1
	if right == "" || gap < 2 {
		return cells.Fit(left, w)
	}
	return cells.Fit(left+cells.Blank(gap)+right, w)
}

// headerGap is the gap between facts of the header, fileGap that before the file of a project. A long path is shown only
// if it has at least leastFile columns.
const headerGap, fileGap, leastFile = 3, 6, 24

// backShowsAll reports whether the key that goes back shows all jobs instead of those of a project.
func (p *Pane) backShowsAll() bool {
	switch {
	case p.view.focus != areaList, p.view.zoomed, len(p.list.Marked()) > 0:
		return false
	}
	return p.list.Project() == nil || p.list.Filter() == ""
}

func waitingCount(g themes.Glyphs, b *themes.Styles, n int) count {
	waiting := count{n, g.Waiting, "need input", "input", b.Waiting.Render}
	if n == 1 {
		waiting.words = "needs input"
	}
	return waiting
}

// jobCounts returns how many jobs need the user and how many run. Successful ends, and failures that the user has
// seen, are left out.
func (p *Pane) jobCounts() []count {
	g, b, c := p.opts.glyphs, p.styles, p.Counts()
	failed := count{c.Failed, g.Failed, "new failures", "failed", b.Failed.Render}
	if c.Failed == 1 {
		failed.words = "new failure"
	}
	return []count{
		waitingCount(g, b, c.Waiting),
		failed,
		{c.Restarting, g.Restarting, "restarting", "", b.Warning.Render},
		{c.Unhealthy, g.Running, "unhealthy", "unhealthy", b.Failed.Render},
		{c.OnlyRunning(), g.Running, "running", "", b.Running.Render},
		{c.Queued, g.Queued, "queued", "", b.Muted.Render},
	}
}

// countLine draws the name of the program, the name of the project and the counts in w columns. If there is too little
// room, words are shortened and then left out, last those of the jobs that need the user.
func (p *Pane) countLine(w int, project string, all []count) string {
	words := func(c count) string { return c.words }
	brief := func(c count) string { return c.brief }
	urgent := func(c count) string { // of what needs the user
		if c.brief == "" {
			return ""
		}
		return c.words
	}
	none := func(count) string { return "" }
	line := ""
	for _, form := range []struct {
		word func(count) string
		gap  int
	}{{words, 3}, {words, 2}, {urgent, 2}, {brief, 2}, {none, 2}, {none, 1}} {
		line = " " + p.styles.AccentStrong.Render("hob")
		if project != "" {
			line += p.styles.Text.Render(" " + p.opts.glyphs.Dot + " " + project)
		}
		for _, c := range all {
			if c.n == 0 {
				continue
			}
			text := strings.TrimSpace(strconv.Itoa(c.n) + " " + form.word(c))
			line += cells.Blank(form.gap) + c.render(c.glyph) + " " + p.styles.Text.Render(text)
		}
		if cells.Width(line) <= w {
			break
		}
	}
	return line
}

// hostLine describes the links to hosts that do not work, such as "gpu2 unreachable 3m", and returns
// the unreachable hosts.
func (p *Pane) hostLine() (text string, gone []string) {
	links := map[string]string{}
	var names []string
	for _, j := range p.jobs.all {
		if j.Host == "" || j.Status.Finished() { // finished jobs need no connection
			continue
		}
		if _, ok := links[j.Host]; !ok {
			names = append(names, j.Host)
			links[j.Host] = ""
		}
		if j.Link == engine.LinkOK && !j.StaleSince.IsZero() && links[j.Host] == "" {
			links[j.Host] = "connecting" // only a state from before this session is known
		}
		if j.Link == engine.LinkUnreachable {
			if !slices.Contains(gone, j.Host) {
				gone = append(gone, j.Host)
			}
			links[j.Host] = "unreachable"
			if !j.StaleSince.IsZero() {
				links[j.Host] = "unreachable " + ago(p.now.Sub(j.StaleSince))
			}
		}
	}
	parts := make([]string, 0, len(names))
	for _, name := range slices.Sorted(slices.Values(names)) {
		if links[name] != "" {
			parts = append(parts, cells.Clean(name)+" "+links[name])
		}
	}
	return strings.Join(parts, " "+p.opts.glyphs.Dot+" "), gone
}

// ago formats a duration without unnecessary seconds: "3m".
func ago(d time.Duration) string {
	if d < time.Minute {
		return units.FormatDuration(d)
	}
	return units.FormatMinutes(d)
}
