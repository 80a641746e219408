// Package session has what the rooms of the server for agents share: the engine, the jobs that the agent
// sees, and how long the session lives.
package session

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/config"
	"github.com/hobjobs/hob/internal/notes"
)

// Session is the session of one client.
type Session struct {
	// Dir is the agent's working directory, absolute.
	Dir      string
	Settings config.Agent
	Keep     time.Duration // how long finished jobs are kept
	Log      *slog.Logger

	// Life ends with the session. It bounds the goroutines of Work, which belong to no call.
	Life context.Context //nolint:containedctx // the goroutines outlive the calls that start them
	Work sync.WaitGroup

	// Opened sets these before the first call of a tool, and nothing does after that.
	Eng   *engine.Engine
	Notes notes.Book
	Scope Scope
	Began time.Time
}

// Opened has the session use the engine, for the jobs of the named client in the project of Dir.
func (s *Session) Opened(eng *engine.Engine, client string) {
	s.Eng, s.Notes = eng, notes.Of(eng.StateDir())
	s.Scope, s.Began = NewScope(client, s.Dir), time.Now()
}
