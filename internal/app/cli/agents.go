package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/agents"
	"github.com/hobjobs/hob/internal/app/mcp"
	"github.com/hobjobs/hob/internal/config"
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
			exit: exitFailed,
			code: "state_root",
			err:  err,
			hint: "in a sandbox, use the tool bash of the MCP server hob with background: true",
		}
	}
	if err != nil {
		return err
	}
	if job.Status != engine.Failed {
		a.reportf("Started as job %s of hob. It survives this session. To use it: the process tool of hob (sessionId %[1]s), or hob log %[1]s, hob kill %[1]s", job.ID)
	}
	return a.printStarted(ctx, job)
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
	job, err := eng.Handle(engine.ID(strings.TrimSpace(string(id)))).Facts(ctx)
	if err != nil {
		return fmt.Errorf("the job was started, but cannot be followed: %w", err)
	}
	err = a.show(ctx, view{mode: asOutput, job: job})
	if _, ended := errors.AsType[exitStatus](err); err == nil || ended {
		err = errors.Join(mcp.RecordEnd(eng, ag.Client, dir, job.ID), err)
	}
	return err
}

func (a *app) mcpCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:     "mcp",
		GroupID: groupSetup,
		Short:   "Serve tools to AI agents (MCP on stdio)",
		Long: "Serve the tools bash and process to an AI agent with the Model Context Protocol on\n" +
			"stdin and stdout. The agent starts the server; hob setup adds it to an agent.\n" +
			"The agent's jobs are in hob list like all others and keep running after it exits.",
		Example: "hob setup claude",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.mcp(cmd.Context(), dir) },
	}
	cmd.Flags().VarP(textFlag(&dir, "DIR"), "dir", "C", "project directory (default: the current one)")
	_ = cmd.MarkFlagDirname("dir") // fails only for an undefined flag
	return cmd
}

// mcp serves until the client disconnects or a signal arrives.
func (a *app) mcp(ctx context.Context, dir string) error {
	project, err := absoluteDir(dir)
	if err != nil {
		return &failure{
			exit: exitFailed,
			code: "failed",
			err:  fmt.Errorf("find the current directory: %w", err),
			hint: "use hob mcp --dir DIR",
		}
	}
	if fi, err := os.Stat(project); err != nil || !fi.IsDir() {
		return usagef("use an existing directory, or remove --dir", "%s is not a directory", project)
	}
	if isTerminal(a.stdin) {
		a.reportf("hob mcp is started by AI agents; to add it to one: hob setup AGENT. Press Ctrl+D to exit.")
	}
	settings := a.settings()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// When the client has disconnected, a write is to return an error instead of ending
	// hob. The signal is caught rather than ignored, because jobs inherit ignored signals.
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	defer signal.Stop(pipe)

	c := mcp.Config{
		Version:  version(),
		Dir:      project,
		Settings: settings.Agent,
		Keep:     min(settings.Keep.Finished, settings.Agent.TTL),
		Logger:   a.logger(),
		Open: func(client string) (*engine.Engine, error) {
			a.client, a.noPrompt = client, true
			eng, err := a.engineWith(settings)
			if err == nil {
				notifyWhile(ctx, a, engine.Filter{CreatedBy: client}) // until ctx is done
			}
			return eng, err
		},
	}
	for _, p := range append(settings.Problems, settings.Warnings...) {
		c.Problems = append(c.Problems, p.Error())
	}
	return mcp.Serve(ctx, c, mcp.Lines(a.stdin, a.stdout))
}
