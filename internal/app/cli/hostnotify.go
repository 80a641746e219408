package cli

import (
	"context"
	"strings"

	"github.com/hobjobs/hob/internal/config"
)

// readNotify returns what the settings of a host have about notifications. Other mistakes in them are reported by a hob
// there.
func readNotify(settings []byte) (command string, events []string, err error) {
	c := config.Parse(settings)
	command, events = notifyCommand(c)
	for _, p := range c.Problems {
		if p.Name == "" || strings.HasPrefix(p.Name, "notify.") {
			return command, events, p
		}
	}
	return command, events, nil
}

// warnUnnotified warns the user if nothing would notify of a job on host while no window is open.
func warnUnnotified(ctx context.Context, a *app, host string, c *config.Config) {
	command, _ := notifyCommand(c)
	there := ""
	if host != "" {
		there = " of " + host
		if !a.hosts.HasHolder(host) {
			return // the start is refused
		}
		command, _ = a.hosts.NotifyCommand(ctx, host) // if the host cannot be reached, the start says so
	}
	if command == "" {
		a.reportf("%s --notify needs an open hob window, or a command in the settings%s: [notify] command = \"notify-send\"", a.paintErr("hob:", styleWarn), there)
	}
}
