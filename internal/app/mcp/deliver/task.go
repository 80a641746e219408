package deliver

import (
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hobjobs/hob/engine"
)

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
func (d *Delivery) newTask(id string, began, changed time.Time, ended bool) *task {
	now := time.Now()
	if ended {
		now = changed
	}
	age := max(0, now.Sub(began))
	ttl := (age + d.Keep).Milliseconds()
	interval := min(max(age/10, minPollInterval), maxPollInterval)
	return &task{
		ResultType:   resultComplete,
		ID:           id,
		Status:       taskWorking,
		CreatedAt:    began.UTC(),
		UpdatedAt:    changed.UTC(),
		TTL:          &ttl,
		PollInterval: interval.Milliseconds(),
	}
}

// lastChange returns when a job last printed or changed its state, according to its files on this
// machine, or since if that is later.
func (d *Delivery) lastChange(j engine.Job, since time.Time) time.Time {
	if recorded := d.Notes.LastRecorded(string(j.ID)); recorded.After(since) {
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
