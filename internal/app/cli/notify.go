package cli

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/config"
	"github.com/hobjobs/hob/internal/notify"
	"github.com/hobjobs/hob/internal/shellword"
)

// notifyOption returns the shell command that holders on this machine run at events of their jobs.
func notifyOption(c *config.Config) local.Option {
	command, events := notifyCommand(c)
	if command != "" {
		command = withNotification(command)
	}
	return local.WithNotify(command, events...)
}

// notifyCommand returns the shell command for notifications, empty for none, and the events that it is for. Its
// arguments are the job's name and status.
func notifyCommand(c *config.Config) (command string, events []string) {
	if len(c.Notify.Command) == 0 || len(c.Notify.Events) == 0 {
		return "", nil
	}
	for _, e := range c.Notify.Events {
		events = append(events, string(e))
	}
	return shellword.Join(c.Notify.Command) + ` "$1" "$2"`, events
}

// withNotification returns a script for sh that runs a command with the object of notificationCommand on stdin. If hob
// has been removed meanwhile, the command gets the object that the script has on stdin, which has no job.
func withNotification(command string) string {
	program, err := thisProgram()
	if err != nil {
		return command
	}
	dir, err := engine.DefaultStateDir()
	if err != nil {
		return command
	}
	return "{ " + shellword.Join([]string{program, "notification", dir}) + " || cat; } | " + command
}

// notificationCommand prints the object that a command of [notify] reads. It is not meant to be typed.
func notificationCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:    "notification STATE-DIR",
		Short:  "Print the event in the environment as JSON; started for [notify] command",
		Hidden: true,
		Args:   argCount(1, 1, "state directory"),
		RunE:   func(cmd *cobra.Command, args []string) error { return printNotification(cmd.Context(), a, args[0]) },
	}
}

// notificationPatience limits how long the job of a notification is looked for.
const notificationPatience = 5 * time.Second

// printNotification prints what a command of [notify] reads.
func printNotification(ctx context.Context, a *app, stateDir string) error {
	n := notify.Object{Event: os.Getenv("HOB_EVENT"), Message: os.Getenv("HOB_MESSAGE")}
	eng, err := a.open(local.New(), engine.WithStateDir(stateDir))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, notificationPatience)
	defer cancel()
	job, err := eng.Handle(engine.ID(os.Getenv("HOB_JOB_ID"))).LastFacts(ctx)
	if err == nil {
		measured := eng.MeasureAll([]engine.Job{job})
		n.Job = measured[0]
	}
	return a.printJSON(n)
}
