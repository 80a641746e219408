package ui

import (
	"strconv"
	"strings"

	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// onFold reports whether a row is selected that stands for folded jobs, and whether they are unfolded.
func (p *Pane) onFold() (on, unfolded bool) {
	if p.attachment != nil {
		return false, false
	}
	return p.list.OnFold()
}

// showFold shows what a row of folded jobs stands for, which has no detail of its own.
func (p *Pane) showFold() {
	var note []string
	if on, unfolded := p.onFold(); on {
		note = p.foldNote(unfolded)
	}
	p.detail.Clear(note...)
}

// foldNote describes the folded jobs: how many are in which state, and the keys that show them.
func (p *Pane) foldNote(unfolded bool) []string {
	group, jobs := p.list.Folded()
	var c statusbadge.Counts
	for _, j := range jobs {
		c.Add(j)
	}
	var states []string
	for _, state := range []struct {
		n    int
		word string
	}{{c.Running, "running"}, {c.Queued, "queued"}, {c.Done, "succeeded"}, {c.Seen + c.Failed, "failed"}, {c.Stopped, "stopped"}} {
		if state.n > 0 {
			states = append(states, strconv.Itoa(state.n)+" "+state.word)
		}
	}
	what := " older jobs: "
	if group != "" {
		what = " jobs: "
	}
	k, open := p.opts.keys.Jobs, "unfold"
	if unfolded {
		open = "fold"
	}
	note := []string{strconv.Itoa(len(jobs)) + what + strings.Join(states, ", ")}
	if group != "" {
		return append(note, p.does(k.Open, open))
	}
	return append(note, p.dotted(p.does(k.Open, open), p.does(k.Filter, "filter all jobs"), p.does(k.ClearFinished, "clear finished")))
}
