//go:build linux

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// value is what one program reached.
type value struct {
	who  string
	n    float64 // in the row's unit
	note string  // in words, after the number; alone when there is no number
	none bool    // there is no number
}

// row is one line of the table. The first value is the floor, the second hob's.
type row struct {
	what   string
	format string // of a number
	values []value
	aim    string
}

func printHead(w io.Writer) {
	fmt.Fprintln(w, "| measure | floor | hob | wanted | others |")
	fmt.Fprintln(w, "|---|---|---|---|---|")
}

func (r row) print(w io.Writer) {
	cells := []string{r.what, "–", "–", r.aim, ""}
	if len(r.values) > 0 {
		cells[1] = r.text(r.values[0], true, 0)
	}
	if len(r.values) > 1 {
		cells[2] = r.text(r.values[1], false, r.values[0].n)
	}
	var others []string
	for _, v := range r.values[min(2, len(r.values)):] {
		if v.none && v.note == "" {
			continue
		}
		others = append(others, r.text(v, true, r.values[0].n))
	}
	cells[4] = strings.Join(others, "; ")
	fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
}

// text is a value in words: who reached it, the number, how often the floor that
// is.
func (r row) text(v value, who bool, floor float64) string {
	if v.none && v.note == "" {
		return "–"
	}
	var words []string
	if who && v.who != "" {
		words = append(words, v.who)
	}
	if !v.none {
		words = append(words, fmt.Sprintf(r.format, v.n))
		if floor > 0 {
			words = append(words, fmt.Sprintf("(%.2fx)", v.n/floor))
		}
	}
	if v.note != "" {
		words = append(words, v.note)
	}
	return strings.Join(words, " ")
}

// median is the middle one of samples, or the mean of the two there.
func median(samples []float64) float64 {
	if len(samples) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(samples))
	m := len(s) / 2
	if len(s)%2 == 1 {
		return s[m]
	}
	return (s[m-1] + s[m]) / 2
}
