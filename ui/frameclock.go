package ui

import (
	"reflect"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// frameClock sets the pace of Bubble Tea's renderer, which looks sixty times a
// second whether there is something new to draw, by how much there is: not at
// all while nothing happens, soon after a key, sixty times a second otherwise.
//
// The renderer's ticker is a private field of the program and is taken from
// there by reflection; where it is not found the renderer keeps its own pace. Its
// methods are safe for concurrent use.
type frameClock struct {
	mu     sync.Mutex
	ticker *time.Ticker // nil: not found
	pace   framePace
	until  time.Time   // when the pace may be slowed
	timer  *time.Timer // slows it
}

type framePace int

const (
	paceSteady framePace = iota // the renderer's own
	paceSoon
	paceRest
)

const (
	steadyEvery = time.Second / 60
	soonEvery   = 2 * time.Millisecond
	// soonFor is how long a frame is expected soon after a key. It is longer than
	// drawing takes, and short enough for the frame to go out once.
	soonFor = 6 * time.Millisecond
	// restAfter is how long after the last drawing the renderer rests. A frame is
	// handed over right after it was drawn, and then goes out at the next look: a
	// few looks are for slow machines, more would cost as much as the drawing.
	restAfter = 60 * time.Millisecond
)

// newFrameClock returns the clock of a program that is running.
func newFrameClock(p *tea.Program) *frameClock {
	c := &frameClock{ticker: rendererTicker(p)}
	c.timer = time.AfterFunc(restAfter, c.slow)
	return c
}

// rendererTicker is what makes the renderer look; nil if it is not where it was
// when this was written.
func rendererTicker(p *tea.Program) *time.Ticker {
	if p == nil {
		return nil
	}
	field := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*time.Ticker]() || field.IsNil() {
		return nil
	}
	return (*time.Ticker)(field.UnsafePointer())
}

// frame says that there may be something to draw; soon, that somebody waits for
// it.
func (c *frameClock) frame(soon bool) {
	if c == nil || c.ticker == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.pace == paceRest, c.pace == paceSteady && soon:
		c.set(paceSoon, soonEvery, soonFor)
	case c.pace == paceSteady:
		c.until = time.Now().Add(restAfter)
	case soon:
		c.until = time.Now().Add(soonFor)
	}
}

// set changes the pace for a while; c.mu is held.
func (c *frameClock) set(p framePace, every, during time.Duration) {
	c.pace, c.until = p, time.Now().Add(during)
	c.ticker.Reset(every)
	c.timer.Reset(during)
}

// slow goes on to the next slower pace once it is time.
func (c *frameClock) slow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ticker == nil {
		return
	}
	if left := time.Until(c.until); left > 0 {
		c.timer.Reset(left)
		return
	}
	switch c.pace {
	case paceSoon:
		c.set(paceSteady, steadyEvery, restAfter)
	case paceSteady:
		c.pace = paceRest
		c.ticker.Stop()
	case paceRest:
	}
}

// stop ends the clock; the renderer keeps the pace that it has.
func (c *frameClock) stop() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ticker = nil
	c.timer.Stop()
}
