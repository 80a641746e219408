package engine

import (
	"context"
	"fmt"

	"github.com/hobjobs/hob/internal/freeport"
)

// freePort returns a port for a job that asks for AutoPort, of the machine where it will run.
func freePort(ctx context.Context, e *Engine, s Spec, b Backend) (int, error) {
	if s.Host != "" {
		f, ok := b.(PortFinder)
		if !ok {
			return 0, &Error{Op: "start", Err: fmt.Errorf("%w: a free port on %s", ErrUnsupported, s.Host)}
		}
		port, err := f.FreePort(ctx, s)
		return port, opError("start", Job{}, err)
	}
	jobs, err := e.List(ctx, Filter{Running: true})
	if err != nil {
		return 0, err
	}
	given := map[int]bool{}
	for _, j := range jobs {
		if j.Host == "" {
			given[j.Port] = true
		}
	}
	port, err := freeport.Find(ctx, s.Dir, s.Name, given)
	return port, opError("start", Job{}, err)
}
