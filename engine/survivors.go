package engine

import (
	"errors"
	"slices"

	"github.com/hobjobs/hob/internal/proc"
)

// livingSurvivors returns the recorded survivors of a job that may still exist: the record lists
// the processes left at the end. s is the state that lists them.
func (p place) livingSurvivors(s *State, left []Process) []Process {
	switch {
	case s.BootID == "" || p.boot == "" || s.Machine != p.machine:
		return left // of another machine, or not known
	case s.BootID != p.boot:
		return nil // no process survives a reboot
	case s.PIDNS != p.pidns:
		return left // the pids are of another namespace
	}
	return slices.DeleteFunc(left, func(one Process) bool {
		now, err := proc.Stat(one.PID)
		return errors.Is(err, proc.ErrGone) || err == nil && (now.Dead() || one.Start != "" && one.Start != now.Identity().Start)
	})
}
