package ui

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArrange(t *testing.T) {
	tests := map[string]struct {
		w, h int
		a    arrangement
		want layout
	}{
		"nothing":   {0, 0, arrangement{}, layout{shape: shapeTooSmall}},
		"one cell":  {1, 1, arrangement{focus: areaLog}, layout{shape: shapeTooSmall}},
		"too small": {19, 40, arrangement{}, layout{shape: shapeTooSmall}},
		"the list alone": {39, 30, arrangement{header: true, focus: areaLog}, layout{
			shape: shapeBare, footer: rect{0, 29, 39, 1}, list: rect{0, 0, 39, 29},
		}},
		"low": {120, 9, arrangement{focus: areaList}, layout{
			shape: shapeBare, footer: rect{0, 8, 120, 1}, list: rect{0, 0, 120, 8},
		}},
		"one at a time": {50, 20, arrangement{header: true, focus: areaList}, layout{
			shape: shapeOne, header: rect{0, 0, 50, 1}, footer: rect{0, 19, 50, 1},
			listFrame: rect{0, 1, 50, 18}, list: rect{1, 2, 48, 16},
		}},
		"no jobs": {120, 40, arrangement{header: true, focus: areaList, alone: true}, layout{
			shape: shapeOne, alone: true, header: rect{0, 0, 120, 1}, footer: rect{0, 39, 120, 1},
			listFrame: rect{0, 1, 120, 38}, list: rect{1, 2, 118, 36},
		}},
		"one at a time, log": {50, 20, arrangement{focus: areaLog}, layout{
			shape: shapeOne, footer: rect{0, 19, 50, 1},
			rightFrame: rect{0, 0, 50, 19}, log: rect{2, 1, 47, 17},
		}},
		"stacked": {80, 24, arrangement{header: true, focus: areaList, detail: 9}, layout{
			shape: shapeStack, header: rect{0, 0, 80, 1}, footer: rect{0, 23, 80, 1},
			listFrame: rect{0, 1, 80, 15}, list: rect{1, 2, 78, 13},
			rightFrame: rect{0, 16, 80, 7}, log: rect{2, 17, 77, 5},
		}},
		"stacked, log": {80, 24, arrangement{header: true, focus: areaLog, detail: 9}, layout{
			shape: shapeStack, header: rect{0, 0, 80, 1}, footer: rect{0, 23, 80, 1},
			listFrame: rect{0, 1, 80, 7}, list: rect{1, 2, 78, 5},
			rightFrame: rect{0, 8, 80, 15}, head: rect{2, 9, 76, 2}, divider: 11, log: rect{2, 12, 77, 10},
		}},
		"stacked, detail": {80, 24, arrangement{header: true, focus: areaDetail}, layout{
			shape: shapeStack, header: rect{0, 0, 80, 1}, footer: rect{0, 23, 80, 1},
			listFrame: rect{0, 1, 80, 7}, list: rect{1, 2, 78, 5},
			rightFrame: rect{0, 8, 80, 15}, detail: rect{2, 9, 76, 13},
		}},
		"wide": {120, 40, arrangement{header: true, focus: areaList, detail: 7}, layout{
			shape: shapeWide, header: rect{0, 0, 120, 1}, footer: rect{0, 39, 120, 1},
			listFrame: rect{0, 1, 74, 38}, list: rect{1, 2, 72, 36},
			rightFrame: rect{74, 1, 46, 38}, detail: rect{76, 2, 42, 7}, divider: 9, log: rect{76, 10, 43, 28},
		}},
		"wide, log": {120, 40, arrangement{header: true, focus: areaLog, detail: 7}, layout{
			shape: shapeWide, header: rect{0, 0, 120, 1}, footer: rect{0, 39, 120, 1},
			listFrame: rect{0, 1, 48, 38}, list: rect{1, 2, 46, 36},
			rightFrame: rect{48, 1, 72, 38}, detail: rect{50, 2, 68, 7}, divider: 9, log: rect{50, 10, 69, 28},
		}},
		"wide, a long detail": {120, 40, arrangement{header: true, focus: areaList, detail: 60}, layout{
			shape: shapeWide, header: rect{0, 0, 120, 1}, footer: rect{0, 39, 120, 1},
			listFrame: rect{0, 1, 74, 38}, list: rect{1, 2, 72, 36},
			rightFrame: rect{74, 1, 46, 38}, detail: rect{76, 2, 42, 14}, divider: 16, log: rect{76, 17, 43, 21},
		}},
		"zoomed": {120, 40, arrangement{zoom: true, focus: areaLog}, layout{
			shape: shapeOne, footer: rect{0, 39, 120, 1}, rightFrame: rect{0, 0, 120, 39}, log: rect{2, 1, 117, 37},
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := arrange(tt.w, tt.h, tt.a)
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(layout{}, rect{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// At any size, nothing is outside of it, and panes do not overlap.
func TestArrangeStaysInside(t *testing.T) {
	for w := range 140 {
		for h := range 50 {
			for _, focus := range []area{areaList, areaDetail, areaLog} {
				l := arrange(w, h, arrangement{header: true, focus: focus, detail: 9})
				var used [140 * 50]bool
				for name, r := range map[string]rect{"header": l.header, "footer": l.footer, "list": l.list, "detail": l.detail, "head": l.head, "log": l.log} {
					if r.empty() {
						continue
					}
					if r.x < 0 || r.y < 0 || r.x+r.w > w || r.y+r.h > h {
						t.Fatalf("%dx%d: %s is at %+v", w, h, name, r)
					}
					for y := r.y; y < r.y+r.h; y++ {
						for x := r.x; x < r.x+r.w; x++ {
							if used[y*140+x] {
								t.Fatalf("%dx%d: %s overlaps at %d,%d", w, h, name, x, y)
							}
							used[y*140+x] = true
						}
					}
				}
			}
		}
	}
}

func TestLayoutAt(t *testing.T) {
	l := arrange(120, 40, arrangement{header: true, focus: areaList, detail: 7})
	tests := map[string]struct {
		x, y int
		want area
	}{
		"list":         {5, 5, areaList},
		"its border":   {0, 5, areaList},
		"detail":       {80, 4, areaDetail},
		"detail title": {80, 1, areaDetail},
		"divider":      {80, 9, areaLog},
		"log":          {80, 20, areaLog},
		"header":       {5, 0, areaNone},
		"footer":       {5, 39, areaNone},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := l.at(tt.x, tt.y); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
