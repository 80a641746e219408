package ui

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// lines returns a detail that prefers n lines at any width.
func lines(n int) func(int) int { return func(int) int { return n } }

// TestArrange has the layout of each size while each pane has the room. Rectangles are x, y, width, height.
func TestArrange(t *testing.T) {
	header := func(focus area, detail int) arrangement {
		return arrangement{header: true, focus: focus, detail: lines(detail)}
	}
	low := func(focus area) arrangement { return arrangement{focus: focus, detail: lines(5)} }
	tests := map[string]struct {
		w, h int
		a    arrangement
		want layout
	}{
		"nothing":   {0, 0, arrangement{}, layout{shape: shapeTooSmall}},
		"one cell":  {1, 1, arrangement{focus: areaLog}, layout{shape: shapeTooSmall}},
		"too small": {19, 40, arrangement{}, layout{shape: shapeTooSmall}},
		"the list alone": {39, 30, header(areaLog, 5), layout{
			shape: shapeBare, footer: rect{0, 29, 39, 1}, list: rect{0, 0, 39, 29},
		}},
		"low": {120, 9, low(areaList), layout{
			shape: shapeBare, footer: rect{0, 8, 120, 1}, list: rect{0, 0, 120, 8},
		}},
		"one at a time, list": {50, 20, header(areaList, 5), layout{
			shape: shapeOne, header: rect{0, 0, 50, 1}, footer: rect{0, 19, 50, 1},
			listFrame: rect{0, 1, 50, 18}, list: rect{1, 2, 48, 16},
		}},
		"one at a time, detail": {50, 20, header(areaDetail, 5), layout{
			shape: shapeOne, header: rect{0, 0, 50, 1}, footer: rect{0, 19, 50, 1},
			rightFrame: rect{0, 1, 50, 18}, detail: rect{2, 2, 46, 16},
		}},
		"one at a time, log": {50, 20, header(areaLog, 5), layout{
			shape: shapeOne, header: rect{0, 0, 50, 1}, footer: rect{0, 19, 50, 1},
			rightFrame: rect{0, 1, 50, 18}, log: rect{2, 2, 47, 16},
		}},
		"no jobs": {120, 40, arrangement{header: true, focus: areaList, alone: true}, layout{
			shape: shapeOne, alone: true, header: rect{0, 0, 120, 1}, footer: rect{0, 39, 120, 1},
			listFrame: rect{0, 1, 120, 38}, list: rect{1, 2, 118, 36},
		}},
		"stacked, list": {80, 24, header(areaList, 5), layout{
			shape: shapeStack, header: rect{0, 0, 80, 1}, footer: rect{0, 23, 80, 1},
			listFrame: rect{0, 1, 80, 15}, list: rect{1, 2, 78, 13},
			rightFrame: rect{0, 16, 80, 7}, log: rect{2, 17, 77, 5},
		}},
		"stacked, detail": {80, 24, header(areaDetail, 11), layout{
			shape: shapeStack, header: rect{0, 0, 80, 1}, footer: rect{0, 23, 80, 1},
			rightFrame: rect{0, 1, 80, 22}, detail: rect{2, 2, 76, 11}, divider: 13, log: rect{2, 14, 77, 8},
		}},
		"stacked, log": {80, 24, header(areaLog, 2), layout{
			shape: shapeStack, header: rect{0, 0, 80, 1}, footer: rect{0, 23, 80, 1},
			rightFrame: rect{0, 1, 80, 22}, log: rect{2, 2, 77, 20},
		}},
		"stacked and low, list": {80, 10, low(areaList), layout{
			shape: shapeStack, footer: rect{0, 9, 80, 1}, listFrame: rect{0, 0, 80, 9}, list: rect{1, 1, 78, 7},
		}},
		"stacked and low, detail": {80, 10, low(areaDetail), layout{
			shape: shapeStack, footer: rect{0, 9, 80, 1}, rightFrame: rect{0, 0, 80, 9}, detail: rect{2, 1, 76, 7},
		}},
		"stacked and low, log": {80, 10, low(areaLog), layout{
			shape: shapeStack, footer: rect{0, 9, 80, 1}, rightFrame: rect{0, 0, 80, 9}, log: rect{2, 1, 77, 7},
		}},
		"wide, list": {120, 40, header(areaList, 3), layout{
			shape: shapeWide, header: rect{0, 0, 120, 1}, footer: rect{0, 39, 120, 1},
			listFrame: rect{0, 1, 74, 38}, list: rect{1, 2, 72, 36},
			rightFrame: rect{74, 1, 46, 38}, detail: rect{76, 2, 42, 3}, divider: 5, log: rect{76, 6, 43, 32},
		}},
		"wide, a long reason": {120, 40, header(areaList, 60), layout{
			shape: shapeWide, header: rect{0, 0, 120, 1}, footer: rect{0, 39, 120, 1},
			listFrame: rect{0, 1, 74, 38}, list: rect{1, 2, 72, 36},
			rightFrame: rect{74, 1, 46, 38}, detail: rect{76, 2, 42, 14}, divider: 16, log: rect{76, 17, 43, 21},
		}},
		"wide, detail": {120, 40, header(areaDetail, 60), layout{
			shape: shapeWide, header: rect{0, 0, 120, 1}, footer: rect{0, 39, 120, 1},
			listFrame: rect{0, 1, 30, 38}, list: rect{1, 2, 28, 36},
			rightFrame: rect{30, 1, 90, 38}, detail: rect{32, 2, 86, 24}, divider: 26, log: rect{32, 27, 87, 11},
		}},
		"wide, log": {120, 40, header(areaLog, 0), layout{
			shape: shapeWide, header: rect{0, 0, 120, 1}, footer: rect{0, 39, 120, 1},
			listFrame: rect{0, 1, 30, 38}, list: rect{1, 2, 28, 36},
			rightFrame: rect{30, 1, 90, 38}, log: rect{32, 2, 87, 36},
		}},
		"wide, log with a reason": {120, 40, header(areaLog, 1), layout{
			shape: shapeWide, header: rect{0, 0, 120, 1}, footer: rect{0, 39, 120, 1},
			listFrame: rect{0, 1, 30, 38}, list: rect{1, 2, 28, 36},
			rightFrame: rect{30, 1, 90, 38}, detail: rect{32, 2, 86, 1}, divider: 3, log: rect{32, 4, 87, 34},
		}},
		"very wide, list": {220, 50, header(areaList, 3), layout{
			shape: shapeWide, header: rect{0, 0, 220, 1}, footer: rect{0, 49, 220, 1},
			listFrame: rect{0, 1, 96, 48}, list: rect{1, 2, 94, 46},
			rightFrame: rect{96, 1, 124, 48}, detail: rect{98, 2, 120, 3}, divider: 5, log: rect{98, 6, 121, 42},
		}},
		"wide and low, list": {120, 10, low(areaList), layout{
			shape: shapeWide, footer: rect{0, 9, 120, 1},
			listFrame: rect{0, 0, 74, 9}, list: rect{1, 1, 72, 7},
			rightFrame: rect{74, 0, 46, 9}, log: rect{76, 1, 43, 7},
		}},
		"wide and low, detail": {120, 10, low(areaDetail), layout{
			shape: shapeWide, footer: rect{0, 9, 120, 1},
			listFrame: rect{0, 0, 30, 9}, list: rect{1, 1, 28, 7},
			rightFrame: rect{30, 0, 90, 9}, detail: rect{32, 1, 86, 7},
		}},
		"wide and low, log": {120, 10, low(areaLog), layout{
			shape: shapeWide, footer: rect{0, 9, 120, 1},
			listFrame: rect{0, 0, 30, 9}, list: rect{1, 1, 28, 7},
			rightFrame: rect{30, 0, 90, 9}, log: rect{32, 1, 87, 7},
		}},
		"zoomed, list": {120, 40, arrangement{zoom: true, focus: areaList}, layout{
			shape: shapeOne, footer: rect{0, 39, 120, 1}, listFrame: rect{0, 0, 120, 39}, list: rect{1, 1, 118, 37},
		}},
		"zoomed, log": {120, 40, arrangement{zoom: true, focus: areaLog, detail: lines(2)}, layout{
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
				l := arrange(w, h, arrangement{header: true, focus: focus, detail: lines(9)})
				var used [140 * 50]bool
				for name, r := range map[string]rect{"header": l.header, "footer": l.footer, "list": l.list, "detail": l.detail, "log": l.log} {
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
	l := arrange(120, 40, arrangement{header: true, focus: areaList, detail: lines(7)})
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
