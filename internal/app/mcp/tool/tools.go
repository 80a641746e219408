// Package tool does what the tools for agents promise: bash runs a command, process reads, types into,
// waits for and ends jobs. Each returns an [Answer] or a [Failure], in the words that an agent reads.
//
// It sends nothing. What an answer delivers besides, such as the ends of other jobs, and what becomes of
// a call that takes long, is decided by package deliver, behind the interface [Delivery].
package tool

import (
	"context"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/mcp/session"
)

// Delivery receives what the tools do, and reports every end to the agent once.
type Delivery interface {
	// Watch has a later answer report the end of a job in the background.
	Watch(j engine.Job)
	// Answering marks a call about a job as being in flight until done is called: its answer reports
	// the end.
	Answering(id engine.ID) (done func())
	// Offer lists the log of a job among the resources.
	Offer(j engine.Job)
	// Forget drops what is known of a job that no longer exists.
	Forget(id engine.ID)
	// AcceptsTasks reports whether the answer to the call of ctx may be a task.
	AcceptsTasks(ctx context.Context) bool
	// About records which job the call of ctx is about.
	About(ctx context.Context, id engine.ID)
}

// Tools are the tools of one session. Their methods may be called concurrently.
type Tools struct {
	*session.Session
	delivery Delivery
	readings readings
}

// New returns the tools of a session.
func New(s *session.Session, d Delivery) *Tools {
	return &Tools{Session: s, delivery: d, readings: readings{of: map[engine.ID]*reading{}}}
}

// Forget drops what is known of a job that no longer exists.
func (t *Tools) Forget(id engine.ID) {
	t.readings.drop(id)
	t.delivery.Forget(id)
}
