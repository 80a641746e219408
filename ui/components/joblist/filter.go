package joblist

import (
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// filter is a filter as it was typed: words that must all be found in name, host, command, group or
// agent; "status:failed" and "host:web1" look at one field. Only if no job has all words are they found
// fuzzily, in names.
type filter struct {
	text   string
	words  []string
	fields []field
}

type field struct{ name, value string }

var fieldNames = []string{"status", "host", "id", "by", "group"}

// SetFilter filters the list and selects the best match; the empty string shows all.
func (m *Model) SetFilter(text string) {
	if text == m.filter.text {
		return
	}
	m.filter, m.seeking = parseFilter(text), true
	m.stale = true
}

// Filter returns the filter as it was typed.
func (m *Model) Filter() string { return m.filter.text }

func parseFilter(text string) filter {
	f := filter{text: text}
	for _, word := range strings.Fields(text) {
		name, value, isField := strings.Cut(word, ":")
		if isField && slices.Contains(fieldNames, name) {
			f.fields = append(f.fields, field{name, strings.ToLower(value)})
		} else {
			f.words = append(f.words, word)
		}
	}
	return f
}

func (f filter) apply(rows []*row) []*row {
	shown := f.by(rows, (*row).contains)
	if len(shown) == 0 && len(f.words) > 0 {
		shown = f.by(rows, (*row).resembles)
	}
	return shown
}

// by returns the rows that match the fields and, by the given rule, every word.
func (f filter) by(rows []*row, has func(r *row, word string) bool) []*row {
	shown := make([]*row, 0, len(rows))
	for _, r := range rows {
		r.matched, r.found, r.grade = nil, "", 0
		missesField := func(x field) bool { return !x.matches(r.Job) }
		missesWord := func(word string) bool { return !has(r, word) }
		if !slices.ContainsFunc(f.fields, missesField) && !slices.ContainsFunc(f.words, missesWord) {
			shown = append(shown, r)
		}
	}
	return shown
}

// contains reports whether a text of the job contains a word, and notes where.
func (r *row) contains(word string) bool {
	lower := strings.ToLower(word)
	j := &r.Job
	if at := strings.Index(strings.ToLower(j.Name), lower); at >= 0 {
		for i := range len(lower) {
			r.matched = append(r.matched, at+i)
		}
		r.grade += gradeOf(word, *j)
		return true
	}
	for _, text := range []string{j.Host, j.Labels[groupLabel], agentOf(j)} {
		if strings.Contains(strings.ToLower(text), lower) {
			r.grade++
			return true
		}
	}
	if !strings.Contains(strings.ToLower(j.CommandLine()), lower) {
		return false
	}
	r.found = lower
	r.grade++
	return true
}

// resembles reports whether the name of the job has the letters of a word close together.
func (r *row) resembles(word string) bool {
	places, ok := find(word, r.Job.Name)
	r.matched = append(r.matched, places...)
	return ok
}

// gradeOf is how well a job matches a word of the filter: best if that is its name.
func gradeOf(word string, j engine.Job) int {
	word, name := strings.ToLower(word), strings.ToLower(j.Name)
	before, _, inName := strings.Cut(name, word)
	switch {
	case name == word:
		return 5
	case inName && before == "":
		return 4
	case inName && strings.ContainsAny(before[len(before)-1:], " -_./:="):
		return 3
	case inName:
		return 2
	}
	return 0
}

// best returns the place of the best match among the rows shown: of the selected one if no other is
// better. It returns -1 if the filter has no words to match.
func (m *Model) best() int {
	if len(m.filter.words) == 0 {
		return -1
	}
	best := m.find(m.selected)
	for i, r := range m.shown {
		if best < 0 || r.grade > m.shown[best].grade {
			best = i
		}
	}
	return best
}

func (x field) matches(j engine.Job) bool {
	switch x.name {
	case "host":
		host := strings.ToLower(j.Host)
		switch x.value {
		case "local", "here":
			return host == ""
		}
		return strings.Contains(host, x.value)
	case "id":
		return strings.HasPrefix(string(j.ID), x.value)
	case "group":
		return strings.Contains(strings.ToLower(j.Labels[groupLabel]), x.value)
	case "by":
		return strings.Contains(strings.ToLower(j.CreatedBy), x.value)
	}
	for _, word := range statusWords(j) {
		if strings.HasPrefix(word, x.value) {
			return true
		}
	}
	return false
}

// statusWords are all words by which a person would look for the job's state.
func statusWords(j engine.Job) []string {
	words := []string{string(j.Status), strings.ToLower(statusbadge.Word(j))}
	switch statusbadge.StateOf(j) {
	case statusbadge.Waiting:
		words = append(words, "waiting", "running")
	case statusbadge.Restarting:
		words = append(words, "restarting", "running")
	case statusbadge.Stale:
		words = append(words, "unreachable", "running")
	case statusbadge.Queued, statusbadge.Paused, statusbadge.Starting, statusbadge.Stopping, statusbadge.Unhealthy:
		words = append(words, "running")
	case statusbadge.Failed, statusbadge.Lost:
		words = append(words, "failed", "finished")
	case statusbadge.Done:
		words = append(words, "done", "ok", "finished")
	case statusbadge.Stopped:
		words = append(words, "stopped", "finished")
	case statusbadge.Running:
	}
	return words
}

// find matches fuzzily, but not over distances at which everything matches.
func find(pattern, text string) ([]int, bool) {
	if text == "" {
		return nil, false
	}
	for _, match := range fuzzy.FindNoSort(pattern, []string{text}) {
		places := match.MatchedIndexes
		if len(places) == 0 {
			return nil, false
		}
		span := places[len(places)-1] - places[0] + 1
		if span <= 3*len(pattern)+4 {
			return places, true
		}
	}
	return nil, false
}
