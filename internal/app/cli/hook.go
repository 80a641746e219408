package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/agents"
	"github.com/hobjobs/hob/internal/app/mcp"
	"github.com/hobjobs/hob/internal/units"
)

// maxEvent limits an event that an agent sends to its hook.
const maxEvent = 64 * units.MiB

// hookCommand answers an AI agent's hook. It is not meant to be typed.
func (a *app) hookCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "hook AGENT",
		Short:             "Answer the hook of an AI agent (JSON on stdin and stdout)",
		Hidden:            true,
		Args:              argCount(1, 1, "AGENT: "+agentNames()),
		ValidArgsFunction: completeAgents,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.hook(cmd.Context(), args[0]) },
	}
}

func (a *app) hook(ctx context.Context, name string) error {
	ag, err := findAgent(name)
	if err != nil {
		return err
	}
	event, err := io.ReadAll(io.LimitReader(a.stdin, maxEvent))
	if err != nil {
		return fmt.Errorf("cannot read the event: %w", err)
	}
	answer, err := ag.Answer(event, func(dir string) (string, error) { return a.runningFor(ctx, ag, dir) })
	if err != nil {
		return err
	}
	_, err = a.stdout.Write(answer)
	return err
}

// maxNamed limits the jobs that are named to a session.
const maxNamed = 10

// runningFor describes the running jobs of the project of dir to an agent.
func (a *app) runningFor(ctx context.Context, ag agents.Agent, dir string) (string, error) {
	dir, err := absoluteDir(dir)
	if err != nil {
		return "", err
	}
	eng, err := a.engine()
	if err != nil {
		return "", err
	}
	own, users, err := mcp.Running(ctx, eng, ag.Client, dir)
	if err != nil {
		return "", err
	}
	var sentences []string
	if len(own) > 0 {
		sentences = append(sentences, "Running jobs of this project in hob: "+named(own)+".")
	}
	if len(users) > 0 {
		sentences = append(sentences, "Started there by the user: "+named(users)+" (pass all: true to the process tool).")
	}
	if len(sentences) > 0 {
		sentences = append(sentences, "Read, wait for or stop them with hob's process tool (sessionId is the ID) or with hob log, hob wait and hob kill.")
	}
	return strings.Join(sentences, " "), nil
}

func named(jobs []engine.Job) string {
	now := time.Now()
	var each []string
	for _, j := range jobs[:min(len(jobs), maxNamed)] {
		each = append(each, fmt.Sprintf("%s (%s, started %s)", j.ID, escape(j.Name), age(j, now)))
	}
	if more := len(jobs) - len(each); more > 0 {
		each = append(each, units.Count(more, "more job"))
	}
	return strings.Join(each, ", ")
}
