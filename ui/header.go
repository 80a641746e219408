package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
)

// header draws the first line: counts, and what is wrong about hosts.
func (p *Pane) header(w int) string {
	s := p.styles
	hosts, gone := p.hostLine()
	left := p.countLine(w)
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

// countLine draws how many jobs need the user and how many run, in w columns. Successful ends, and
// failures that were seen, are left out. If there is too little room, words are shortened and then left out.
func (p *Pane) countLine(w int) string {
	g, b, c := p.opts.glyphs, p.styles, p.Counts()
	waiting := count{c.Waiting, g.Waiting, "need input", "input", b.Waiting.Render}
	if c.Waiting == 1 {
		waiting.words = "needs input"
	}
	failed := count{c.Failed, g.Failed, "new failures", "failed", b.Failed.Render}
	if c.Failed == 1 {
		failed.words = "new failure"
	}
	all := []count{
		waiting,
		failed,
		{c.Restarting, g.Restarting, "restarting", "", b.Warning.Render},
		{c.Running - c.Waiting, g.Running, "running", "", b.Running.Render},
		{c.Queued, g.Queued, "queued", "", b.Muted.Render},
	}
	words := func(c count) string { return c.words }
	brief := func(c count) string { return c.brief }
	none := func(count) string { return "" }
	line := ""
	for _, form := range []struct {
		word func(count) string
		gap  int
	}{{words, 3}, {words, 2}, {brief, 2}, {none, 2}, {none, 1}} {
		line = " " + p.styles.AccentStrong.Render("hob")
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
