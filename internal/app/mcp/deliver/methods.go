package deliver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/mcp/plain"
	"github.com/hobjobs/hob/internal/app/mcp/tool"
)

// TasksExtension is the protocol extension with which the answer to a call can be a task, whose result
// the client fetches later: github.com/modelcontextprotocol/ext-tasks.
const TasksExtension = "io.modelcontextprotocol/tasks"

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

// receive is the middleware for all requests. It records which answers the client accepts and what
// the answer delivers, and allows a tool to answer with a task.
func (d *Delivery) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		r := accepted(req)
		r.listens = d.sending.listens(req.GetExtra())
		aboutTasks := r.listens || strings.HasPrefix(method, "tasks/")
		if aboutTasks && !r.tasks {
			return nil, tasksNotDeclared()
		}
		res, err := next(context.WithValue(ctx, requestKey{}, r), method, req)
		d.registerDelivery(req.GetExtra(), r, err == nil && ctx.Err() == nil)
		if call, ok := res.(*mcp.CallToolResult); ok && err == nil {
			if t, ok := call.StructuredContent.(*task); ok {
				return t, nil
			}
		}
		return res, err
	}
}

// AddTasks adds support for tasks to the server, and records what each of its answers delivers.
func (d *Delivery) AddTasks(srv *mcp.Server) error {
	srv.AddReceivingMiddleware(d.receive)
	return errors.Join(
		mcp.AddReceivingCustomMethod(srv, "tasks/get", func(ctx context.Context, ss *mcp.ServerSession, p *taskParams) (*task, error) {
			requestOf(ctx).repeatable = true
			return withTask(ctx, d, ss, &p.ParamsBase, p.ID, d.getTask)
		}),
		mcp.AddReceivingCustomMethod(srv, "tasks/update", func(ctx context.Context, ss *mcp.ServerSession, p *updateParams) (*done, error) {
			return withTask(ctx, d, ss, &p.ParamsBase, p.ID, func(ctx context.Context, j engine.Job, w *tool.Wait) (*done, error) {
				if w != nil {
					return &done{ResultType: resultComplete}, nil // a wait has no questions
				}
				return &done{ResultType: resultComplete}, d.updateTask(ctx, j, p.Responses)
			})
		}),
		mcp.AddReceivingCustomMethod(srv, "tasks/cancel", func(ctx context.Context, ss *mcp.ServerSession, p *taskParams) (*done, error) {
			return withTask(ctx, d, ss, &p.ParamsBase, p.ID, func(ctx context.Context, j engine.Job, w *tool.Wait) (*done, error) {
				return &done{ResultType: resultComplete}, d.cancelTask(ctx, j, w)
			})
		}),
	)
}

// withTask calls do with the job of a task, and with the wait that the task is about, or
// nil. Tasks of earlier sessions and of other servers are found too; those of other clients
// and projects are unknown.
func withTask[R any](ctx context.Context, d *Delivery, ss *mcp.ServerSession, p *mcp.ParamsBase, taskID any,
	do func(context.Context, engine.Job, *tool.Wait) (*R, error),
) (*R, error) {
	id, ok := taskID.(string)
	if !ok {
		return nil, invalidParams("taskId is not a string")
	}
	if err := d.server.Open((&mcp.ServerRequest[*mcp.ParamsBase]{Session: ss, Params: p}).ClientInfo()); err != nil {
		return nil, internal(err)
	}
	d.WaitRecorded()
	jobID, name := tool.SplitTaskID(id)
	var j engine.Job
	var w *tool.Wait
	var err error
	if name != "" {
		j, w, err = d.findWait(ctx, engine.ID(jobID), name)
	} else {
		j, err = d.Eng.Handle(engine.ID(jobID)).LastFacts(ctx)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, engine.ErrNotFound), errors.Is(err, engine.ErrInvalid), err == nil && !d.Scope.Owns(j):
		return nil, invalidParams("no task %q in this project: its job was removed or never existed", plain.OneLine(id, 80))
	case err != nil:
		return nil, internal(err)
	}
	d.taskFetched(j.ID)
	r, err := do(ctx, j, w)
	if err == nil {
		return r, nil
	}
	if _, ok := errors.AsType[*jsonrpc.Error](err); !ok && ctx.Err() == nil {
		err = internal(err)
	}
	return nil, err
}

// tasksNotDeclared is the error for a request about tasks that does not declare the
// extension.
func tasksNotDeclared() error {
	required := &mcp.ClientCapabilities{}
	required.AddExtension(TasksExtension, nil)
	data, err := json.Marshal(map[string]any{"requiredCapabilities": map[string]any{"extensions": required.Extensions}})
	if err != nil {
		return internal(err)
	}
	return &jsonrpc.Error{
		Code:    mcp.CodeMissingRequiredClientCapabilities,
		Message: "the request does not declare the capability " + TasksExtension,
		Data:    data,
	}
}

func invalidParams(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

func internal(err error) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: tool.General(err).Message}
}
