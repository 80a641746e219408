package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/logview"
	"github.com/hobjobs/hob/ui/components/terminal"
)

// output is what the pane shows of a job's output: its log, the screen of a full-screen program while
// that runs, or what such a program left on screen. The pane selects the job and sets the room for
// it; keys of the log and events of the job change the rest.
//
// At most one log is being opened, so moving quickly through the list opens few logs.
type output struct {
	*labels
	tasks   *tasks
	jobs    *jobSet
	notices *notices

	log    *logview.Model
	screen *terminal.Model // shown instead of the log

	id      engine.ID     // the job
	known   bool          // the job was known when it was selected
	fold    bool          // a row that stands for several jobs is selected
	stream  engine.Stream // stream of the log
	opening bool
	source  openLog // of the log
	drew    bool    // the job has used the alternate screen
	raw     bool    // show the raw log instead of the screen
	last    bool    // the log is the last screen of a full-screen program
	plain   bool    // the log is the raw log although there is a last screen
	behind  bool    // the log has grown while it was not visible
	preview *preview
	group   *groupOutput // shown instead of the log of a job

	connecting string // host that is being connected

	visible bool // there is room for the log
	beside  bool // it is a pane beside the list, not that of an attached job
}

func newOutput(l *labels, t *tasks, jobs *jobSet, n *notices, explain func(error) string) *output {
	o := &output{labels: l, tasks: t, jobs: jobs, notices: n, screen: terminal.New(l.styles)}
	o.log = logview.New(l.opts.keys.Log, l.styles, logview.Options{
		Wrap:        l.opts.log.Wrap,
		Timestamps:  l.opts.log.Timestamps,
		LineNumbers: l.opts.log.LineNumbers,
		Clock:       l.opts.clock,
		ErrorText:   explain,
	})
	o.log.SetEmpty("")
	o.group = &groupOutput{labels: l, tasks: t, log: o.log, times: true}
	return o
}

// job returns the shown job, if it is known.
func (o *output) job() (j *job, ok bool) {
	j, ok = o.jobs.all[o.id]
	return j, ok
}

// showGroup shows the output of a group.
func (o *output) showGroup(g jobGroup, jobs []engine.Job) tea.Cmd {
	return tea.Batch(o.show("", false), o.group.show(g, jobs))
}

// hasLog reports whether the log of a job or of a group is shown.
func (o *output) hasLog() bool {
	_, ok := o.job()
	return ok || o.group.shown()
}

// grows reports whether the shown log may grow.
func (o *output) grows() bool { return o.live() || o.group.shown() }

// show shows another job, or nothing if it is not known. fold is whether the selected row stands for
// several jobs.
func (o *output) show(id engine.ID, fold bool) tea.Cmd {
	closed := o.group.close()
	o.id, o.fold = id, fold
	o.stream, o.drew, o.raw = "", false, false
	j, ok := o.job()
	if o.known = ok; ok {
		o.drew = j.Alternate
	}
	return tea.Batch(closed, o.closeLog(), o.openLog())
}

// place sets the room for the log: none is visible while the terminal of a job is shown, and there is
// no screen beside a job that is attached.
func (o *output) place(w, h int, visible, beside bool) tea.Cmd {
	o.visible, o.beside, o.group.visible = visible, beside, visible
	o.screen.SetSize(w, h)
	return o.tasks.route(o.log.SetSize(w, h))
}

// hide is place while the terminal of a job is shown.
func (o *output) hide() { o.visible, o.beside, o.group.visible = false, false, false }

// changed follows an event of the shown job. was is its state before; grew, whether it may have new output.
func (o *output) changed(j *job, was engine.Job, grew bool) tea.Cmd {
	var cmds []tea.Cmd
	if j.Alternate {
		o.drew = true
	}
	switch {
	case j.Status.Finished() && !was.Status.Finished():
		if o.drew && !o.raw && o.log.Following() { // show what it left on screen instead of the log
			cmds = append(cmds, o.closeLog(), o.openLog())
		}
	case was.Alternate && !j.Alternate:
		o.raw = false // show the next full-screen program again
	}
	if grew {
		o.behind = true
		cmds = append(cmds, o.catchUp())
	}
	return tea.Batch(cmds...)
}

// catchUp lets the log read new output if it is visible.
func (o *output) catchUp() tea.Cmd {
	if _, known := o.job(); !known {
		return nil
	}
	switch {
	case !o.behind, !o.visible, o.last, o.source == nil, o.screenShown():
		return nil
	}
	o.behind = false
	return o.tasks.route(o.log.Grown())
}

