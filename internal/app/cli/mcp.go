package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/mcp"
)

func (a *app) mcpCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:     "mcp",
		GroupID: groupTalk,
		Short:   "Serves the tools bash and process to an AI agent on stdio",
		Long: "Serves the tools bash and process to an AI agent, by the Model Context Protocol on\n" +
			"standard input and output. Agents start it themselves; docs/agents.md says how each\n" +
			"is told to. The jobs they start are in everybody's list and outlive them.",
		Example:           "claude mcp add hob -- hob mcp",
		Args:              words(0, 0, ""),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.mcp(cmd.Context(), dir) },
	}
	cmd.Flags().StringVarP(&dir, "dir", "C", "", "the project's directory (default: this one)")
	_ = cmd.MarkFlagDirname("dir") // fails only for a flag that is not there
	return cmd
}

// mcp serves until the client leaves or a signal ends it.
func (a *app) mcp(ctx context.Context, dir string) error {
	project, err := absoluteDir(dir)
	if err != nil {
		return &failure{exit: exitFailed, code: "failed", err: fmt.Errorf("find the current directory: %w", err), hint: "hob mcp --dir PATH says where the project is"}
	}
	if fi, err := os.Stat(project); err != nil || !fi.IsDir() {
		return usagef("give one that exists, or leave --dir away", "%s is no directory", project)
	}
	if isTerminal(a.stdin) {
		a.reportf("hob mcp talks to agents, not to people: docs/agents.md says how to add it to one. Ctrl+D ends it.")
	}
	settings := a.settings()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// A client that is gone is an error of a write; ignoring the signal would be
	// inherited by the jobs.
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	defer signal.Stop(pipe)

	c := mcp.Config{
		Version:  version(),
		Dir:      project,
		Settings: settings.Agent,
		Logger:   a.logger(),
		Open: func(client string) (*engine.Engine, error) {
			a.client, a.quiet = client, true
			return a.engineWith(settings)
		},
	}
	for _, p := range append(settings.Problems, settings.Warnings...) {
		c.Problems = append(c.Problems, p.Error())
	}
	return mcp.Serve(ctx, c, mcp.Lines(a.stdin, a.stdout))
}
