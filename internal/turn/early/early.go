// Package early waits for the turn of a queued job while the packages of this program are initialized.
// It imports what needs no initialization itself, and is initialized before most others (Go orders them
// by their imports and then by their paths): a holder that waits then needs two thirds of the memory.
package early

import "github.com/hobjobs/hob/internal/turn"

// Result is the result of the wait. Its outcome is [turn.NotAsked] except in the holder of a queued job.
var Result = turn.Wait(true)
