package ui

import (
	"context"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// shown is the job in detail and log.
type shown struct {
	id      engine.ID
	known   bool          // the job was known when it was shown
	stream  engine.Stream // stream of the log
	opening bool
	log     openLog
	drew    bool // the job has used the alternate screen
	raw     bool // show the raw log instead of the screen
	last    bool // log is the last screen of a full-screen program
	plain   bool // log is the raw log although there is a last screen
}

// show updates detail and log to the selected job. Only one log is opened at a time, so moving
// quickly through the list opens few logs.
func (p *Pane) show() tea.Cmd {
	id := engine.ID("")
	if a := p.fore.attached(); a != nil && a.viaLog {
		id = a.id
	} else if j, ok := p.list.Selected(); ok {
		id = j.ID
	}
	j, ok := p.jobs.all[id]
	if !ok {
		p.showFold()
	}
	if id == p.shown.id && (p.shown.known || !ok) {
		return p.explain()
	}
	p.shown = shown{id: id, known: ok, opening: p.shown.opening, log: p.shown.log}
	p.attend()
	if ok {
		p.shown.drew = j.Alternate
		p.showFacts(j)
	}
	return tea.Batch(p.closeLog(), p.openLog(), p.arrange(), p.explain())
}

// explain finds out once why the shown job failed, which may need more than its records.
func (p *Pane) explain() tea.Cmd {
	j, ok := p.jobs.all[p.shown.id]
	if !ok || j.asked || !j.Unsuccessful() {
		return nil
	}
	j.asked = true
	eng, id := p.tasks.eng, j.ID
	return p.tasks.async(func(ctx context.Context) func() tea.Cmd {
		why, err := eng.Finding(ctx, id)
		if err != nil {
			return nil // show the recorded end only
		}
		return func() tea.Cmd {
			j, ok := p.jobs.all[id]
			if !ok {
				return nil
			}
			j.why = why
			if id == p.shown.id {
				p.showFacts(j)
			}
			return p.settled()
		}
	})
}

// closeLog shows an empty log and closes the previous one.
func (p *Pane) closeLog() tea.Cmd {
	old := p.shown.log
	p.shown.log, p.shown.last, p.shown.plain = nil, false, false
	p.log.SetEmpty("")
	if on, _ := p.onFold(); on {
		p.log.SetEmpty("Select one job to see its log.")
	}
	cmd := p.tasks.route(p.log.SetSource(nil, false))
	if old == nil {
		return cmd
	}
	return tea.Batch(cmd, p.tasks.release(old))
}

// openLog opens the shown job's log. If another log is being opened, it does so afterwards.
func (p *Pane) openLog() tea.Cmd {
	j, ok := p.jobs.all[p.shown.id]
	if p.shown.opening || !ok {
		return nil
	}
	p.shown.opening = true
	want := p.shown.stream
	if want == "" {
		want = engine.StreamOutput
		if j.Split {
			want = engine.StreamStdout
		}
	}
	choose := j.Split && p.shown.stream == ""
	ended, raw := j.HasTerminal() && j.Status.Finished(), p.shown.raw
	t, eng, id := p.tasks, p.tasks.eng, j.ID
	return p.tasks.async(func(ctx context.Context) func() tea.Cmd {
		drawn, last := false, false
		log, err := eng.OpenLog(ctx, id, want)
		if err == nil && choose {
			log, want = nonEmptyStream(ctx, eng, id, log)
		}
		if err == nil && ended && mostlyDrawn(ctx, log) {
			if left, ok := lastScreen(ctx, eng, id); ok {
				if drawn = true; !raw {
					_ = log.Close() // opened for reading only
					log, last = left, true
				}
			}
		}
		if err == nil && !t.open.keep(log) {
			return nil
		}
		return func() tea.Cmd { return p.logOpened(openedLog{id, want, log, drawn, last}, err) }
	})
}

type openedLog struct {
	id     engine.ID
	stream engine.Stream
	log    openLog
	drawn  bool // the job used the alternate screen
	last   bool // log is the last screen
}

// nonEmptyStream returns stderr of a split job while its stdout is empty, otherwise stdout.
func nonEmptyStream(ctx context.Context, eng jobEngine, id engine.ID, stdout openLog) (openLog, engine.Stream) {
	if n, err := stdout.Size(ctx); err != nil || n > 0 {
		return stdout, engine.StreamStdout
	}
	stderr, err := eng.OpenLog(ctx, id, engine.StreamStderr)
	if err != nil {
		return stdout, engine.StreamStdout
	}
	if n, err := stderr.Size(ctx); err != nil || n == 0 {
		_ = stderr.Close() // opened for reading only
		return stdout, engine.StreamStdout
	}
	_ = stdout.Close()
	return stderr, engine.StreamStderr
}

// outdated reports whether something else is to be shown by now than what was opened.
func (p *Pane) outdated(opened openedLog) bool {
	s := &p.shown
	switch {
	case opened.id != s.id, s.raw && opened.last:
		return true
	}
	return s.stream != "" && s.stream != opened.stream
}

func (p *Pane) logOpened(opened openedLog, err error) tea.Cmd {
	p.shown.opening = false
	if p.outdated(opened) {
		var cmd tea.Cmd
		if opened.log != nil {
			cmd = p.tasks.release(opened.log)
		}
		return tea.Batch(cmd, p.openLog())
	}
	if err != nil {
		p.log.SetEmpty("Can't read the log: " + hint(err))
		return nil
	}
	p.shown.log, p.shown.stream = opened.log, opened.stream
	p.shown.last, p.shown.plain = opened.last, opened.drawn && !opened.last
	p.log.SetEmpty(p.emptyLog())
	return p.tasks.route(p.log.SetSource(opened.log, !p.opts.log.Stay))
}

func (p *Pane) emptyLog() string {
	if p.shown.last {
		return "Full-screen program; it left nothing on screen."
	}
	if j, ok := p.jobs.all[p.shown.id]; ok && j.Status.Finished() {
		return "No output."
	}
	return "No output yet."
}

// onFold reports whether a row is selected that stands for folded jobs, and whether they are unfolded.
func (p *Pane) onFold() (on, unfolded bool) {
	if p.fore.attached() != nil {
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
