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

// header is the first line: counts and hosts.
func (p *Pane) header(w int) string {
	s := p.styles
	left := p.countLine(w)
	hosts, gone := p.hostLine()
	style, forms := s.Header.Link, []string{hosts}
	if len(gone) > 0 {
		style = s.Header.Warning
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

// count is how many jobs are as it says; brief is the word where room is dear, ""
// a glyph that has to do.
type count struct {
	n           int
	glyph       string
	words       string
	brief       string
	render      func(...string) string
	dispensable bool // the others matter more
}

// countLine counts the jobs in w columns. Where they are few the words become shorter,
// and what asks for nothing is left out: that some failed is said to the last.
func (p *Pane) countLine(w int) string {
	g, b, c := p.opts.glyphs, p.styles.Badge, p.counts()
	waiting := count{c.waiting, g.Waiting, "wait for you", "wait", b.Waiting.Render, false}
	if c.waiting == 1 {
		waiting.words, waiting.brief = "waits for you", "waits"
	}
	all := []count{
		{c.running - c.waiting, g.Running, "running", "", b.Running.Render, false},
		waiting,
		{c.failed, g.Failed, "failed", "failed", b.Failed.Render, false},
		{c.done, g.Done, "done", "", b.Done.Render, true},
	}
	words := func(c count) string { return c.words }
	brief := func(c count) string { return c.brief }
	none := func(count) string { return "" }
	line := ""
	for _, form := range []struct {
		word func(count) string
		gap  int
		all  bool
	}{{words, 3, true}, {words, 3, false}, {words, 2, false}, {brief, 2, false}, {none, 2, false}, {none, 1, false}} {
		line = " " + p.styles.Header.Name.Render("hob")
		for _, c := range all {
			if c.n == 0 || c.dispensable && !form.all {
				continue
			}
			text := strings.TrimSpace(strconv.Itoa(c.n) + " " + form.word(c))
			line += cells.Blank(form.gap) + c.render(c.glyph) + " " + p.styles.Header.Text.Render(text)
		}
		if cells.Width(line) <= w {
			break
		}
	}
	return line
}

// hostLine says how the links to hosts stand: "web1 ok · gpu2 unreachable 3m", and
// which hosts are unreachable.
func (p *Pane) hostLine() (text string, gone []string) {
	links := map[string]string{}
	var names []string
	for _, j := range p.jobs {
		if j.Host == "" || j.Status.Finished() { // nobody looks at a host for those
			continue
		}
		if _, ok := links[j.Host]; !ok {
			names = append(names, j.Host)
			links[j.Host] = "ok"
		}
		if j.Link == engine.LinkOK && !j.StaleSince.IsZero() && links[j.Host] == "ok" {
			links[j.Host] = "connecting" // nobody has heard of it yet, only of it before
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

// ago is a duration of which the seconds do not matter: "3m".
func ago(d time.Duration) string {
	if d < time.Minute {
		return units.FormatDuration(d)
	}
	return strings.TrimSuffix(units.FormatDuration(d.Truncate(time.Minute)), "00s")
}
