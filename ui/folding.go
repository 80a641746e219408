package ui

import (
	"strconv"
	"strings"

	"github.com/hobjobs/hob/ui/components/statusbadge"
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
	var c statusbadge.Counts
	for _, j := range jobs {
		c.Add(j)
	}
	var ends []string
	for _, end := range []struct {
		n    int
		word string
	}{{c.Done, "succeeded"}, {c.Seen + c.Failed, "failed"}, {c.Stopped, "stopped"}} {
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
