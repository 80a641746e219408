package tool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/mcp/params"
	"github.com/hobjobs/hob/internal/app/mcp/plain"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/logfile"
)

// Failure is an error with a hint that an agent can act on.
type Failure struct {
	code    string // stable name for programs
	Message string
	Hint    string // what to do next
	id      engine.ID
	Notices []string
}

func (f *Failure) Error() string { return f.Message }

// Usage returns the failure of a call that is wrong, with what to do about it.
func Usage(message, hint string) *Failure {
	return &Failure{
		code:    "usage",
		Message: message,
		Hint:    hint,
	}
}

// IsFailure reports whether an error is about the call, rather than that it was canceled.
func IsFailure(err error) bool {
	if _, ok := errors.AsType[*params.Mistake](err); ok {
		return true
	}
	_, ok := errors.AsType[*Failure](err)
	return ok
}

type failureJSON struct {
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Hint    string `json:"hint"`
	} `json:"error"`
	SessionID engine.ID `json:"sessionId,omitempty"`
	Notices   []string  `json:"notices,omitempty"`
}

// maxQuoted is the length in characters of a message and of a reference, both of which may quote what
// the client sent.
const maxQuoted = 2000

// Result converts the failure to an MCP result.
func (f *Failure) Result() *mcp.CallToolResult {
	// Errors quote names and what hosts report.
	f.Message = logfile.FirstRunes(cells.Visible(f.Message), maxQuoted)
	f.Hint = logfile.FirstRunes(cells.Visible(f.Hint), maxQuoted)
	v := failureJSON{SessionID: engine.ID(logfile.FirstRunes(cells.Visible(string(f.id)), maxQuoted)), Notices: f.Notices}
	v.Error.Code, v.Error.Message, v.Error.Hint = f.code, f.Message, f.Hint
	text := "error: " + f.Message
	for _, n := range f.Notices {
		text += "\nnote: " + n
	}
	if f.Hint != "" {
		text += "\nnext: " + f.Hint
	}
	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: text}},
		StructuredContent: v,
		IsError:           true,
	}
}

// Failed returns the failure of an action on a job. doing is the action, as in "write to".
func Failed(j engine.Job, doing string, err error) error {
	switch {
	case err == nil, IsFailure(err):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	f := General(err)
	f.id, f.Message = j.ID, doing+" "+string(j.ID)+": "+cause(err)
	can := "possible now: " + possible(j)
	switch {
	case errors.Is(err, engine.ErrNotRunning):
		if j.Status == engine.Queued {
			f.Message = fmt.Sprintf("%s %s: it is queued: %s", doing, j.ID, WaitReason(j, time.Now()))
			f.Hint = can
			break
		}
		f.Message = fmt.Sprintf("%s %s: it has ended (%s)", doing, j.ID, InWords(j, time.Now()))
		f.Hint = can + "; " + Call("log", j.ID) + " shows what it printed, " + Call("restart", j.ID) + " runs it again"
	case errors.Is(err, engine.ErrRunning):
		f.explainRunning(doing, j)
	case errors.Is(err, engine.ErrNoInput) && j.Stdin.Writable():
		f.Hint = "its input has ended and nothing more can be written to it; possible now: poll, log, wait, kill, remove, restart"
	case errors.Is(err, engine.ErrNoInput):
		f.Hint = can + "; to be able to write to it start it again without stdin \"none\", or with pty true"
	case errors.Is(err, engine.ErrUnreachable):
		f.Hint = "the job keeps running; try again when the host is reachable"
	case errors.Is(err, engine.ErrElsewhere):
		f.Hint = "only the machine or container that runs it can do that; " + Call("log", j.ID) + " works here"
	case errors.Is(err, engine.ErrNotFound):
		f.Message, f.Hint = fmt.Sprintf("%s %s: it was removed meanwhile", doing, j.ID), `process {"action":"list"}`
	default:
		f.Hint = can
		if hint := hintOf(err); hint != "" {
			f.Hint = hint + "; " + can
		}
	}
	return f
}

// explainRunning sets what an action that needs a job without processes says about one that has some.
func (f *Failure) explainRunning(doing string, j engine.Job) {
	kill, remove := Call("kill", j.ID), Call("remove", j.ID)
	switch {
	case j.Status == engine.Queued:
		f.Message = fmt.Sprintf("%s %s: it is queued: %s", doing, j.ID, WaitReason(j, time.Now()))
		f.Hint = kill + " takes it out of the queue, " + remove + " clears it, too"
	case j.Status.Finished():
		f.Hint = kill + " ends it, " + remove + " ends it and clears the job"
	default:
		f.Message = fmt.Sprintf("%s %s: it is still running", doing, j.ID)
		f.Hint = kill + " ends it, " + remove + " ends and clears it"
	}
}

// hintOf returns the hint of an engine's error, empty if it has none.
func hintOf(err error) string {
	if e, ok := errors.AsType[*engine.Error](err); ok {
		return e.Hint
	}
	return ""
}

// cause returns the text of an engine's error without its operation and job.
func cause(err error) string {
	if e, ok := errors.AsType[*engine.Error](err); ok && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}

// General returns the failure of a call that is not about one job.
func General(err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	if f := requestFailure(err); f != nil {
		return f
	}
	if m, ok := errors.AsType[*params.Mistake](err); ok {
		return Usage(m.Message, m.Hint)
	}
	f := &Failure{
		code:    engine.ErrorKindOf(err).Code,
		Message: err.Error(),
		Hint:    "if it fails again, report it to the user; hob list in a terminal lists the jobs",
	}
	switch f.code {
	case "unsupported":
		f.Hint = "remove the unsupported argument, or run the command on this machine"
	case "unreachable":
		f.Hint = "nothing was started; hob hosts check HOST in a terminal shows what is missing"
	case "usage":
		f.Hint = "correct the arguments and call again"
	case "state_root":
		f.Hint = "the user must repair the state directory, or set HOB_STATE_DIR to a directory they own"
	}
	f.Hint = cmp.Or(hintOf(err), f.Hint)
	if m, ok := errors.AsType[*engine.AmbiguousError](err); ok {
		var ids []string
		for _, j := range m.Candidates[:min(len(m.Candidates), 8)] {
			ids = append(ids, fmt.Sprintf("%s (%s, %s)", j.ID, StatusOf(j), InWords(j, time.Now())))
		}
		f.id, f.Message = engine.ID(m.Ref), fmt.Sprintf("%q means %d jobs", plain.OneLine(m.Ref, 80), len(m.Candidates))
		f.Hint = "give an id: " + strings.Join(ids, ", ")
	}
	return f
}

// requestFailure returns why a request cannot be used, in terms of arguments; nil for other errors.
func requestFailure(err error) *Failure {
	wrong, ok := errors.AsType[*engine.SpecError](err)
	if !ok {
		return nil
	}
	return Usage(wrong.Text(func(o engine.JobOption) string {
		if o.Argument == nil {
			return o.Name
		}
		return o.Argument.Name
	}))
}
