package ui

import (
	"strconv"
	"strings"
)

// onFold reports whether the row of the folded jobs is selected, and whether they are unfolded.
func (p *Pane) onFold() (on, unfolded bool) {
	if p.attachment != nil {
		return false, false
	}
	return p.list.OnFold()
}

// showFold shows what the row of the folded jobs stands for, which has no detail of its own.
func (p *Pane) showFold() {
	var note []string
	if on, unfolded := p.onFold(); on {
		note = p.foldNote(unfolded)
	}
	p.detail.Clear(note...)
	p.dirty = true
}

// foldNote describes the folded jobs: how many ended how, and the keys that show them.
func (p *Pane) foldNote(unfolded bool) []string {
	jobs := p.list.Folded()
	var c counts
	for _, j := range jobs {
		c.add(j)
	}
	var ends []string
	for _, end := range []struct {
		n    int
		word string
	}{{c.done, "succeeded"}, {c.seen + c.failed, "failed"}, {c.stopped, "stopped"}} {
		if end.n > 0 {
			ends = append(ends, strconv.Itoa(end.n)+" "+end.word)
		}
	}
	k, open := p.opts.keys.Jobs, "unfold"
	if unfolded {
		open = "fold"
	}
	return []string{
		strconv.Itoa(len(jobs)) + " older jobs: " + strings.Join(ends, ", "),
		p.dotted(p.does(k.Open, open), p.does(k.Filter, "filter all jobs"), p.does(k.ClearFinished, "clear finished")),
	}
}
