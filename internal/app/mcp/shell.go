package mcp

import (
	"context"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/mcp/deliver"
	"github.com/hobjobs/hob/internal/app/mcp/session"
	"github.com/hobjobs/hob/internal/app/within"
)

// Labels returns the labels of a job that an agent starts from its shell in dir, so that its
// server for that project lists the job.
func Labels(client, dir string) map[string]string {
	labels := session.NewScope(client, dir).Labels()
	labels[session.LabelShell] = "yes"
	return labels
}

// Running returns the running jobs of an agent in the project of dir, and those that the user
// has started there.
func Running(ctx context.Context, eng *engine.Engine, client, dir string) (own, users []engine.Job, err error) {
	s := session.NewScope(client, dir)
	jobs, err := eng.List(ctx, engine.Filter{Running: true})
	for _, j := range jobs {
		switch {
		case s.Owns(j):
			own = append(own, j)
		case j.Labels[session.LabelClient] == "" && j.Host == "":
			users = append(users, j)
		}
	}
	return own, within.Dir(users, s.Project), err
}

// RecordEnd records that the agent was given the end of a job by its shell, so that no notice
// follows.
func RecordEnd(eng *engine.Engine, client, dir string, id engine.ID) error {
	return deliver.RecordEnd(eng, session.NewScope(client, dir), id)
}
