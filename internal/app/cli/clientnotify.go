package cli

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/clientnotify"
	"github.com/hobjobs/hob/internal/config"
	"github.com/hobjobs/hob/internal/notes"
	"github.com/hobjobs/hob/internal/notify"
	"github.com/hobjobs/hob/internal/shellrun"
	"github.com/hobjobs/hob/internal/shellword"
)

// newSender returns what notifies the user of all events that run the user's command; nil if there are none.
func newSender(a *app) *clientnotify.Sender {
	n := a.settings().Notify
	if len(n.Command) == 0 || len(n.Events) == 0 {
		return nil
	}
	dir := a.eng.StateDir()
	return clientnotify.New(notes.Of(dir), n.Events, func(j engine.Job, n notify.Notice) error {
		err := startSending(dir, j, n)
		if err != nil {
			a.logger().Debug("cannot start the command of [notify]", "job", j.ID, "err", err)
		}
		return err
	})
}

// notifyWhile notifies the user of events of the jobs that f selects until stop is called, and of what has happened by
// then to the given jobs.
func notifyWhile(ctx context.Context, a *app, f engine.Filter, jobs ...engine.Job) (stop func()) {
	t := newSender(a)
	if t == nil {
		return func() {}
	}
	following, cancel := context.WithCancel(ctx)
	sub := a.eng.Subscribe(f)
	sub.Attend() // an event may be sent a second late
	var wg sync.WaitGroup
	wg.Go(func() { t.Follow(following, sub) })
	return func() {
		cancel()
		wg.Wait()
		_ = sub.Close()
		for _, j := range a.refresh(context.WithoutCancel(ctx), jobs...) {
			t.Look(&j)
		}
	}
}

// sending is what a client passes to the process that runs the user's command.
type sending struct {
	ID     engine.ID     `json:"id"`
	Name   string        `json:"name"`
	Notice notify.Notice `json:"notice"`
}

// sendingVariable has a sending, which may have a question of the job: arguments can be seen by other users.
const sendingVariable = "HOB_SENDING"

// startSending starts a process that runs the user's command for an event of a job, limits its time and records how it
// failed, also after this process has ended.
func startSending(stateDir string, j engine.Job, n notify.Notice) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	what, err := json.Marshal(sending{j.ID, j.Name, n})
	if err != nil {
		return err
	}
	in, err := unnamedFile(notify.Object{Event: string(n.Event), Message: n.Message(j.Name), Job: j})
	if err != nil {
		return err
	}
	defer in.Close()
	cmd := exec.Command(self, "send-notification", stateDir)
	cmd.Env = append(os.Environ(), sendingVariable+"="+string(what))
	cmd.Dir, cmd.Stdin = filepath.Dir(stateDir), in
	shellrun.OwnSession(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // reaps it, if it ends first
	return nil
}

// unnamedFile returns a file with the JSON form of v, to be read from its beginning.
func unnamedFile(v any) (*os.File, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp("", "hob-")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name())
	_, err = f.Write(append(text, '\n'))
	if err == nil {
		_, err = f.Seek(0, 0)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// sendNotificationCommand runs the command of [notify] for a client. It is not meant to be typed.
func sendNotificationCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "send-notification STATE-DIR",
		Short:  "Run [notify] command once; started by hob itself",
		Hidden: true,
		Args:   argCount(1, 1, "state directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var what sending
			if err := json.Unmarshal([]byte(os.Getenv(sendingVariable)), &what); err != nil {
				return err
			}
			if err := os.Unsetenv(sendingVariable); err != nil {
				return err
			}
			return sendNotification(cmd.Context(), args[0], what)
		},
	}
}

// sendNotification runs the user's command, unless another process has done so, and returns when it has ended.
func sendNotification(ctx context.Context, stateDir string, what sending) error {
	script := shellword.Join(config.Load().Notify.Command) + ` "$1" "$2"`
	ended := make(chan struct{})
	command := notify.Command{
		Script: script,
		ID:     what.ID,
		Name:   what.Name,
		Dir:    notes.Of(stateDir).Dir(string(what.ID)),
		Env:    os.Environ(),
		Stdin:  os.Stdin,
	}
	sent := false
	err := clientnotify.Once(notes.Of(stateDir), what.ID, what.Notice.Event, func() error {
		sent = true
		tried := make(chan struct{})
		command.Start = func(cmd *exec.Cmd) error {
			defer close(tried)
			return cmd.Start()
		}
		go func() {
			defer close(ended)
			command.Run(ctx, what.Notice)
		}()
		<-tried
		return nil // a failure to start is recorded like others
	})
	if sent {
		<-ended
	}
	return err
}
