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

// header draws the first line: counts and hosts.
func (p *Pane) header(w int) string {
	s := p.styles
	hosts, gone := p.hostLine()
	left := p.countLine(w, cells.Width(hosts)+3)
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

// count is a number of jobs in one state. brief is the short form of word; "" means only the
// glyph.
type count struct {
	n           int
	glyph       string
	words       string
	brief       string
	render      func(...string) string
	dispensable int // may be left out where room is short; the largest first
}

// countLine draws the counts in w columns. If there is too little room, words are shortened and
// counts that need no attention are left out; new failures always remain. The least important counts
// are shown only beside the hosts, which take aside columns.
func (p *Pane) countLine(w, aside int) string {
	g, b, c := p.opts.glyphs, p.styles, p.Counts()
	waiting := count{c.Waiting, g.Waiting, "need input", "input", b.Waiting.Render, 0}
	if c.Waiting == 1 {
		waiting.words = "needs input"
	}
	seen := count{c.Seen, g.Failed, "failures seen", "", b.Done.Render, 2}
	if c.Seen == 1 {
		seen.words = "failure seen"
	}
	all := []count{
		{c.Running - c.Waiting, g.Running, "running", "", b.Running.Render, 0},
		waiting,
		{c.Queued, g.Queued, "queued", "", b.Muted.Render, 0},
		{c.Failed, g.Failed, "failed", "failed", b.Failed.Render, 0},
		{c.Done, g.Done, "done", "", b.Done.Render, 1},
		{c.Stopped, g.Stopped, "stopped", "", b.Done.Render, 2},
		seen,
	}
	words := func(c count) string { return c.words }
	brief := func(c count) string { return c.brief }
	none := func(count) string { return "" }
	line := ""
	for _, form := range []struct {
		word func(count) string
		gap  int
		most int // dispensable counts up to this one are shown
	}{{words, 3, 2}, {words, 3, 1}, {words, 3, 0}, {words, 2, 0}, {brief, 2, 0}, {none, 2, 0}, {none, 1, 0}} {
		line = " " + p.styles.AccentStrong.Render("hob")
		for _, c := range all {
			if c.n == 0 || c.dispensable > form.most {
				continue
			}
			text := strings.TrimSpace(strconv.Itoa(c.n) + " " + form.word(c))
			words := p.styles.Text.Render
			if c.dispensable > 0 { // as quiet as its glyph
				words = c.render
			}
			line += cells.Blank(form.gap) + c.render(c.glyph) + " " + words(text)
		}
		room := w
		if form.most == 2 {
			room -= aside
		}
		if cells.Width(line) <= room {
			break
		}
	}
	return line
}

// hostLine describes the links to hosts, such as "web1 ok · gpu2 unreachable 3m", and returns the
// unreachable hosts.
func (p *Pane) hostLine() (text string, gone []string) {
	links := map[string]string{}
	var names []string
	for _, j := range p.jobs.all {
		if j.Host == "" || j.Status.Finished() { // finished jobs need no connection
			continue
		}
		if _, ok := links[j.Host]; !ok {
			names = append(names, j.Host)
			links[j.Host] = "ok"
		}
		if j.Link == engine.LinkOK && !j.StaleSince.IsZero() && links[j.Host] == "ok" {
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
		parts = append(parts, cells.Clean(name)+" "+links[name])
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
