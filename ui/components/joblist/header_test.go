package joblist_test

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/joblist"
)

// clickOn clicks on a word of the header row.
func clickOn(t *testing.T, list *joblist.Model, word string) {
	t.Helper()
	head, _, _ := strings.Cut(ansi.Strip(list.View()), "\n")
	at := strings.Index(head, word)
	if at < 0 {
		t.Fatalf("%q is not in the header %q", word, head)
	}
	if list.Click(ansi.StringWidth(head[:at]), 0) {
		t.Errorf("a click on %q selected a job", word)
	}
}

func TestClickOnAHeadingSorts(t *testing.T) {
	list := newList(80, 20, themes.Unicode())
	put := func(name string, cpu float64, rss int64, ran, ago time.Duration) {
		j := engine.Job{Request: engine.Request{ID: engine.ID(name), Name: name, CreatedAt: now.Add(-ran - ago)}, CPU: &cpu, RSS: rss}
		j.Status, j.StartedAt = engine.Running, now.Add(-ran)
		if ago > 0 {
			j.Status, j.StartedAt = engine.Exited, now.Add(-ran-ago)
			j.Exit = engine.Exit{Status: engine.Exited, Code: new(int), At: now.Add(-ago)}
		}
		list.Put(joblist.Row{Job: j})
	}
	put("alpha", 5, 30<<20, time.Hour, 0)
	put("beta", 80, 20<<20, time.Minute, 0)
	put("gamma", 0, 0, 2*time.Hour, time.Minute)
	put("delta", 0, 0, time.Second, 3*time.Minute)
	for _, step := range []struct{ click, shows, order string }{
		{"Name", "Name▴", "alpha beta delta gamma"},
		{"Name", "Name▾", "gamma delta beta alpha"},
		{"What", "Name▾", "gamma delta beta alpha"},
		{"Age", "▴Age", "beta gamma delta alpha"},
		{"Age", "▾Age", "alpha delta beta gamma"},
		{"Status", "Status ", "beta alpha gamma delta"},
		{"Status", "Status▾", "delta gamma beta alpha"},
	} {
		clickOn(t, list, step.click)
		if view := ansi.Strip(list.View()); !strings.Contains(view, step.shows) {
			t.Errorf("a click on %s does not show %q:\n%s", step.click, step.shows, view)
		}
		if got := strings.Join(shownIDs(list), " "); got != step.order {
			t.Errorf("%s: %s, want %s", step.shows, got, step.order)
		}
		if note := list.SortNote(); note != "" {
			t.Errorf("%s: noted as %q, too", step.shows, note)
		}
	}
}

func TestHeaderNeedsRoom(t *testing.T) {
	for _, tt := range []struct{ w, h, rows int }{{80, 16, 1}, {80, 15, 0}, {26, 16, 1}, {25, 30, 0}} {
		list := newList(tt.w, tt.h, themes.Unicode())
		if n := list.HeaderRows(); n != 0 {
			t.Errorf("%dx%d: %d rows above an empty list", tt.w, tt.h, n)
		}
		for _, r := range sample() {
			list.Put(r)
		}
		list.View()
		if n := list.HeaderRows(); n != tt.rows {
			t.Errorf("%dx%d: %d rows, want %d", tt.w, tt.h, n, tt.rows)
		}
		if !list.Click(3, tt.rows) {
			t.Errorf("%dx%d: a click on the first job selects nothing", tt.w, tt.h)
		}
		if c := list.Cursor(); c == nil || c.Y != tt.rows {
			t.Errorf("%dx%d: the cursor is at %v", tt.w, tt.h, c)
		}
	}
}

// Where there is no header row the order is named, unless it is the usual one.
func TestOrderIsNamedWithoutAHeader(t *testing.T) {
	list := newList(80, 5, themes.Unicode())
	for _, r := range sample() {
		list.Put(r)
	}
	if note := list.SortNote(); note != "" {
		t.Errorf("the usual order is noted: %q", note)
	}
	for list.Order() != "by name" {
		list.NextSort()
	}
	if note := list.SortNote(); note != "by name" {
		t.Errorf("noted as %q", note)
	}
}

func TestOrderIsReversed(t *testing.T) {
	list := newList(80, 5, themes.Unicode())
	for _, r := range sample() {
		list.Put(r)
	}
	list.NextSort()
	list.NextSort()
	newest := shownIDs(list)
	for _, want := range []string{"by age, reversed", "by age", "by age, reversed"} {
		list.ReverseSort()
		if note := list.SortNote(); note != want {
			t.Errorf("noted as %q, want %q", note, want)
		}
	}
	if oldest := shownIDs(list); oldest[0] == newest[0] {
		t.Errorf("%s is first in both orders", oldest[0])
	}
	list.NextSort()
	if note := list.SortNote(); note != "by host" {
		t.Errorf("the next order is noted as %q", note)
	}
	list.ReverseSort()
	if note := list.SortNote(); note != "by host, reversed" {
		t.Errorf("noted as %q", note)
	}
}
