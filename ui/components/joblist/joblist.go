// Package joblist is the list of jobs: one row each, those that need the user first, filtered
// while the user types. The selection stays on its job when rows move.
//
//	list := joblist.New(keys.List, styles, joblist.Options{})
//	list.SetSize(46, 20)
//	list.Put(joblist.Row{Job: job})
//	text := list.View() // 46 by 20 cells
//
// Rows are added and removed one at a time, so that the cost of a change does not depend on the
// length of the list. Only visible rows are drawn. The list moves its selection; package ui decides
// about actions on jobs. A list belongs to one goroutine.
package joblist

import (
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/listbox"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// Row is one job with the facts that only the UI has.
type Row struct {
	Job engine.Job
	// Unread counts the events since the user last looked at the job.
	Unread int
}

// Model is the list.
type Model struct {
	keys   keymap.List
	styles *themes.Styles
	glyphs *themes.Glyphs

	w, h    int
	focused bool
	now     time.Time
	coarse  bool

	rows   map[engine.ID]*row
	order  []*row // all rows, sorted
	passed []*row // those that pass the filter
	shown  []*row // what is listed of those, with the row of the folded ones
	sort   sorting
	filter filter
	// seeking means that the filter has changed since the rows were sorted.
	seeking bool

	reversed bool // the order, by a second click on its heading

	selected engine.ID
	box      listbox.List // the rows in the window, below the header
	hosts    int          // jobs on another machine
	start    string       // the key that starts a job
	command  string       // a shell command that starts a job
	hints    []string
	paints   paints

	fold   *row               // stands for old jobs; nil: nothing is folded
	groups bool               // groups have rows
	open   map[engine.ID]bool // rows that the user has unfolded or folded
	spaced bool               // blank lines separate the sections

	project *Project // nil: all jobs

	longest int // width of the longest name of shown

	stale bool // order and shown do not reflect rows
}

type row struct {
	Row
	marked bool
	began  time.Time // of the first run
	// need is what the job needed when the list was sorted. That a failure was seen moves no
	// row: its place changes when the list is sorted for another reason.
	need    statusbadge.Need
	matched []int  // places in the name that the filter matched, in bytes
	found   string // the word that the filter found in the command only, in lower case
	grade   int    // how well the filter matches

	behind []*row    // rows that are shown only while this one is unfolded: see fold.go
	open   bool      // it was unfolded when the list was sorted, so those rows are shown
	in     engine.ID // the row that it is behind
	depth  int       // how many rows it is behind, for the indentation
	group  string    // name of the group that the row stands for
	alike  bool      // the rows behind it ended as it did, and before it
}

// Options are how a list is shown.
type Options struct {
	Minutes bool // show times in minutes, so that nothing moves each second
	Fold    bool // fold old jobs and earlier runs
	Groups  bool // and, with Fold, the jobs of groups
}

// New returns an empty list of no size.
func New(keys keymap.List, styles *themes.Styles, o Options) *Model {
	m := &Model{
		keys:   keys,
		styles: styles,
		glyphs: &styles.Glyphs,
		coarse: o.Minutes,
		groups: o.Groups,
		rows:   map[engine.ID]*row{},
		open:   map[engine.ID]bool{},
	}
	if o.Fold {
		m.fold = standing(foldID)
		m.fold.need = statusbadge.Ended
	}
	m.Restyled()
	return m
}

// SetSize sets the number of columns and rows to fill.
func (m *Model) SetSize(w, h int) {
	w, h = max(0, w), max(0, h)
	if w == m.w && h == m.h {
		return
	}
	m.w, m.h = w, h
	m.fit()
}

// SetHints sets the key and the shell command that start a job (empty: none), and the lines that
// an empty list shows below its message.
func (m *Model) SetHints(start, command string, lines ...string) {
	m.start, m.command, m.hints = start, command, lines
}

// SetNow sets the time that uptimes are counted to.
func (m *Model) SetNow(now time.Time) { m.now = now }

// SetFocus shows whether the list has the keyboard.
func (m *Model) SetFocus(on bool) { m.focused = on }

// Put adds a row or replaces the one of the same job.
func (m *Model) Put(r Row) {
	old, ok := m.rows[r.Job.ID]
	if !ok {
		m.rows[r.Job.ID] = &row{Row: r}
		m.hosts += remote(r.Job)
		m.stale = true
		return
	}
	if m.rankOf(old.Job) != m.rankOf(r.Job) {
		m.stale = true
	}
	m.hosts += remote(r.Job) - remote(old.Job)
	old.Row = r
	m.longest = max(m.longest, m.named(old).width()) // it may have got a mark
}

// Drop removes the row of a job.
func (m *Model) Drop(id engine.ID) {
	r, ok := m.rows[id]
	if !ok {
		return
	}
	m.hosts -= remote(r.Job)
	delete(m.rows, id)
	delete(m.open, id)
	m.stale = true
}

func remote(j engine.Job) int {
	if j.Host != "" {
		return 1
	}
	return 0
}

// View draws the list in exactly its size.
func (m *Model) View() string {
	m.settle()
	var lines []string
	if len(m.shown) == 0 {
		lines = m.empty()
	} else {
		if m.HeaderRows() > 0 {
			lines = append(lines, m.header())
		}
		c := m.columns()
		for _, i := range m.lines() {
			line := ""
			if i >= 0 {
				line = m.row(m.shown[i], c, i == m.box.At)
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(cells.Block(lines, m.w, m.h), "\n")
}

// In the usual order, and where all rows have room with that, a blank line separates what needs
// input or is started again and again, what runs, the failures to be looked at and what has ended, and
// unfolded groups.

// begins reports whether row i is the first of such a section below another one.
func (m *Model) begins(i int) bool {
	if m.shown[i].depth > 0 { // it is in the section of the row that it is behind
		return false
	}
	for before := i - 1; before >= 0; before-- {
		if m.shown[before].depth == 0 {
			a, b := m.shown[before], m.shown[i]
			return a.section() != b.section() || a.isOpenGroup() || b.isOpenGroup()
		}
	}
	return false
}

func (r *row) isOpenGroup() bool { return r.group != "" && r.open }

// section is the part of the list in which a row is.
func (r *row) section() statusbadge.Need {
	switch r.need {
	case statusbadge.Restarts, statusbadge.FailsChecks:
		return statusbadge.NeedsInput
	case statusbadge.Waits:
		return statusbadge.Runs
	case statusbadge.NeedsInput, statusbadge.Runs, statusbadge.NeedsLook, statusbadge.Ended:
	}
	return r.need
}

func (m *Model) space() {
	m.spaced = false
	if m.HeaderRows() == 0 || !m.inDefaultOrder() {
		return
	}
	lines := len(m.shown)
	for i := range m.shown {
		if m.begins(i) {
			lines++
		}
	}
	m.spaced = lines <= m.box.Rows
}

// lines returns which row is in each line below the header; -1 is a blank line.
func (m *Model) lines() []int {
	first, end := m.box.Window()
	lines := make([]int, 0, max(0, m.box.Rows))
	for i := first; i < end; i++ {
		if m.spaced && m.begins(i) {
			lines = append(lines, -1)
		}
		lines = append(lines, i)
	}
	return lines
}

func (m *Model) empty() []string {
	text, code := m.styles.Muted.Render, m.styles.Key.Render
	room := max(1, m.w-4)
	var lines []string
	add := func(words string) {
		for _, line := range cells.Wrap(words, room) {
			lines = append(lines, text(line))
		}
	}
	if len(m.order) > 0 {
		add("No jobs match " + strconv.Quote(m.filter.text) + ". Esc to clear.")
		roomForHint := m.h >= len(lines)+3
		if len(m.filter.fields) == 0 && roomForHint { // "failed" looks like a filter, too
			lines = append(lines, "")
			add("Also: status:failed  host:web1  by:claude  group:shop")
		}
		return m.place(lines)
	}
	command := code(m.command)
	starts := text("Press ") + code(m.start) + text(" to start one")
	long := text("No jobs yet. ") + starts + text(", or run: ") + command
	switch {
	case m.command == "" && m.start == "":
		lines = append(lines, text("No jobs yet."))
	case m.command == "":
		lines = append(lines, text("No jobs yet. ")+starts+text("."))
	case m.start == "":
		lines = append(lines, text("No jobs yet."), command)
	case cells.Width(long) <= room:
		lines = append(lines, long)
	case m.h < 5:
		lines = append(lines, text("No jobs yet."), starts+text("."))
	default:
		lines = append(lines, text("No jobs yet."), "", starts+text(", or run:"), command)
	}
	short := lines
	if len(m.hints) > 0 {
		lines = append(lines, "")
	}
	for _, hint := range m.hints {
		add(hint)
	}
	if len(lines) > m.h { // rather the short form than half a sentence
		lines = short
	}
	return m.place(lines)
}

// The minimum size for centered text; in a smaller list it is in the upper left corner.
const spaciousWidth, spaciousHeight = 60, 12

// place centers lines if there is room.
func (m *Model) place(lines []string) []string {
	left, top := min(2, max(0, m.w-12)), 1
	if m.w >= spaciousWidth && m.h >= spaciousHeight {
		widest := 0
		for _, line := range lines {
			widest = max(widest, cells.Width(line))
		}
		left, top = (m.w-widest)/2, (m.h-len(lines))/3
	}
	if len(lines)+top > m.h {
		top = 0
	}
	placed := make([]string, top, top+len(lines))
	for _, line := range lines {
		placed = append(placed, cells.Blank(left)+line)
	}
	return placed
}
