package engine

import (
	"errors"
	"slices"

	"github.com/hobjobs/hob/internal/proc"
)

// living is those of a job's recorded survivors that may still be there: the record
// says what was left at the end. s is the state that names them.
func (p place) living(s *State, left []Process) []Process {
	switch {
	case s.BootID == "" || p.boot == "" || s.Machine != p.machine:
		return left // of another machine, or nobody knows
	case s.BootID != p.boot:
		return nil // no process outlives its system
	case s.PIDNS != p.pidns:
		return left // the numbers are not this one's
	}
	return slices.DeleteFunc(left, func(one Process) bool {
		now, err := proc.Stat(one.PID)
		return errors.Is(err, proc.ErrGone) || err == nil && (now.Dead() || one.Start != "" && one.Start != now.Identity().Start)
	})
}
