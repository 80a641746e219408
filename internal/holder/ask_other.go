//go:build !linux && !darwin

package holder

import "github.com/hobjobs/hob/engine/record"

// askSocket cannot ask: this system has no signals.
func askSocket(record.State) {}
