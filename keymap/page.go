package keymap

import (
	"slices"
	"strings"
	"unicode"
)

// HelpSection is a part of the first page of help.
type HelpSection struct {
	Name  string // "job", "find", "look", "log", "hob"
	Title string // empty on the brief page, except for "job"
	Rows  []HelpRow
}

// HelpRow is one line of the page: actions whose keys belong together. An action without a key is left out.
type HelpRow struct {
	ids   string // qualified names, with the blanks that separate their keys; "+": none
	words string // what each of them does, separated by "|"
}

// IDs returns the qualified names of the row's actions.
func (r HelpRow) IDs() []string {
	return strings.FieldsFunc(r.ids, func(c rune) bool { return c == '+' || unicode.IsSpace(c) })
}

// Text returns the first key of each of the row's actions and what they do. label returns the label of
// a key. Both are empty if no action of the row has a key.
func (r HelpRow) Text(m Map, label func(key string) string) (keys, words string) {
	rest, does := r.ids, strings.Split(r.words, "|")
	for i, id := range r.IDs() {
		gap, after, _ := strings.Cut(rest, id)
		rest = after
		bound := m.keysOf(id)
		if len(bound) == 0 {
			continue
		}
		keys += strings.Trim(gap, "+") + label(bound[0])
		if i < len(does) {
			words += does[i]
		}
	}
	return strings.TrimLeft(keys, " "), strings.TrimLeft(words, " ,")
}

// keysOf returns the keys of an action, none if it is disabled.
func (m *Map) keysOf(id string) []string {
	for _, f := range m.fields() {
		if f.section+"."+f.name == id && f.binding.Enabled() {
			return f.binding.Keys()
		}
	}
	return nil
}

// HelpPage returns the first page of help: everything that a new user needs, the most important first.
// Searching finds the rest. The section named place, that of the current pane, comes first. The page
// does not include the keys that leave an attached job, because they depend on the programs in which hob runs.
func HelpPage(place string) []HelpSection { return placeFirst(helpPage(), place) }

// BriefHelpPage is HelpPage in fewer and shorter rows, for two columns in a window of 80.
func BriefHelpPage(place string) []HelpSection { return placeFirst(briefHelpPage(), place) }

func placeFirst(page []HelpSection, place string) []HelpSection {
	if i := slices.IndexFunc(page, func(s HelpSection) bool { return s.Name == place }); i >= 0 {
		own := page[i]
		page = slices.Insert(slices.Delete(page, i, i+1), 0, own)
	}
	return page
}

func helpPage() []HelpSection {
	return []HelpSection{
		{"job", "The selected job", []HelpRow{
			{"jobs.open", "log; in the log: its terminal"},
			{"jobs.attach", "attach (type into it)"},
			{"panes.send-line", "send one line"},
			{"panes.stop   panes.kill", "stop|   kill now"},
			{"jobs.restart   jobs.run-another", "restart|   run a second one"},
			{"jobs.edit-restart", "edit the command, then restart"},
			{"jobs.clear   jobs.undo", "clear|   undo"},
			{"jobs.replay", "replay"},
			{"jobs.copy-command   panes.copy-path", "copy the command|   path of the log"},
			{"jobs.start-now  jobs.run-next  jobs.pause-queue", "queued: start now|, next|, pause"},
		}},
		{"find", "Find", []HelpRow{
			{"jobs.filter", "filter the list; search the log"},
			{"log.next-match   log.previous-match", "next|, previous match"},
			{"log.matching-only", "only lines that match"},
			{"panes.palette", "any action by its name"},
		}},
		{"look", "Look around", []HelpRow{
			{"list.down list.up  list.top list.bottom", "down| up|  first| last"},
			{"panes.next-pane  panes.show-list panes.show-detail panes.show-log", "|list|, detail|, log"},
			{"panes.previous-job panes.next-job", "previous|, next job in the log"},
			{"panes.zoom", "zoom"},
			{"list.fold list.unfold", "fold|, unfold"},
			{"jobs.sort jobs.reverse-sort", "sort by next column|, reverse"},
			{"jobs.mark", "mark"},
		}},
		{"log", "Log", []HelpRow{
			{"log.follow", "follow on/off"},
			{"log.wrap  log.timestamps  log.line-numbers", "wrap|, time|, line numbers"},
			{"log.select  log.copy", "select|, copy"},
			{"panes.pager  panes.editor", "pager|, editor"},
		}},
		{"hob", "hob", []HelpRow{
			{"jobs.new", "new job"},
			{"panes.toggle-mouse", "release the mouse"},
			{"panes.suspend", "suspend"},
			{"panes.quit", "back, then quit; jobs keep running"},
		}},
	}
}

func briefHelpPage() []HelpSection {
	return []HelpSection{
		{"job", "The selected job", []HelpRow{
			{"jobs.open", "log, then its terminal"},
			{"jobs.attach  panes.send-line", "attach|, send one line"},
			{"panes.stop  panes.kill", "stop|, kill now"},
			{"jobs.restart  jobs.run-another  jobs.edit-restart", "restart|, second one|, edit"},
			{"jobs.clear  jobs.undo", "clear|, undo"},
			{"jobs.replay", "replay"},
			{"jobs.copy-command  panes.copy-path", "copy command|, path"},
			{"jobs.start-now jobs.run-next jobs.pause-queue", "queued: now|, next|, pause"},
		}},
		{"hob", "", []HelpRow{
			{"jobs.new", "new job"},
			{"panes.quit", "back, quit; jobs keep running"},
		}},
		{"look", "", []HelpRow{
			{"list.down list.up list.top list.bottom", "move"},
			{"panes.next-pane panes.show-list+panes.show-detail+panes.show-log", "panes"},
			{"panes.previous-job panes.next-job", "other job"},
			{"panes.zoom list.fold list.unfold", "zoom|, fold|, unfold"},
			{"jobs.sort jobs.reverse-sort jobs.mark", "sort|, reverse|, mark"},
		}},
		{"log", "", []HelpRow{
			{"jobs.filter log.next-match log.previous-match", "filter, search|, next"},
			{"log.matching-only", "only matching lines"},
			{"log.follow log.wrap log.timestamps log.line-numbers", "follow| wrap| time| lines"},
			{"log.select  log.copy", "select|, copy"},
			{"panes.pager  panes.editor", "pager|, editor"},
		}},
		{"more", "", []HelpRow{
			{"panes.toggle-mouse", "release the mouse"},
			{"panes.palette", "any action by name"},
		}},
	}
}
