package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/agents"
	"github.com/hobjobs/hob/internal/app/mcp"
	"github.com/hobjobs/hob/internal/config"
)

// runForAgent runs a command that an agent meant to run in the background of its shell. The job
// belongs to the agent's MCP server.
func (a *app) runForAgent(ctx context.Context, spec engine.Spec, settings *config.Config, f runFlags) error {
	ag, err := findAgent(f.agent)
	if err != nil {
		return err
	}
	dir, err := absoluteDir(spec.Dir)
	if err != nil {
		return err
	}
	a.client, a.detaches = ag.Client, true
	eng, err := a.engineWith(settings)
	if err != nil {
		return err
	}
	if !f.background {
		return a.followForAgent(ctx, eng, ag, dir)
	}
	spec.PTY, spec.Split, spec.Size = false, false, engine.Size{}
	spec.Labels = mcp.Labels(ag.Client, dir)
	job, err := a.start(ctx, spec)
	if errors.Is(err, engine.ErrStateDir) {
		return &failure{
			exit: exitFailed, code: "state_root", err: err,
			hint: "in a sandbox, use the tool bash of the MCP server hob with background: true",
		}
	}
	if err != nil {
		return err
	}
	if job.Status != engine.Failed {
		a.reportf("Started as job %s of hob. It survives this session. To use it: the process tool of hob (sessionId %[1]s), or hob log %[1]s, hob kill %[1]s", job.ID)
	}
	return a.printStarted(job)
}

// followForAgent starts the job in a process that ends at once, then prints the output and exits
// with the job. Agents end a background command with all descendants; this way the job is not one of them.
func (a *app) followForAgent(ctx context.Context, eng *engine.Engine, ag agents.Agent, dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	at := slices.Index(a.args, "run") + 1
	start := exec.CommandContext(ctx, self, slices.Insert(slices.Clone(a.args), at, "--background")...)
	start.Args[0] = os.Args[0]
	start.Stdin, start.Stderr = a.stdin, a.stderr
	id, err := start.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exitStatus(exit.ExitCode()) // it has reported why
	}
	if err != nil {
		return err
	}
	job, err := eng.Get(ctx, strings.TrimSpace(string(id)))
	if err != nil {
		return fmt.Errorf("the job was started, but cannot be followed: %w", err)
	}
	err = a.show(ctx, view{mode: asOutput, job: job})
	if _, ended := errors.AsType[exitStatus](err); err == nil || ended {
		err = errors.Join(mcp.RecordEnd(eng, ag.Client, dir, job.ID), err)
	}
	return err
}
