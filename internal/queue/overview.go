package queue

import (
	"errors"
	"io/fs"

	"github.com/hobjobs/hob/engine/record"
)

// Overview is the content of a queue as clients show it.
type Overview struct {
	Name   string `json:"name"`
	Slots  int    `json:"slots"`
	Paused bool   `json:"paused"`
	// Running are the jobs that have a slot, or were started without one. Waiting are the jobs that have not
	// started, in their order.
	Running []record.ID `json:"running"`
	Waiting []record.ID `json:"waiting"`
}

// Describe returns the overview of the queue name below the directory of all queues.
func Describe(queues, name string) (Overview, error) {
	dir := Dir(queues, name)
	Clean(dir)
	v, err := Read(dir)
	q := Overview{
		Name:    name,
		Slots:   v.Slots,
		Paused:  v.Paused,
		Running: []record.ID{},
		Waiting: []record.ID{},
	}
	for _, entry := range v.Entries {
		switch {
		case entry.State == Canceled: // its end is being recorded, or was a moment ago
		case entry.State.Pending():
			q.Waiting = append(q.Waiting, record.ID(entry.ID))
		default:
			q.Running = append(q.Running, record.ID(entry.ID))
		}
	}
	return q, err
}

// Change is a change of the settings of a queue. Zero fields change nothing.
type Change struct {
	Slots  int  `json:"slots,omitempty"`
	Pause  bool `json:"pause,omitempty"`
	Resume bool `json:"resume,omitempty"`
}

// Apply changes s.
func (c Change) Apply(s *Settings) {
	if c.Slots > 0 {
		s.Slots = c.Slots
	}
	switch {
	case c.Pause:
		s.Paused = true
	case c.Resume:
		s.Paused = false
	}
}

// IsNotWaiting reports whether a change of a queue failed because a job does not wait in it.
func IsNotWaiting(err error) bool {
	return errors.Is(err, ErrNotWaiting) || errors.Is(err, fs.ErrNotExist)
}
