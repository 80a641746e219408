//go:build linux || darwin

package hostjob

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/localclient"
)

// Main carries out the request in args, which are those of the program, and returns its exit code. ok is false
// if they are no request.
func Main(args []string) (code int, ok bool) {
	if len(args) < 2 {
		return 0, false
	}
	// If the client disconnects, a write fails and does not end this program, which completes what it has begun.
	signal.Ignore(syscall.SIGPIPE, syscall.SIGHUP)
	ctx := context.Background()
	rest := args[2:]
	var err error
	switch request := args[1]; {
	case request == "launch" && len(rest) == 0:
		err = answer(func(l Launch) any { return launch(ctx, &l) })
	case request == "list" && len(rest) > 0:
		err = write(list(ctx, rest[0], rest[1:]))
	case request == "act" && len(rest) == 1:
		err = answer(func(a Act) any { return act(ctx, rest[0], &a) })
	case request == "queue" && len(rest) == 1:
		err = answer(func(q Queues) any { return keepQueues(ctx, rest[0], &q) })
	case request == "port" && len(rest) == 1:
		err = answer(func(p Port) any { return freePort(ctx, rest[0], &p) })
	case request == "measure" && len(rest) > 0:
		err = write(measure(rest[0], rest[1:]))
	case request == "connect" && len(rest) == 1:
		err = holder.Relay(ctx, rest[0], os.Stdin, os.Stdout)
	default:
		return 0, false
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "hob-holder:", err)
		return 1, true
	}
	return 0, true
}

// answer reads the request on stdin and writes the answer to it on stdout.
func answer[T any](carryOut func(T) any) error {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	var request T
	if err := json.Unmarshal(text, &request); err != nil {
		return fmt.Errorf("the request is incomplete: %w", err)
	}
	return write(carryOut(request))
}

// write writes an answer, one line.
func write(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(append(text, '\n'))
	return err
}

// act acts on the job in dir.
func act(ctx context.Context, dir string, a *Act) Done {
	done := Done{}
	if err := carryOut(ctx, dir, a, &done); err != nil {
		done.Failure = holder.FailureOf(err)
	}
	return done
}

func carryOut(ctx context.Context, dir string, a *Act, done *Done) error {
	r, err := runIn(dir)
	if err != nil {
		return err
	}
	switch a.Op {
	case OpSignal:
		return r.Signal(ctx, a.Name, a.By)
	case OpStop:
		o := record.StopOptions{}
		if a.Stop != nil {
			o = *a.Stop
		}
		report, err := r.Stop(ctx, o)
		done.Stop = &report
		return err
	case OpWrite:
		taken, err := typeSlowly(ctx, a.Data, r.Write)
		if taken < len(a.Data) {
			done.Taken = taken
		}
		return err
	case OpCloseInput:
		return r.CloseInput(ctx)
	case OpKeys:
		return r.SendKeys(ctx, a.Keys)
	case OpPaste:
		return r.Paste(ctx, a.Data)
	case OpResize:
		return r.Resize(ctx, a.Size)
	case OpScreen:
		screen, err := r.Screen(ctx)
		done.Screen = &screen
		return err
	case OpBackground:
		return r.Background(ctx)
	}
	return &holder.Failure{Code: holder.CodeUnknown, Message: "hob-holder on the host has another version"}
}

// runIn returns the run of the job in dir.
func runIn(dir string) (*localclient.Run, error) {
	meta, err := jobdir.ReadMeta(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, record.ErrNotFound
	}
	meta.ID = record.ID(filepath.Base(dir))
	return localclient.NewRun(dir, meta.Request, true), err
}
