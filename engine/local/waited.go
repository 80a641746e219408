package local

import (
	"os"
	"sync"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/turn"
)

// waited is how the wait of a queued job ended, in its holder.
type waited struct {
	turn.Result
	alive *jobdir.Alive
	leave func() // gives the job's place in the queue back
}

func newWaited(r turn.Result, entry string, alive *jobdir.Alive) *waited {
	return &waited{Result: r, alive: alive, leave: sync.OnceFunc(func() { _ = os.Remove(entry) })}
}
