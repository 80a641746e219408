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
	g, s := p.opts.glyphs, p.styles
	c := p.counts()
	left := " " + s.Header.Name.Render("hob")
	add := func(n int, glyph, one, many string, render func(...string) string) {
		if n == 0 {
			return
		}
		word := many
		if n == 1 {
			word = one
		}
		part := "   " + render(glyph) + " " + s.Header.Text.Render(strconv.Itoa(n)+" "+word)
		if cells.Width(left)+cells.Width(part) <= w {
			left += part
		}
	}
	b := s.Badge
	add(c.running-c.waiting, g.Running, "running", "running", b.Running.Render)
	add(c.waiting, g.Waiting, "waits for you", "wait for you", b.Waiting.Render)
	add(c.failed, g.Failed, "failed", "failed", b.Failed.Render)
	add(c.done, g.Done, "done", "done", b.Done.Render)
	hosts, gone := p.hostLine()
	style, forms := s.Header.Link, []string{hosts}
	if len(gone) > 0 {
		style = s.Header.Warning
		brief := cells.Clean(gone[0]) + " unreachable"
		if n := len(gone); n > 1 {
			brief = strconv.Itoa(n) + " hosts unreachable"
		}
		forms = append(forms, brief, g.Unreachable+" "+strconv.Itoa(len(gone)))
	}
	for _, text := range forms {
		if gap := w - cells.Width(left) - cells.Width(text) - 1; text != "" && gap >= 2 {
			return cells.Fit(left+cells.Blank(gap)+style.Render(text), w)
		}
	}
	return cells.Fit(left, w)
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
