//go:build linux

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// value is what one program reached.
type value struct {
	who  string
	n    float64 // in the row's unit
	note string  // after the number; alone when there is no number
	none bool    // there is no number
}

// row is one line of the table. The first value is the floor, the second hob's.
type row struct {
	what   string
	format string // of a number
	aim    string
	values []value
}

// newRow makes a row without values.
func newRow(what, format, aim string) *row { return &row{what: what, format: format, aim: aim} }

// add adds what a program reached.
func (r *row) add(who string, n float64, note string) *row {
	r.values = append(r.values, value{who: who, n: n, note: note})
	return r
}

// addMedian adds the median of samples, or no number if there are none.
func (r *row) addMedian(who string, samples []float64, note string) *row {
	r.values = append(r.values, value{who, quantile(samples, 50), note, len(samples) == 0})
	return r
}

// addNone adds a program without a number.
func (r *row) addNone(who, note string) *row {
	r.values = append(r.values, value{who: who, note: note, none: true})
	return r
}

func printHead(w io.Writer) {
	fmt.Fprintln(w, "| measure | floor | hob | wanted | others |")
	fmt.Fprintln(w, "|---|---|---|---|---|")
}

// print adds rows to the table.
func (l *lab) print(rows ...*row) {
	for _, r := range rows {
		cells := []string{r.what, "–", "–", r.aim, ""}
		var others []string
		for i, v := range r.values {
			text := r.text(v, i != 1, i > 0)
			switch {
			case i < 2:
				cells[i+1] = text
			case text != "–":
				others = append(others, text)
			}
		}
		cells[4] = strings.Join(others, "; ")
		fmt.Fprintf(l.stdout, "| %s |\n", strings.Join(cells, " | "))
	}
}

// text is a value in words: which program reached it, the number, how many times
// the floor that is.
func (r *row) text(v value, named, compared bool) string {
	if v.none && v.note == "" {
		return "–"
	}
	var words []string
	if named && v.who != "" {
		words = append(words, v.who)
	}
	if !v.none {
		words = append(words, fmt.Sprintf(r.format, v.n))
		if floor := r.values[0].n; compared && floor > 0 {
			words = append(words, fmt.Sprintf("(%.2fx)", v.n/floor))
		}
	}
	if v.note != "" {
		words = append(words, v.note)
	}
	return strings.Join(words, " ")
}

// quantile is the sample that percent of all are not above. Between the two in the
// middle of an even number it is their mean.
func quantile(samples []float64, percent int) float64 {
	s := slices.Sorted(slices.Values(samples))
	at := len(s) * percent / 100
	switch {
	case len(s) == 0:
		return 0
	case percent == 50 && len(s)%2 == 0:
		return (s[at-1] + s[at]) / 2
	}
	return s[min(len(s)-1, at)]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func since(begin time.Time) float64 { return milliseconds(time.Since(begin)) }

func mebibytes(n int64) float64 { return float64(n) / (1 << 20) }
