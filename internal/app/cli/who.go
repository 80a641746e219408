package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
)

func (a *app) whoCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "who :PORT",
		GroupID: groupInspect,
		Short:   "Show which job or process listens on a TCP port",
		Long: "Show which job or process of this machine listens on a TCP port. The exit code is 1 if hob\n" +
			"finds none. Processes of other users are found only by root.",
		Example: "hob who :3000",
		Args:    argCount(1, 1, "port"),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.who(cmd.Context(), args[0]) },
	}
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) who(ctx context.Context, arg string) error {
	port, err := units.ParsePort(strings.TrimPrefix(arg, ":"))
	if err != nil {
		return usagef("Usage: hob who :3000", "%w", err)
	}
	found, err := a.eng.Listeners(ctx, port)
	if err != nil {
		return err
	}
	if a.json {
		if found == nil {
			found = []engine.Listener{}
		}
		return a.printJSON(found)
	}
	if len(found) == 0 {
		return fmt.Errorf("no process that hob can see listens on port %d", port)
	}
	for _, l := range found {
		fmt.Fprintln(a.stdout, escape(l.String()))
	}
	return nil
}
