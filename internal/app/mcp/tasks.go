package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
)

// tasksExtension is the protocol extension with which the answer to a call can be a task, whose result
// the client fetches later: github.com/modelcontextprotocol/ext-tasks.
const tasksExtension = "io.modelcontextprotocol/tasks"

// The statuses of a task. The status "failed" is not used, because it is for protocol errors: the task
// of a command that failed is completed.
const (
	taskWorking       = "working"
	taskInputRequired = "input_required"
	taskCompleted     = "completed"
	taskCancelled     = "cancelled"
)

const (
	resultTask     = "task"     // of the answer that creates a task
	resultComplete = "complete" // of every other answer
)

// How often a client should request a task: less often if it has been running for a long time.
const (
	minPollInterval = time.Second
	maxPollInterval = 5 * time.Second
)

// task is a task in the protocol's format, in the answers that create it and return it. The id of a
// task is that of its job; the id of a wait consists of the id of a job and the name of the wait.
type task struct {
	mcp.ResultBase

	ResultType    string              `json:"resultType"`
	ID            string              `json:"taskId"`
	Status        string              `json:"status"`
	Message       string              `json:"statusMessage,omitempty"`
	CreatedAt     time.Time           `json:"createdAt"`
	UpdatedAt     time.Time           `json:"lastUpdatedAt"`
	TTL           *int64              `json:"ttlMs"` // null: no limit
	PollInterval  int64               `json:"pollIntervalMs,omitempty"`
	InputRequests mcp.InputRequestMap `json:"inputRequests,omitempty"`
	Result        *taskResult         `json:"result,omitempty"`
}

// taskResult is the result of a completed task: that of its call, with the type that the SDK adds to the
// answer to a call alone.
type taskResult struct {
	ResultType string        `json:"resultType"`
	Content    []mcp.Content `json:"content"`
	Structured any           `json:"structuredContent"`
	IsError    bool          `json:"isError,omitempty"`
}

func newTaskResult(r *mcp.CallToolResult) *taskResult {
	return &taskResult{
		ResultType: resultComplete,
		Content:    r.Content,
		Structured: r.StructuredContent,
		IsError:    r.IsError,
	}
}

// newTask returns a task with the status working, with the times when it began and last changed. For
// a task that has ended, the last change is its end.
func (a *agent) newTask(id string, began, changed time.Time, ended bool) *task {
	now := time.Now()
	if ended {
		now = changed
	}
	age := max(0, now.Sub(began))
	ttl := (age + a.c.Keep).Milliseconds()
	interval := min(max(age/10, minPollInterval), maxPollInterval)
	return &task{
		ResultType: resultComplete, ID: id, Status: taskWorking,
		CreatedAt: began.UTC(), UpdatedAt: changed.UTC(), TTL: &ttl, PollInterval: interval.Milliseconds(),
	}
}

// lastChange returns when a job last printed or changed its state, according to its files on this
// machine, or since if that is later.
func (a *agent) lastChange(j engine.Job, since time.Time) time.Time {
	if recorded := a.notes.LastRecorded(string(j.ID)); recorded.After(since) {
		since = recorded
	}
	if j.Host != "" {
		return since
	}
	for _, log := range []string{j.OutputPath, j.StdoutPath, j.StderrPath} {
		if fi, err := os.Stat(log); err == nil && fi.ModTime().After(since) {
			since = fi.ModTime()
		}
	}
	return since
}

// The parameters accept any JSON value, because the SDK's error about a wrong type repeats the whole
// request.
type taskParams struct {
	mcp.ParamsBase
	ID any `json:"taskId"`
}

type updateParams struct {
	mcp.ParamsBase
	ID        any             `json:"taskId"`
	Responses json.RawMessage `json:"inputResponses"`
}

// done is the answer of tasks/update and tasks/cancel.
type done struct {
	mcp.ResultBase
	ResultType string `json:"resultType"`
}

