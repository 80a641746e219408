package keymap

import (
	"slices"
	"strings"
	"testing"
)

// TestHelpPageNamesActions checks the pages against the key map: every action exists and has a key, and
// no key stands for two rows of a page.
func TestHelpPageNamesActions(t *testing.T) {
	m := Default()
	for name, page := range map[string][]HelpSection{"wide": HelpPage("list"), "brief": BriefHelpPage("list")} {
		t.Run(name, func(t *testing.T) {
			seen := map[string]bool{}
			for _, s := range page {
				for _, r := range s.Rows {
					for _, id := range r.IDs() {
						if len(m.keysOf(id)) == 0 {
							t.Errorf("%s: no action with a key is called %q", s.Name, id)
						}
						if seen[id] {
							t.Errorf("%s is there twice", id)
						}
						seen[id] = true
					}
				}
			}
		})
	}
}

// A new user needs these without searching.
func TestPagesHaveTheFirstKeys(t *testing.T) {
	first := []string{"jobs.open", "jobs.attach", "panes.send-line", "panes.stop", "panes.kill", "jobs.restart", "jobs.clear", "jobs.undo", "jobs.filter", "log.follow", "jobs.new", "panes.quit", "panes.palette"}
	for name, page := range map[string][]HelpSection{"wide": HelpPage("log"), "brief": BriefHelpPage("log")} {
		var ids []string
		for _, s := range page {
			for _, r := range s.Rows {
				ids = append(ids, r.IDs()...)
			}
		}
		for _, id := range first {
			if !slices.Contains(ids, id) {
				t.Errorf("%s: %s is missing", name, id)
			}
		}
	}
}

func TestHelpPageBeginsWithThePlace(t *testing.T) {
	for place, want := range map[string]string{"job": "job find look log hob", "log": "log job find look hob", "": "job find look log hob"} {
		var names []string
		for _, s := range HelpPage(place) {
			names = append(names, s.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q: %s, want %s", place, got, want)
		}
	}
}

func TestHelpRow(t *testing.T) {
	row := HelpRow{"log.wrap  log.timestamps  log.line-numbers", "wrap|, time|, line numbers"}
	for name, tt := range map[string]struct {
		row         HelpRow
		changed     Overrides
		keys, words string
	}{
		"defaults":          {row, nil, "w  T  #", "wrap, time, line numbers"},
		"another key":       {row, Overrides{"wrap": {"W"}}, "W  T  #", "wrap, time, line numbers"},
		"without a key":     {row, Overrides{"wrap": {}}, "T  #", "time, line numbers"},
		"none has a key":    {row, Overrides{"wrap": {}, "timestamps": {}, "line-numbers": {}}, "", ""},
		"keys side by side": {HelpRow{"panes.show-list+panes.show-detail", "panes"}, nil, "12", "panes"},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := Default().Apply(tt.changed)
			if err != nil {
				t.Fatal(err)
			}
			if keys, words := tt.row.Text(m, Label); keys != tt.keys || words != tt.words {
				t.Errorf("%q %q, want %q %q", keys, words, tt.keys, tt.words)
			}
		})
	}
}
