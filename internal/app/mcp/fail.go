package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/logfile"
)

// failure is an error with a hint that an agent can act on.
type failure struct {
	code    string // stable name for programs
	message string
	hint    string // what to do next
	id      engine.ID
	notices []string
}

func (f *failure) Error() string { return f.message }

func usage(message, hint string) *failure {
	return &failure{code: "usage", message: message, hint: hint}
}

func isFailure(err error) bool {
	_, ok := errors.AsType[*failure](err)
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

func (f *failure) result() *mcp.CallToolResult {
	// Errors quote names and what hosts report.
	f.message = logfile.FirstRunes(cells.Visible(f.message), maxQuoted)
	f.hint = logfile.FirstRunes(cells.Visible(f.hint), maxQuoted)
	v := failureJSON{SessionID: engine.ID(logfile.FirstRunes(cells.Visible(string(f.id)), maxQuoted)), Notices: f.notices}
	v.Error.Code, v.Error.Message, v.Error.Hint = f.code, f.message, f.hint
	text := "error: " + f.message
	for _, n := range f.notices {
		text += "\nnote: " + n
	}
	if f.hint != "" {
		text += "\nnext: " + f.hint
	}
	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: text}},
		StructuredContent: v,
		IsError:           true,
	}
}

// failed returns the failure of an action on a job. doing is the action, as in "write to".
func failed(j engine.Job, doing string, err error) error {
	if err == nil || isFailure(err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	f := general(err)
	f.id, f.message = j.ID, doing+" "+string(j.ID)+": "+cause(err)
	can := "possible now: " + possible(j)
	switch {
	case errors.Is(err, engine.ErrNotRunning) && j.Status == engine.Queued:
		f.message = fmt.Sprintf("%s %s: it is queued: %s", doing, j.ID, waitReason(j, time.Now()))
		f.hint = can
	case errors.Is(err, engine.ErrNotRunning):
		f.message = fmt.Sprintf("%s %s: it has ended (%s)", doing, j.ID, inWords(j, time.Now()))
		f.hint = can + "; " + call("log", j.ID) + " shows what it printed, " + call("restart", j.ID) + " runs it again"
	case errors.Is(err, engine.ErrRunning) && j.Status == engine.Queued:
		f.message = fmt.Sprintf("%s %s: it is queued: %s", doing, j.ID, waitReason(j, time.Now()))
		f.hint = call("kill", j.ID) + " takes it out of the queue, " + call("remove", j.ID) + " clears it, too"
	case errors.Is(err, engine.ErrRunning) && j.Status.Finished():
		f.hint = call("kill", j.ID) + " ends it, " + call("remove", j.ID) + " ends it and clears the job"
	case errors.Is(err, engine.ErrRunning):
		f.message = fmt.Sprintf("%s %s: it is still running", doing, j.ID)
		f.hint = call("kill", j.ID) + " ends it, " + call("remove", j.ID) + " ends and clears it"
	case errors.Is(err, engine.ErrNoInput) && j.Stdin.Writable():
		f.hint = "its input has ended and nothing more can be written to it; possible now: poll, log, wait, kill, remove, restart"
	case errors.Is(err, engine.ErrNoInput):
		f.hint = can + "; to be able to write to it start it again without stdin \"none\", or with pty true"
	case errors.Is(err, engine.ErrUnreachable):
		f.hint = "the job keeps running; try again when the host is reachable"
	case errors.Is(err, engine.ErrElsewhere):
		f.hint = "only the machine or container that runs it can do that; " + call("log", j.ID) + " works here"
	case errors.Is(err, engine.ErrNotFound):
		f.message, f.hint = fmt.Sprintf("%s %s: it was removed meanwhile", doing, j.ID), `process {"action":"list"}`
	default:
		f.hint = can
		if e, ok := errors.AsType[*engine.Error](err); ok && e.Hint != "" {
			f.hint = e.Hint + "; " + can
		}
	}
	return f
}

// cause returns the text of an engine's error without its operation and job.
func cause(err error) string {
	if e, ok := errors.AsType[*engine.Error](err); ok && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}

// possible lists the actions that a job in its current state allows.
func possible(j engine.Job) string {
	var can []string
	switch {
	case j.Status.Finished():
		can = []string{"poll", "log", "restart", "clear", "remove"}
	case j.Status == engine.Queued:
		return "poll, log, wait, kill, remove, restart"
	case j.Stdin.Writable():
		can = []string{"poll", "log", "write", "send-keys", "submit", "paste", "wait", "kill", "remove", "restart"}
	default:
		can = []string{"poll", "log", "wait", "kill", "remove", "restart"}
	}
	if j.HasTerminal() {
		can = append(can, "screen")
	}
	if j.Kind == engine.KindVirtual { // only the program that runs it could restart it
		can = slices.DeleteFunc(can, func(name string) bool { return name == "restart" })
	}
	return strings.Join(can, ", ")
}

// unknown returns the failure of a reference without a job in the scope. It does not reveal
// whether a job outside of the scope has that id.
func (a *agent) unknown(ctx context.Context, ref string, all bool) error {
	f := &failure{code: "not_found", id: engine.ID(ref)}
	f.message = fmt.Sprintf("no job %q here", oneLine(ref, 80))
	if ref == "" {
		f.code, f.message = "usage", "missing sessionId"
	}
	jobs, err := a.eng.List(ctx, a.scope.filter(all))
	switch {
	case err != nil || len(jobs) == 0 && all:
		f.hint = "there are no jobs; bash starts one"
	case len(jobs) == 0:
		f.hint = `you have no jobs in this project; bash starts one, process {"action":"list","all":true} shows those of others`
	default:
		var ids []string
		for _, j := range jobs[:min(len(jobs), 5)] {
			ids = append(ids, fmt.Sprintf("%s (%s)", j.ID, statusOf(j)))
		}
		f.hint = "jobs: " + strings.Join(ids, ", ")
		if len(jobs) > 5 {
			f.hint += fmt.Sprintf(" and %d more", len(jobs)-5)
		}
		f.hint += `; process {"action":"list"} lists yours`
		if !all {
			f.hint += ", and with \"all\":true also those of others"
		}
	}
	return f
}

// general returns the failure of a call that is not about one job.
func general(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	if f := requestFailure(err); f != nil {
		return f
	}
	f := &failure{code: engine.ErrorKindOf(err).Code, message: err.Error(), hint: "if it fails again, report it to the user; hob list in a terminal lists the jobs"}
	switch f.code {
	case "unsupported":
		f.hint = "remove the unsupported argument, or run the command on this machine"
	case "unreachable":
		f.hint = "nothing was started; hob hosts check HOST in a terminal shows what is missing"
	case "usage":
		f.hint = "correct the arguments and call again"
	case "state_root":
		f.hint = "the user must repair the state directory, or set HOB_STATE_DIR to a directory they own"
	}
	if e, ok := errors.AsType[*engine.Error](err); ok && e.Hint != "" {
		f.hint = e.Hint
	}
	if m, ok := errors.AsType[*engine.AmbiguousError](err); ok {
		var ids []string
		for _, j := range m.Candidates[:min(len(m.Candidates), 8)] {
			ids = append(ids, fmt.Sprintf("%s (%s, %s)", j.ID, statusOf(j), inWords(j, time.Now())))
		}
		f.id, f.message = engine.ID(m.Ref), fmt.Sprintf("%q means %d jobs", oneLine(m.Ref, 80), len(m.Candidates))
		f.hint = "give an id: " + strings.Join(ids, ", ")
	}
	return f
}
