package listbox_test

import (
	"testing"

	"github.com/hobjobs/hob/ui/components/listbox"
)

func TestWindow(t *testing.T) {
	for name, tt := range map[string]struct {
		list       listbox.List
		first, end int
	}{
		"empty":                              {listbox.List{}, 0, 0},
		"no rows":                            {listbox.List{Len: 5, At: 2}, 3, 3},
		"room for all":                       {listbox.List{Len: 3, Rows: 9, At: 2}, 0, 3},
		"the mark is seen at the bottom":     {listbox.List{Len: 9, Rows: 3, At: 4}, 2, 5},
		"the mark is seen at the top":        {listbox.List{Len: 9, Rows: 3, At: 4, Top: 7}, 4, 7},
		"the window stays where it can":      {listbox.List{Len: 9, Rows: 3, At: 4, Top: 3}, 3, 6},
		"no blank rows while entries remain": {listbox.List{Len: 9, Rows: 5, At: 8, Top: 7}, 4, 9},
	} {
		t.Run(name, func(t *testing.T) {
			if first, end := tt.list.Window(); first != tt.first || end != tt.end {
				t.Errorf("shows %d to %d, want %d to %d", first, end, tt.first, tt.end)
			}
		})
	}
}

func TestMoving(t *testing.T) {
	for name, tt := range map[string]struct {
		move    func(l *listbox.List)
		at, top int
	}{
		"down":                         {func(l *listbox.List) { l.Cycle(1) }, 1, 0},
		"down past the window":         {func(l *listbox.List) { l.Cycle(3) }, 3, 1},
		"up again, the window stays":   {func(l *listbox.List) { l.Cycle(3); l.Cycle(-1) }, 2, 1},
		"up around the end":            {func(l *listbox.List) { l.Cycle(-1) }, 9, 7},
		"down around the end":          {func(l *listbox.List) { l.Cycle(-1); l.Cycle(1) }, 0, 0},
		"a page":                       {func(l *listbox.List) { l.Step(l.Page()) }, 2, 0},
		"a step stops at the end":      {func(l *listbox.List) { l.Step(50) }, 9, 7},
		"a step stops at the start":    {func(l *listbox.List) { l.Step(-50) }, 0, 0},
		"the window takes the mark on": {func(l *listbox.List) { l.Pan(4) }, 4, 4},
		"the window brings it back":    {func(l *listbox.List) { l.Pan(50); l.Pan(-50) }, 2, 0},
		"the window stops at the end":  {func(l *listbox.List) { l.Pan(50) }, 7, 7},
		"a shorter list":               {func(l *listbox.List) { l.Step(50); l.Len = 4; l.Step(0) }, 3, 1},
		"a higher box":                 {func(l *listbox.List) { l.Step(50); l.Rows = 6; l.Step(0) }, 9, 4},
	} {
		t.Run(name, func(t *testing.T) {
			l := listbox.List{Len: 10, Rows: 3}
			tt.move(&l)
			if l.At != tt.at || l.Top != tt.top {
				t.Errorf("the mark is at %d below %d, want %d below %d", l.At, l.Top, tt.at, tt.top)
			}
		})
	}
	var empty listbox.List
	empty.Cycle(1)
	empty.Step(1)
	empty.Pan(1)
	if empty != (listbox.List{}) {
		t.Errorf("moving in an empty list gives %+v", empty)
	}
}

// A click selects the entry drawn in its row, and none outside the window.
func TestHitAndDrawAgree(t *testing.T) {
	l := listbox.List{Len: 6, Rows: 3, At: 4, Top: 2}
	var drawn []int
	lines := l.Draw(func(i int, marked bool) string {
		drawn = append(drawn, i)
		if marked != (i == 4) {
			t.Errorf("entry %d: marked is %v", i, marked)
		}
		return ""
	})
	if len(lines) != 3 {
		t.Fatalf("%d lines", len(lines))
	}
	for y, want := range drawn {
		if i, ok := l.Hit(y); i != want || !ok {
			t.Errorf("row %d hits %d, %v, want %d", y, i, ok, want)
		}
	}
	for _, y := range []int{-1, 3} {
		if i, ok := l.Hit(y); ok {
			t.Errorf("row %d hits %d", y, i)
		}
	}
}

func TestMore(t *testing.T) {
	l := listbox.List{Len: 6, Rows: 4}
	if got := l.More("↓"); got != "↓ 2 more" {
		t.Errorf("%q", got)
	}
	if l.Step(9); l.More("↓") != "" {
		t.Errorf("at the end %q", l.More("↓"))
	}
}
