// Package clicks counts presses of a mouse button that belong together: a second
// one in the same place selects a word, a third a line.
package clicks

import "time"

// within is how soon a click counts with the one before.
const within = 400 * time.Millisecond

// Counter counts clicks; the zero value has counted none. It belongs to one
// goroutine.
type Counter struct {
	Place any // of the last click
	Times int // how many there were on it
	last  time.Time
}

// Press counts a click on a place, which is of a comparable type, and returns how
// many there were in quick succession: 1, 2 or 3, then 1 again.
func (c *Counter) Press(place any, now time.Time) int {
	if c.Place != place || now.Sub(c.last) > within {
		c.Times = 0
	}
	c.Place, c.Times, c.last = place, c.Times%3+1, now
	return c.Times
}
