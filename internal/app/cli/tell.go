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
	"github.com/hobjobs/hob/internal/app/teller"
	"github.com/hobjobs/hob/internal/config"
	"github.com/hobjobs/hob/internal/notes"
	"github.com/hobjobs/hob/internal/notify"
	"github.com/hobjobs/hob/internal/shellrun"
	"github.com/hobjobs/hob/internal/shellword"
)

// newTeller returns a teller for a command that follows jobs without showing them on a screen. It tells of all events
// that run the user's command; nil if there are none.
func newTeller(a *app) *teller.Teller {
	n := a.settings().Notify
	if len(n.Command) == 0 || len(n.Events) == 0 {
		return nil
	}
	dir := a.eng.StateDir()
	return teller.New(notes.Of(dir), n.Events, func(j engine.Job, n notify.Notice) error {
		err := startTelling(dir, j, n)
		if err != nil {
			a.logger().Debug("cannot start the command of [notify]", "job", j.ID, "err", err)
		}
		return err
	})
}

// tellWhile tells the user of events of these jobs until stop is called, which also tells of what has happened by then.
func tellWhile(ctx context.Context, a *app, jobs []engine.Job) (stop func()) {
	t := newTeller(a)
	if t == nil {
		return func() {}
	}
	following, cancel := context.WithCancel(ctx)
	sub := a.eng.Subscribe(engine.Filter{IDs: idsOf(jobs)})
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

// telling is what a client passes to the process that runs the user's command.
type telling struct {
	ID     engine.ID     `json:"id"`
	Name   string        `json:"name"`
	Notice notify.Notice `json:"notice"`
}

// tellingVariable has a telling, which may have a question of the job: arguments can be seen by other users.
const tellingVariable = "HOB_TELLING"

// startTelling starts a process that runs the user's command for an event of a job, limits its time and records how it
// failed, also after this process has ended.
func startTelling(stateDir string, j engine.Job, n notify.Notice) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	what, err := json.Marshal(telling{j.ID, j.Name, n})
	if err != nil {
		return err
	}
	in, err := unnamedFile(notify.Object{Event: string(n.Event), Message: n.Message(j.Name), Job: j})
	if err != nil {
		return err
	}
	defer in.Close()
	cmd := exec.Command(self, "tell", stateDir)
	cmd.Env = append(os.Environ(), tellingVariable+"="+string(what))
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

// tellCommand runs the command of [notify] for a client. It is not meant to be typed.
func tellCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "tell STATE-DIR",
		Short:  "Run [notify] command once; started by hob itself",
		Hidden: true,
		Args:   argCount(1, 1, "state directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var what telling
			if err := json.Unmarshal([]byte(os.Getenv(tellingVariable)), &what); err != nil {
				return err
			}
			if err := os.Unsetenv(tellingVariable); err != nil {
				return err
			}
			return tell(cmd.Context(), args[0], what)
		},
	}
}

// tell runs the user's command, unless another process has done so, and returns when it has ended.
func tell(ctx context.Context, stateDir string, what telling) error {
	script := shellword.Join(config.Load().Notify.Command) + ` "$1" "$2"`
	ended := make(chan struct{})
	command := notify.Command{
		Script: script,
		ID:     what.ID,
		Name:   what.Name,
		Dir:    filepath.Join(stateDir, "jobs", string(what.ID)),
		Env:    os.Environ(),
		Stdin:  os.Stdin,
	}
	told := false
	err := teller.Tell(notes.Of(stateDir), what.ID, what.Notice.Event, func() error {
		told = true
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
	if told {
		<-ended
	}
	return err
}