// addTasks adds support for tasks to the server.
func (a *agent) addTasks() error {
	a.srv.AddReceivingMiddleware(a.receive)
	return errors.Join(
		mcp.AddReceivingCustomMethod(a.srv, "tasks/get", func(ctx context.Context, ss *mcp.ServerSession, p *taskParams) (*task, error) {
			requestOf(ctx).repeatable = true
			return withTask(ctx, a, ss, &p.ParamsBase, p.ID, a.getTask)
		}),
		mcp.AddReceivingCustomMethod(a.srv, "tasks/update", func(ctx context.Context, ss *mcp.ServerSession, p *updateParams) (*done, error) {
			return withTask(ctx, a, ss, &p.ParamsBase, p.ID, func(ctx context.Context, j engine.Job, w *wait) (*done, error) {
				if w != nil {
					return &done{ResultType: resultComplete}, nil // a wait has no questions
				}
				return &done{ResultType: resultComplete}, a.updateTask(ctx, j, p.Responses)
			})
		}),
		mcp.AddReceivingCustomMethod(a.srv, "tasks/cancel", func(ctx context.Context, ss *mcp.ServerSession, p *taskParams) (*done, error) {
			return withTask(ctx, a, ss, &p.ParamsBase, p.ID, func(ctx context.Context, j engine.Job, w *wait) (*done, error) {
				return &done{ResultType: resultComplete}, a.cancelTask(ctx, j, w)
			})
		}),
	)
}

// withTask calls do with the job of a task, and with the wait that the task is about, or
// nil. Tasks of earlier sessions and of other servers are found too; those of other clients
// and projects are unknown.
func withTask[R any](ctx context.Context, a *agent, ss *mcp.ServerSession, p *mcp.ParamsBase, taskID any,
	do func(context.Context, engine.Job, *wait) (*R, error),
) (*R, error) {
	id, ok := taskID.(string)
	if !ok {
		return nil, invalidParams("taskId is not a string")
	}
	if err := a.open((&mcp.ServerRequest[*mcp.ParamsBase]{Session: ss, Params: p}).ClientInfo()); err != nil {
		return nil, internal(err)
	}
	a.waitRecorded()
	jobID, name := splitTaskID(id)
	var j engine.Job
	var w *wait
	var err error
	if name != "" {
		j, w, err = a.findWait(ctx, engine.ID(jobID), name)
	} else {
		j, err = a.eng.Handle(engine.ID(jobID)).LastFacts(ctx)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, engine.ErrNotFound), errors.Is(err, engine.ErrInvalid), err == nil && !a.scope.owns(j):
		return nil, invalidParams("no task %q in this project: its job was removed or never existed", oneLine(id, 80))
	case err != nil:
		return nil, internal(err)
	}
	a.taskFetched(j.ID)
	r, err := do(ctx, j, w)
	if _, ok := errors.AsType[*jsonrpc.Error](err); err != nil && !ok && ctx.Err() == nil {
		err = internal(err)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// tasksNotDeclared is the error for a request about tasks that does not declare the
// extension.
func tasksNotDeclared() error {
	required := &mcp.ClientCapabilities{}
	required.AddExtension(tasksExtension, nil)
	data, err := json.Marshal(map[string]any{"requiredCapabilities": map[string]any{"extensions": required.Extensions}})
	if err != nil {
		return internal(err)
	}
	return &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: "the request does not declare the capability " + tasksExtension, Data: data}
}

func invalidParams(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

func internal(err error) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: general(err).message}
}

// asTask returns the answer to a call whose job continues in the background, as a task. A task that
// has not ended has no notices, so they are added to its message.
func (a *agent) asTask(ctx context.Context, ans *answer) (*mcp.CallToolResult, error) {
	t, err := a.getTask(ctx, ans.job, ans.wait)
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
	a.taskFetched(ans.job.ID)
	return &mcp.CallToolResult{StructuredContent: t}, nil
}

