package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/notes"
)

// Gone returns the running jobs of processes that are not wanted any more when the chosen ones are started: the file no
// longer has them, or has fewer copies. Of processes that are not chosen, the copies that run are left alone.
func (u *Up) Gone(running []engine.Job, chosen []Process) []engine.Job {
	return slices.DeleteFunc(slices.Clone(running), func(j engine.Job) bool { return !u.isGone(j, chosen) })
}

func (u *Up) isGone(j engine.Job, chosen []Process) bool {
	ofFile := j.Labels[processLabel] != "" && sourceOf(j).sameFiles(u.Source)
	if !ofFile || slices.ContainsFunc(u.Known, func(p Process) bool { return p.isOf(j) }) {
		return false
	}
	isCopyOf := func(p Process) bool { return baseOf(j)[1] == p.base() }
	return slices.ContainsFunc(chosen, isCopyOf) || !slices.ContainsFunc(u.Known, isCopyOf)
}

// base returns the name of the process in the file, which all copies share.
func (p *Process) base() string { return cmp.Or(p.Base, p.Name) }

// handleGone reports the jobs of processes that the file no longer has, and stops them with Prune.
func (r *run) handleGone(ctx context.Context, running []engine.Job) {
	for _, j := range r.Gone(running, r.chosen) {
		result := Result{Name: ProcessOf(j), Action: Gone, Job: &j}
		if r.Prune {
			result.Action = Stop
			_, err := r.Engine.Handle(j.ID).Stop(ctx, engine.StopOptions{By: ByUp})
			if err != nil && !errors.Is(err, engine.ErrNotRunning) {
				result.Error = err.Error()
			}
			if now, err := r.Engine.Handle(j.ID).LastFacts(ctx); err == nil {
				result.Job = &now
			}
		}
		r.Done(result)
	}
}

// leftOut is the key of the note about an ended job whose process was not wanted any more by a later hob up. A restart
// of all processes does not start it again.
const leftOut = "up-left-out"

func (r *run) leaveOut(jobs []engine.Job) error {
	book := notes.Of(r.Engine.StateDir())
	for _, j := range jobs {
		noted := !j.Status.Finished() || isLeftOut(book, j)
		if noted || !r.isGone(j, r.chosen) {
			continue
		}
		err := book.SetNumber(string(j.ID), leftOut, 1)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // cleared meanwhile
			return fmt.Errorf("note that %s is not wanted any more: %w", j.ID, err)
		}
	}
	return nil
}

func isLeftOut(book notes.Book, j engine.Job) bool { return book.Number(string(j.ID), leftOut) > 0 }
