package project

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/httpget"
)

// A port that was open before a process started is no evidence that the process is ready: something else
// listens there. The label strangerLabel of the new job names the listener for a later hob up.

// unknownStranger is the value of strangerLabel for a listener that hob cannot see, for example of another user.
const unknownStranger = "unknown"

// strangerOn returns the value of strangerLabel for a process that is about to start, and "" if nothing
// listens on the port of its probe. The listener may be the job that the process replaces.
func strangerOn(ctx context.Context, eng *engine.Engine, proc Process, replaced engine.ID) (string, error) {
	port := proc.Ready.Probe.port()
	if port == 0 || !accepts(ctx, *proc.Ready.Probe.Get) {
		return "", nil
	}
	listeners, err := listenersOf(ctx, eng, port)
	if err != nil {
		return "", err
	}
	switch {
	case len(listeners) == 0:
		return unknownStranger, nil
	case replaced != "" && listeners[0].Job == replaced:
		return "", nil
	}
	return strconv.Itoa(listeners[0].PID), nil
}

// stranger returns why a process of a job that has a stranger on its port is not ready; "" if the stranger is
// gone, or if the job listens there itself.
func stranger(ctx context.Context, eng *engine.Engine, proc Process, job engine.Job) (string, error) {
	who, port := job.Labels[strangerLabel], proc.Ready.Probe.port()
	if who == "" || port == 0 || !accepts(ctx, *proc.Ready.Probe.Get) {
		return "", nil
	}
	listeners, err := listenersOf(ctx, eng, port)
	if err != nil {
		return "", err
	}
	owner := "a process that hob cannot see listens on it"
	known := who == unknownStranger
	for _, l := range listeners {
		if l.Job == job.ID {
			return "", nil
		}
		if strconv.Itoa(l.PID) == who {
			known, owner = true, l.String()
		}
	}
	if !known {
		return "", nil
	}
	return fmt.Sprintf("port %d was open before %s started: %s", port, proc.Name, owner), nil
}

// listenersOf returns the processes that listen on a port, as far as the system shows them.
func listenersOf(ctx context.Context, eng *engine.Engine, port int) ([]engine.Listener, error) {
	listeners, err := eng.Listeners(ctx, port)
	if errors.Is(err, engine.ErrUnsupported) {
		err = nil
	}
	return listeners, err
}

// accepts reports whether the server of a probe accepts connections.
func accepts(ctx context.Context, t httpget.Target) bool {
	conn, err := t.Dial(ctx)
	if err != nil {
		return false
	}
	_ = conn.Close() // the answer is known
	return true
}
