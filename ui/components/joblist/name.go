package joblist

import (
	"strconv"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
)

// A name in less room keeps its beginning, else both its ends.
const shortName = 16

// name is the job's name, its news and its marks in exactly w columns.
func (m *Model) name(r *row, w int, pick func(cells.Paint) cells.Paint) []cell {
	style := pick(m.paints.name)
	news := ""
	if r.Unread > 0 {
		style = m.paints.unread
		news = " " + m.glyphs.Unread
		if r.Unread > 1 {
			news += strconv.Itoa(min(r.Unread, 99))
		}
	}
	marks := ""
	if len(r.Job.Exit.Survivors) > 0 && r.Job.Status.Finished() {
		marks += " " + m.glyphs.Survivors
	}
	if r.Job.Link == engine.LinkUnreachable {
		marks += " " + m.glyphs.Unreachable
	}
	name := cells.Clean(r.Job.Name)
	if name == "" {
		name = string(r.Job.ID)
	}
	room := w - cells.Width(news) - cells.Width(marks)
	cut := cells.Name(name, room, m.glyphs.Ellipsis)
	if room < shortName && cells.Width(name) > room {
		cut = cells.End(name, room, m.glyphs.Ellipsis)
	}
	var row []cell
	if cut == r.Job.Name && len(r.matched) > 0 {
		row = m.matched(name, r.matched, style)
	} else {
		row = []cell{{text: cut, paint: style}}
	}
	ports := listening(r.Job, room-cells.Width(cut))
	row = append(row, cell{text: news, paint: m.paints.marked}, cell{text: marks, paint: m.paints.warning}, cell{text: ports, paint: m.paints.host})
	return append(row, cell{text: cells.Blank(room - cells.Width(cut) - cells.Width(ports)), paint: m.paints.name})
}

// listening is the ports at which a job can be reached, as many as fit.
func listening(j engine.Job, room int) string {
	if j.Status.Finished() {
		return ""
	}
	text := ""
	for _, port := range j.Ports {
		next := " :" + strconv.Itoa(port)
		if len(text)+len(next) > room {
			break
		}
		text += next
	}
	return text
}

// matched splits a name where the filter matched.
func (m *Model) matched(name string, places []int, style cells.Paint) []cell {
	hit := make(map[int]bool, len(places))
	for _, p := range places {
		hit[p] = true
	}
	var row []cell
	for i, r := range name {
		c := cell{text: string(r), paint: style}
		if hit[i] {
			c.paint, c.found = m.paints.match, true
		}
		row = append(row, c)
	}
	return row
}