// live reports whether the shown job is still running.
func (o *output) live() bool { return o.jobs.running(o.id) }

func (o *output) switchStream() tea.Cmd {
	if o.stream == engine.StreamStderr {
		o.stream = engine.StreamStdout
	} else {
		o.stream = engine.StreamStderr
	}
	return tea.Batch(o.closeLog(), o.openLog())
}

// closeLog shows an empty log and closes the previous one.
func (o *output) closeLog() tea.Cmd {
	old := o.source
	o.source, o.last, o.plain = nil, false, false
	o.log.SetEmpty("")
	if o.fold {
		o.log.SetEmpty("Select one job to see its log.")
	}
	cmd := o.tasks.route(o.log.SetSource(nil, false))
	if old == nil {
		return cmd
	}
	return tea.Batch(cmd, o.tasks.release(old))
}

// openLog opens the shown job's log. If another log is being opened, it does so afterwards.
func (o *output) openLog() tea.Cmd {
	j, ok := o.job()
	if o.opening || !ok {
		return nil
	}
	o.opening = true
	want := o.stream
	if want == "" {
		want = engine.StreamOutput
		if j.Split {
			want = engine.StreamStdout
		}
	}
	wanted := wantedLog{
		id:     j.ID,
		stream: want,
		choose: j.Split && o.stream == "",
		left:   j.HasTerminal() && j.Status.Finished(),
		raw:    o.raw,
	}
	o.behind = false
	t, readEnding := o.tasks, o.log.ReadEnding()
	return t.async(func(ctx context.Context) func() tea.Cmd {
		opened, err := wanted.open(ctx, t.eng)
		if err == nil && !t.open.keep(opened.log) {
			return nil
		}
		if err == nil {
			opened.ending = readEnding(ctx, opened.log)
		}
		return func() tea.Cmd { return o.logOpened(opened, err) }
	})
}

// wantedLog is what to open for a job.
type wantedLog struct {
	id     engine.ID
	stream engine.Stream
	choose bool // take stderr if stdout is empty
	left   bool // the job may have left a screen
	raw    bool // but the log is wanted
}

// open opens the log, or what a full-screen program left on screen.
func (w wantedLog) open(ctx context.Context, eng jobEngine) (openedLog, error) {
	opened := openedLog{id: w.id, stream: w.stream}
	log, err := eng.OpenLog(ctx, w.id, w.stream)
	if err != nil {
		return opened, err
	}
	if w.choose {
		log, opened.stream = nonEmptyStream(ctx, eng, w.id, log)
	}
	opened.log = log
	if !w.left || !mostlyDrawn(ctx, log) {
		return opened, nil
	}
	screen, ok := lastScreen(ctx, eng, w.id)
	opened.drawn = ok
	if ok && !w.raw {
		_ = log.Close() // opened for reading only
		opened.log, opened.last = screen, true
	}
	return opened, nil
}

type openedLog struct {
	id     engine.ID
	stream engine.Stream
	log    openLog
	drawn  bool // the job used the alternate screen
	last   bool // log is the last screen
	ending *logview.Ending
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
func (o *output) outdated(opened openedLog) bool {
	switch {
	case opened.id != o.id, o.raw && opened.last:
		return true
	}
	return o.stream != "" && o.stream != opened.stream
}

func (o *output) logOpened(opened openedLog, err error) tea.Cmd {
	o.opening = false
	if o.outdated(opened) {
		var cmd tea.Cmd
		if opened.log != nil {
			cmd = o.tasks.release(opened.log)
		}
		return tea.Batch(cmd, o.openLog())
	}
	if err != nil {
		o.log.SetEmpty("Can't read the log: " + hint(err))
		return nil
	}
	o.source, o.stream = opened.log, opened.stream
	o.last, o.plain = opened.last, opened.drawn && !opened.last
	o.log.SetEmpty(o.emptyLog())
	shown := o.tasks.route(o.log.ShowEnding(opened.log, opened.ending, !o.opts.log.Stay))
	return tea.Batch(shown, o.catchUp())
}

func (o *output) emptyLog() string {
	if o.last {
		return "Full-screen program; it left nothing on screen."
	}
	if o.jobs.finished(o.id) {
		return "No output."
	}
	return "No output yet."
}
