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
		return &failure{exit: exitFailed, code: "failed", err: fmt.Errorf("find the current directory: %w", err), hint: "use hob mcp --dir DIR"}
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
			return a.engineWith(settings)
		},
	}
	for _, p := range append(settings.Problems, settings.Warnings...) {
		c.Problems = append(c.Problems, p.Error())
	}
	return mcp.Serve(ctx, c, mcp.Lines(a.stdin, a.stdout))
}
