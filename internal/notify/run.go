package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/shellrun"
	"github.com/hobjobs/hob/internal/units"
)

// Limit is how long a command may run.
const Limit = 30 * time.Second

// maxOutput is how much a command may print, in bytes.
const maxOutput = 1 << 20

// Command is the user's command for the events of one job.
type Command struct {
	Script string // for sh
	ID     record.ID
	Name   string
	Dir    string   // of the job's records, where a failure is recorded
	Env    []string // in which Script runs; it is not changed
	Stdin  *os.File // has an [Object]; nil: one without the job
	// Start starts the command. Ended, if there is one, is called when it has been waited for.
	Start func(*exec.Cmd) error
	Ended func(*exec.Cmd)
}

// Run runs the command for a notice, until it has ended, [Limit] is over or ctx is done. All of it is killed then.
// It records why the command failed. The notice has nothing that the command could take for shell code: it is in the
// environment and in $1 and $2.
func (c Command) Run(ctx context.Context, n Notice) {
	ctx, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	out := shellrun.Tail{Limit: maxOutput}
	err := c.run(ctx, n, &out)
	exit, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = errors.New("killed after " + units.DurationText(Limit))
	case out.Flooded():
		err = errors.New("it printed more than " + units.BytesText(maxOutput))
	case exited && exit.Exited():
		err = errors.New("exit code " + strconv.Itoa(exit.ExitCode()))
	}
	_ = jobdir.WriteNotifyFailure(c.Dir, record.NotifyFailure{ // the job may have been cleared
		Event:  string(n.Event),
		At:     time.Now(),
		Error:  err.Error(),
		Output: strings.ToValidUTF8(out.LastLine(), "?"),
	})
}

func (c Command) run(ctx context.Context, n Notice, out *shellrun.Tail) error {
	cmd := shellrun.Command(ctx, c.Script, "hob", c.Name, n.Status)
	cmd.Dir = "/"
	cmd.Env = append(append([]string(nil), c.Env...),
		"HOB_NAME="+c.Name, "HOB_RESULT="+n.Result, "HOB_STATUS="+n.Status, "HOB_EVENT="+string(n.Event),
		"HOB_MESSAGE="+n.Message(c.Name), "HOB_EXIT_CODE="+n.Code, "HOB_JOB_ID="+string(c.ID))
	cmd.Stdout, cmd.Stderr = out, out
	if c.Stdin != nil {
		cmd.Stdin = c.Stdin
	} else {
		text, err := json.Marshal(Object{Event: string(n.Event), Message: n.Message(c.Name)})
		if err != nil {
			return err
		}
		cmd.Stdin = bytes.NewReader(append(text, '\n'))
	}
	if err := c.Start(cmd); err != nil {
		return err
	}
	err := cmd.Wait()
	if c.Ended != nil {
		c.Ended(cmd)
	}
	return err
}
