//go:build !linux && !darwin

package holder

import "github.com/hobjobs/hob/internal/jobdir"

// askSocket cannot ask: this system has no signals.
func askSocket(jobdir.State) {}
