package deliver

import (
	"context"
	"fmt"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/mcp/plain"
	"github.com/hobjobs/hob/internal/app/mcp/tool"
	"github.com/hobjobs/hob/internal/units"
)

// getWait returns the task of a wait. j is one of its jobs.
func (d *Delivery) getWait(ctx context.Context, j engine.Job, w *tool.Wait) (*task, error) {
	if w.End == nil {
		d.carryOut(w)
		t := d.newTask(w.TaskID(), w.CreatedAt, d.lastChange(j, w.CreatedAt), false)
		return t, d.describeWait(ctx, j, w, t)
	}
	t := d.newTask(w.TaskID(), w.CreatedAt, w.End.At, true)
	if w.End.Canceled {
		t.Status, t.Message = taskCancelled, "the wait was canceled, which does not stop the job"
		return t, nil
	}
	ans, err := d.tools.WaitAnswer(ctx, w)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, err
	case err != nil:
		t.Result = newTaskResult(tool.General(err).Result())
	default:
		t.Result = newTaskResult(ans.Result(d.Settings.MaxOutputChars))
		if ans.Job.Status.Finished() {
			d.Report(ctx, ans.Job.ID)
		}
	}
	t.Status, t.Message = taskCompleted, howWaitEnded(w)
	return t, nil
}

// howWaitEnded is the message of the task of a wait that has ended and was not canceled.
func howWaitEnded(w *tool.Wait) string {
	until := plain.OneLine(w.Conditions(), 80)
	switch {
	case w.End.Error != "":
		return "the wait failed: " + plain.OneLine(w.End.Error, plain.MaxLine)
	case w.End.TimedOut:
		return fmt.Sprintf("not yet after %s: %s", units.FormatTook(w.End.At.Sub(w.CreatedAt)), until)
	case !w.End.Met:
		return "the job ended before that: " + until
	}
	return "waited until " + until
}

// describeWait sets the message of the task of a wait that has not ended.
func (d *Delivery) describeWait(ctx context.Context, j engine.Job, w *tool.Wait, t *task) error {
	t.Message = "waits until " + plain.OneLine(w.Conditions(), 80)
	if reason := tool.WaitReason(j, time.Now()); reason != "" {
		t.Message += "; the job is queued: " + reason
	}
	x, _, err := d.tools.TailOf(ctx, j, tool.TailChars)
	if last := x.LastLine(); err == nil && last != "" {
		t.Message += "; the last line so far: " + last
	}
	return ctx.Err()
}
