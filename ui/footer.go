package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/keymap"
)

// footer is the last line or two: what can be pressed here, and how things stand.
func (p *Pane) footer(w int) []string {
	rows := p.lay.footer.h
	switch {
	case p.cat != nil && p.over == nil:
		return []string{p.footerAttached(w)}
	case p.prompt != nil && p.over == nil:
		p.prompt.line.SetSize(w, 1)
		p.prompt.line.SetNote(p.promptNote(p.prompt))
		lines := []string{p.prompt.line.View()}
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
	for _, k := range keys {
		if !k.Enabled() {
			continue
		}
		label, desc := p.keyLabel(k), k.Help().Desc
		items = append(items, p.styles.Footer.Key.Render(label)+" "+p.styles.Footer.Desc.Render(desc))
		widths = append(widths, cells.Width(label)+1+cells.Width(desc))
	}
	return items, widths
}

func (p *Pane) keyLabel(k key.Binding) string {
	if p.ascii() && len(k.Keys()) > 0 {
		return keymap.ASCIILabel(k.Keys()[0])
	}
	return k.Help().Key
}

// footerKeys are the keys that matter where the focus is; what cannot be done
// now is disabled.
func (p *Pane) footerKeys() []key.Binding {
	if p.over != nil {
		return p.over.keys()
	}
	k := p.opts.keys
	if p.cat != nil {
		if p.cat.ended {
			return []key.Binding{k.Ended.LeaveEnded}
		}
		return []key.Binding{k.Terminal.Leave}
	}
	if p.prompt != nil {
		keys := p.prompt.line.ShortHelp()
		if p.prompt.kind == promptSearch {
			keys = append(keys, k.Input.ToggleRegex)
		}
		return keys
	}
	on := func(b key.Binding, id string) key.Binding {
		b.SetEnabled(b.Enabled() && p.refusal(id) == "")
		return b
	}
	help := []key.Binding{on(k.Panes.Palette, "panes.palette"), on(k.Panes.Help, "panes.help")}
	switch p.focus {
	case areaLog:
		search := on(k.Log.Search, "log.search")
		next := k.Log.NextMatch
		next.SetEnabled(next.Enabled() && p.searching())
		if p.screenShown() {
			toLog := k.Log.Follow
			toLog.SetHelp(toLog.Help().Key, "log")
			return append([]key.Binding{
				k.Panes.Back, on(k.Log.Attach, "log.attach"), toLog, k.Log.Copy, on(k.Panes.SendLine, "panes.send-line"),
				on(k.Panes.Stop, "panes.stop"), k.Panes.Zoom,
			}, help...)
		}
		return append([]key.Binding{
			k.Panes.Back, k.Log.Follow, search, next, on(k.Log.Attach, "log.attach"), k.Log.Copy, k.Log.Wrap,
			on(k.Panes.Stop, "panes.stop"), k.Panes.Zoom,
		}, help...)
	case areaDetail:
		return append([]key.Binding{
			k.Panes.Back, on(k.Jobs.Open, "jobs.open"), on(k.Jobs.Attach, "jobs.attach"), on(k.Panes.Stop, "panes.stop"),
			on(k.Jobs.Restart, "jobs.restart"), on(k.Jobs.CopyCommand, "jobs.copy-command"), on(k.Panes.CopyPath, "panes.copy-path"),
		}, help...)
	case areaList, areaNone:
	}
	return append([]key.Binding{
		on(k.Jobs.Open, "jobs.open"), on(k.Jobs.Attach, "jobs.attach"), k.Jobs.New, on(k.Jobs.Undo, "jobs.undo"), on(k.Panes.Stop, "panes.stop"),
		on(k.Jobs.Tail, "jobs.tail"), on(k.Jobs.Clear, "jobs.clear"), on(k.Jobs.Restart, "jobs.restart"), on(k.Jobs.CopyCommand, "jobs.copy-command"),
		k.Jobs.Filter,
	}, help...)
}

// moreKeys are those for which a second line has room.
func (p *Pane) moreKeys() []key.Binding {
	if p.over != nil || p.screenShown() && p.focus == areaLog {
		return nil
	}
	k := p.opts.keys
	on := func(b key.Binding, id string) key.Binding {
		b.SetEnabled(b.Enabled() && p.refusal(id) == "")
		return b
	}
	last := []key.Binding{on(k.Panes.ToggleMouse, "panes.toggle-mouse"), k.Panes.Quit}
	if p.focus == areaLog {
		return append([]key.Binding{
			k.Log.Timestamps, k.Log.LineNumbers, k.Log.MatchingOnly, on(k.Log.Jump, "log.jump"), k.Log.Select,
			on(k.Panes.Pager, "panes.pager"), on(k.Panes.Editor, "panes.editor"), on(k.Panes.CopyPath, "panes.copy-path"),
		}, last...)
	}
	return append([]key.Binding{
		on(k.Jobs.Mark, "jobs.mark"), k.Jobs.Sort, on(k.Panes.SendLine, "panes.send-line"), on(k.Panes.Signal, "panes.signal"),
		on(k.Jobs.EditRestart, "jobs.edit-restart"), on(k.Jobs.Remove, "jobs.remove"), on(k.Jobs.ClearFinished, "jobs.clear-finished"), k.Panes.Zoom,
	}, last...)
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

// narrowHint is the width from which on there is room for why a key is to be
// pressed twice.
const narrowHint = 60

// leaveHint says what the leave key does, and how often it is to be pressed
// where a program around hob takes the first press.
func (p *Pane) leaveHint() string {
	k := p.opts.keys.Terminal.Leave
	if !k.Enabled() {
		return "no key leaves an attached job"
	}
	label := p.keyLabel(k)
	if len(k.Keys()) > 0 && k.Keys()[0] == p.opts.prefix {
		if p.w < narrowHint {
			return label + " " + label + " background"
		}
		return label + " " + label + " background (tmux takes one)"
	}
	return label + " background"
}

// firstWords tell somebody without jobs of the one key that is not on any
// other screen.
func (p *Pane) firstWords() []string {
	k := p.opts.keys.Terminal.Leave
	if !k.Enabled() || len(k.Keys()) == 0 {
		return nil
	}
	label := p.keyLabel(k)
	words := []string{label + " sends a job that has the keyboard to the background; it goes on there."}
	if k.Keys()[0] == p.opts.prefix {
		words = append(words, "tmux takes the first "+label+": press it twice.")
	}
	return words
}

// shortestName is how much of a name the line under an attached job has at least,
// before it says more of the job.
const shortestName = 8

// footerAttached is the one line under a job that owns the keyboard: who it is,
// how it stands, what the leave key does.
func (p *Pane) footerAttached(w int) string {
	a := p.cat
	j, known := p.jobs[a.id]
	if !known {
		j = &job{Job: engine.Job{ID: a.id, Name: string(a.id), Status: engine.Starting}}
	}
	s := p.styles
	right := p.leaveHint()
	switch {
	case a.ended || a.failed != "":
		right = p.opts.keys.Ended.LeaveEnded.Help().Key + " to leave"
	default:
		if who, us := p.term.Controller(); who != "" && !us && a.session != nil {
			right = cells.Clean(who) + " has the keyboard, typing takes it  " + right
		}
		if p.term.ScrolledBack() > 0 {
			right = strconv.Itoa(p.term.ScrolledBack()) + " rows back  " + right
		}
	}
	badge := p.badge.View(j.Job)
	if a.ended && !j.Status.Finished() {
		badge = s.Terminal.Ended.Render("ended") // the record follows the screen
	}
	name := cells.Clean(j.Name)
	if name == "" {
		name = string(j.ID)
	}
	word := ""
	switch {
	case a.ended:
	case a.session == nil && !a.viaLog:
		word = "attaching" + p.opts.glyphs.Ellipsis
	case j.Backgrounded:
		word = "attached"
	}
	up := ""
	if !j.StartedAt.IsZero() {
		up = units.FormatDuration(j.Uptime(p.now))
		if p.opts.calm && !j.Status.Finished() {
			up = ""
		}
	}
	if a.failed != "" {
		right = a.failed + "  " + right
	}
	right = cells.End(right, w-2, p.opts.glyphs.Ellipsis)
	room := w - cells.Width(right) - 1
	if room < cells.Width(p.badge.Glyph(j.Job))+2 {
		return cells.Fit(" "+s.Footer.Key.Render(right), w)
	}
	// What does not fit behind a name that can be told from others is left out:
	// first what is known anyway.
	if cells.Width(badge) > room-4 {
		badge = p.badge.Style(j.Job).Render(p.badge.Glyph(j.Job))
	}
	left, behind := " "+badge+"  ", ""
	for _, text := range []string{up, word} {
		if text != "" && cells.Width(left)+shortestName+cells.Width(behind)+2+cells.Width(text) <= room-2 {
			behind += "  " + text
		}
	}
	name = cells.Middle(name, max(0, room-2-cells.Width(left)-cells.Width(behind)), p.opts.glyphs.Ellipsis)
	left += s.Footer.State.Render(name) + s.Footer.Desc.Render(behind)
	return cells.Fit(left, room) + s.Footer.Key.Render(right) + " "
}

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
	hosts, warn := p.hostLine()
	style := s.Header.Link
	if warn {
		style = s.Header.Warning
	}
	if gap := w - cells.Width(left) - cells.Width(hosts) - 1; hosts != "" && gap >= 2 {
		return cells.Fit(left+cells.Blank(gap)+style.Render(hosts), w)
	}
	return cells.Fit(left, w)
}

// hostLine says how the links to hosts stand: "web1 ok · gpu2 unreachable 3m".
func (p *Pane) hostLine() (text string, warn bool) {
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
			links[j.Host] = "unreachable"
			warn = true
			if !j.StaleSince.IsZero() {
				links[j.Host] = "unreachable " + ago(p.now.Sub(j.StaleSince))
			}
		}
	}
	parts := make([]string, 0, len(names))
	for _, name := range slices.Sorted(slices.Values(names)) {
		parts = append(parts, cells.Clean(name)+" "+links[name])
	}
	return strings.Join(parts, " "+p.opts.glyphs.Dot+" "), warn
}

// ago is a duration of which the seconds do not matter: "3m".
func ago(d time.Duration) string {
	if d < time.Minute {
		return units.FormatDuration(d)
	}
	return strings.TrimSuffix(units.FormatDuration(d.Truncate(time.Minute)), "00s")
}
