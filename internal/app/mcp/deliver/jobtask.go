package deliver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/mcp/plain"
	"github.com/hobjobs/hob/internal/app/mcp/tool"
	"github.com/hobjobs/hob/internal/units"
)

// AsTask returns the answer to a call whose job continues in the background, as a task. A task that
// has not ended has no notices, so they are added to its message.
func (d *Delivery) AsTask(ctx context.Context, ans *tool.Answer) (*mcp.CallToolResult, error) {
	t, err := d.getTask(ctx, ans.Job, ans.Wait)
	if err != nil {
		return nil, err
	}
	t.ResultType = resultTask
	for _, n := range ans.Notices {
		if t.Message != "" {
			t.Message += "; "
		}
		t.Message += n
	}
	d.taskFetched(ans.Job.ID)
	return &mcp.CallToolResult{StructuredContent: t}, nil
}

// getTask returns the current state of a task. For a task that has ended, the answer reports the end
// of its job.
func (d *Delivery) getTask(ctx context.Context, j engine.Job, w *tool.Wait) (*task, error) {
	if w != nil {
		return d.getWait(ctx, j, w)
	}
	exit, ended := j.Ended()
	changed := exit.At
	if !ended {
		changed = d.lastChange(j, j.CreatedAt)
	}
	t := d.newTask(string(j.ID), j.CreatedAt, changed, ended)
	switch {
	case !ended:
		return t, d.describe(ctx, j, t)
	case wasKilled(j):
		t.Status, t.Message = taskCancelled, "the job was killed"
	default:
		ans := tool.About(j, time.Now())
		var err error
		ans.Body, err = d.tools.ExcerptOf(ctx, j)
		if err := tool.HandleCleared(ans, err); err != nil {
			return nil, tool.Failed(j, "read the output of", err)
		}
		cursor := j.Output
		ans.Cursor = &cursor
		d.tools.Explain(ctx, ans)
		t.Status, t.Message = taskCompleted, tool.InWords(j, time.Now())
		t.Result = newTaskResult(ans.Result(d.Settings.MaxOutputChars))
	}
	d.Report(ctx, j.ID)
	return t, nil
}

// describe completes the task of a running job: with its progress or last line, or with its question
// if it waits for input.
func (d *Delivery) describe(ctx context.Context, j engine.Job, t *task) error {
	x, size, err := d.tools.TailOf(ctx, j, tool.TailChars)
	if err != nil && ctx.Err() != nil {
		return err
	}
	last := x.LastLine()
	if len(x.Notices) > 0 {
		last = units.FormatBytes(size) + " of output, binary at its end"
	}
	switch {
	case j.Link == engine.LinkUnreachable, j.Status == engine.Queued, j.Status == engine.Stopping:
		t.Message = tool.InWords(j, time.Now())
	case j.Waiting:
		if len(x.Notices) == 0 {
			last = d.sinceAnswer(ctx, j, last)
		}
		d.addQuestion(ctx, j, last, asksSecret(j, x, last), t)
	case j.Program != nil:
		t.Message = programMessage(j)
	case j.Progress != nil && j.Progress.Percent > 0:
		t.Message = fmt.Sprintf("%d %%", j.Progress.Percent)
		if last != "" {
			t.Message += ": " + last
		}
	default:
		t.Message = last
	}
	return nil
}

// programMessage is the report of a job's program, marked as such. Only the system proves that a line can be typed, so a
// report that the program is blocked does not become a question to the user of the agent.
func programMessage(j engine.Job) string {
	p := j.Program
	said := strings.Join(slices.DeleteFunc([]string{p.Title, p.Message}, func(s string) bool { return s == "" }), ", ")
	message := "its program reports: " + string(p.State)
	if said != "" {
		message += ", " + plain.OneLine(said, plain.MaxLine)
	}
	if p.Percent != nil {
		message += fmt.Sprintf(" (%d %%)", *p.Percent)
	}
	if j.NeedsInput() {
		message += ". A person is needed: hob attach " + string(j.ID)
	}
	return message
}

// asksSecret reports whether a job asks for something that must not be shown, such as a password: its
// terminal shows no input, or the last line of a stream says so.
func asksSecret(j engine.Job, x tool.Excerpt, last string) bool {
	lines := []string{last}
	if x.Stderr != nil {
		lines = append(lines, x.Stderr.LastLine())
	}
	return j.NeedsSecret(lines...)
}

// cancelTask begins to stop the job of a task, or ends a wait. A task that has ended stays as it is.
func (d *Delivery) cancelTask(ctx context.Context, j engine.Job, w *tool.Wait) error {
	if w != nil {
		return d.endWait(w, tool.Waited{At: time.Now(), Canceled: true})
	}
	if !j.Status.Finished() {
		d.Work.Go(func() { d.stopTask(ctx, j) })
	}
	return nil
}

// afterwards is the time limit for stopping a job whose client has disconnected.
const afterwards = 10 * time.Second

// stopTask stops the job of a canceled task. The job may take its whole grace period to end, and the
// client was answered before. The client may also have disconnected: then there is a time limit for what
// is left to do. The acknowledgement promised nothing, so a notice reports a job that cannot be stopped.
func (d *Delivery) stopTask(ctx context.Context, j engine.Job) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	unregister := context.AfterFunc(d.Life, func() { time.AfterFunc(afterwards, cancel) })
	defer unregister()
	_, err := d.Eng.Handle(j.ID).Stop(ctx, engine.StopOptions{})
	switch {
	case err == nil, ctx.Err() != nil:
		return
	case errors.Is(err, engine.ErrNotRunning), errors.Is(err, engine.ErrNotFound):
		return
	}
	f := tool.General(tool.Failed(j, "stop", err))
	d.news.mu.Lock()
	defer d.news.mu.Unlock()
	d.news.add(notice{text: fmt.Sprintf("task %s was not canceled: %s; %s", j.ID, f.Message, f.Hint), logged: true})
}