// getTask returns the current state of a task. For a task that has ended, the answer reports the end
// of its job.
func (a *agent) getTask(ctx context.Context, j engine.Job, w *wait) (*task, error) {
	if w != nil {
		return a.getWait(ctx, j, w)
	}
	exit, ended := j.Ended()
	changed := exit.At
	if !ended {
		changed = a.lastChange(j, j.CreatedAt)
	}
	t := a.newTask(string(j.ID), j.CreatedAt, changed, ended)
	switch {
	case !ended:
		return t, a.describe(ctx, j, t)
	case j.Status == engine.Killed && exit.Reason == engine.ReasonKill:
		t.Status, t.Message = taskCancelled, "the job was killed"
	default:
		ans := about(j, time.Now())
		var err error
		ans.body, err = a.excerptOf(ctx, j)
		if err := a.handleCleared(ans, err); err != nil {
			return nil, failed(j, "read the output of", err)
		}
		cursor := j.Output
		ans.Cursor = &cursor
		a.explain(ctx, ans)
		t.Status, t.Message = taskCompleted, inWords(j, time.Now())
		t.Result = newTaskResult(ans.result(a.c.Settings.MaxOutputChars))
	}
	a.report(ctx, j.ID)
	return t, nil
}

// handleCleared returns the error of reading a job's output. If the job was cleared in the meantime,
// it returns nil and makes ans the answer about a cleared job.
func (a *agent) handleCleared(ans *answer, err error) error {
	if !errors.Is(err, engine.ErrNotFound) {
		return err
	}
	id := ans.SessionID
	*ans = *ans.withoutJob()
	ans.SessionID = id
	ans.addNoticef("it was cleared in the meantime, together with its output")
	return nil
}

// describe completes the task of a running job: with its progress or last line, or with its question
// if it waits for input.
func (a *agent) describe(ctx context.Context, j engine.Job, t *task) error {
	x, size, err := a.tailOf(ctx, j, tailChars)
	if err != nil && ctx.Err() != nil {
		return err
	}
	last := lastLine(x)
	if len(x.notices) > 0 {
		last = units.FormatBytes(size) + " of output, binary at its end"
	}
	switch {
	case j.Link == engine.LinkUnreachable, j.Status == engine.Queued, j.Status == engine.Stopping:
		t.Message = inWords(j, time.Now())
	case j.Waiting:
		if len(x.notices) == 0 {
			last = a.sinceAnswer(ctx, j, last)
		}
		secret := j.Entry == engine.EntryHidden || engine.AsksSecret(last) ||
			x.stderr != nil && engine.AsksSecret(lastLine(*x.stderr))
		a.addQuestion(ctx, j, last, secret, t)
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

// cancelTask begins to stop the job of a task, or ends a wait. A task that has ended stays as it is.
func (a *agent) cancelTask(ctx context.Context, j engine.Job, w *wait) error {
	if w != nil {
		return a.endWait(w, waited{At: time.Now(), Canceled: true})
	}
	if !j.Status.Finished() {
		a.work.Go(func() { a.stopTask(ctx, j) })
	}
	return nil
}

// stopTask stops the job of a canceled task. The job may take its whole grace period to end, and the
// client was answered before. The client may also have disconnected: then there is a time limit for what
// is left to do. The acknowledgement promised nothing, so a notice reports a job that cannot be stopped.
func (a *agent) stopTask(ctx context.Context, j engine.Job) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	unregister := context.AfterFunc(a.life, func() { time.AfterFunc(afterwards, cancel) })
	defer unregister()
	_, err := a.eng.Handle(j.ID).Stop(ctx, engine.StopOptions{})
	gone := errors.Is(err, engine.ErrNotRunning) || errors.Is(err, engine.ErrNotFound)
	if err == nil || gone || ctx.Err() != nil {
		return
	}
	f := general(failed(j, "stop", err))
	a.news.mu.Lock()
	defer a.news.mu.Unlock()
	a.news.add(notice{text: fmt.Sprintf("task %s was not canceled: %s; %s", j.ID, f.message, f.hint), logged: true})
}
