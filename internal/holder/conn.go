package holder

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine/record"
)

// The pace is the minimum time between two frames of facts that are not urgent, between factsPause
// and factsRest. The default is factsPause, 30 frames a second.
const (
	factsPause = 33 * time.Millisecond
	factsRest  = 10 * time.Second
)

// conn is the connection of a client. One goroutine reads instructions and carries them out in order.
// A second one sends frames; it is started by the first subscription.
type conn struct {
	h    *Holder
	nc   *net.UnixConn
	wmu  sync.Mutex    // held while a frame is written
	wake chan struct{} // receives a value when frames may be due
	gone chan struct{} // closed when reading has ended

	// guarded by h.mu
	pumping    bool
	subscribed bool
	pace       time.Duration // between facts
	shows      bool          // shows the job to a user
	due        bool          // facts have changed since the last frame of them
	stateDue   bool          // the state among them
	urgent     bool
	note       *record.Note
	view       *view
	exitSent   bool // the end was sent
	leaving    bool
	busy       bool      // an instruction is being carried out; its answer is sent first
	since      time.Time // when busy last changed, or the client connected
}

// serve reads instructions until the client disconnects.
func (c *conn) serve(hello Hello) {
	defer c.h.removeConn(c)
	defer c.nc.Close()
	defer close(c.gone)
	if !c.send(appendFrame(nil, TypeHello, hello.encode())) {
		return
	}
	r := frameReader{r: c.nc, max: maxInstruction}
	for {
		f, err := r.next()
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				c.answer(nil, &Failure{CodeInvalid, err.Error()})
			}
			return
		}
		if !f.Type.Instruction() {
			continue
		}
		c.setBusy(true)
		result, err := c.carryOut(f)
		if !c.answer(result, err) || c.setBusy(false) {
			return
		}
		r.shrink()
	}
}

// setBusy records the beginning or the end of an instruction, and reports whether the connection must
// be closed after it.
func (c *conn) setBusy(on bool) (over bool) {
	c.h.mu.Lock()
	defer c.h.mu.Unlock()
	c.busy, c.since = on, time.Now()
	return c.leaving && !c.pumping
}

// answer sends the answer to an instruction.
func (c *conn) answer(result any, err error) bool {
	if err != nil {
		return c.send(appendFrame(nil, TypeError, encodeJSON(failure(err))))
	}
	var payload []byte
	if result != nil {
		payload = encodeJSON(result)
	}
	return c.send(appendFrame(nil, TypeOK, payload))
}

func (c *conn) send(b []byte) bool {
	c.wmu.Lock()
	defer c.wmu.Unlock()
	_, err := c.nc.Write(b)
	return err == nil
}

// output queues output for the client; h.mu is held.
func (c *conn) output(p []byte, offset int64) {
	if c.view != nil {
		c.view.output(p, offset)
		c.wakePump()
	}
	if c.subscribed && !c.due {
		c.due = true
		c.wakePump()
	}
}

// changed schedules a frame of facts; h.mu is held.
func (c *conn) changed(urgent bool) {
	if c.subscribed {
		c.due = true
		c.urgent = c.urgent || urgent
	}
	if c.subscribed || c.view != nil {
		c.wakePump()
	}
}

func (c *conn) wakePump() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// startPump starts the goroutine that sends frames; h.mu is held.
func (c *conn) startPump() {
	if !c.pumping && !c.h.closing {
		c.pumping = true
		c.h.wg.Go(c.pump)
	}
	c.wakePump()
}

// leave closes the connection after everything was sent, including the answer to a current
// instruction; h.mu is held.
func (c *conn) leave() {
	c.leaving = true
	_ = c.nc.SetDeadline(time.Now().Add(drainTimeout))
	if !c.pumping {
		_ = c.nc.CloseRead() // ends serve
	}
	c.wakePump()
}

// pump sends frames until the client disconnects or the holder closes the connection.
func (c *conn) pump() {
	var last time.Time // when facts were last sent
	var timer *time.Timer
	var late <-chan time.Time
	for {
		select {
		case <-c.wake:
		case <-late:
			late = nil
		case <-c.gone:
			return
		}
		b, wait, leaving := c.collect(&last)
		if len(b) > 0 && !c.send(b) {
			c.nc.Close()
			return
		}
		if leaving {
			c.lastSent()
			return
		}
		if wait > 0 { // reset the timer, because the pace may have changed
			if timer == nil {
				timer = time.NewTimer(wait)
				defer timer.Stop()
			} else {
				timer.Reset(wait)
			}
			late = timer.C
		}
	}
}

// lastSent closes the connection after the last frame, unless an instruction must still be answered.
func (c *conn) lastSent() {
	c.h.mu.Lock()
	defer c.h.mu.Unlock()
	c.pumping = false
	if !c.busy {
		c.nc.Close()
	}
}

// collect encodes what must be sent now. wait is how long to delay facts that are not due yet.
func (c *conn) collect(last *time.Time) (b []byte, wait time.Duration, leaving bool) {
	h := c.h
	h.mu.Lock()
	defer h.mu.Unlock()
	ended := h.state.Exit.Known()
	if c.view != nil {
		b = c.takeView(b)
	}
	if c.due {
		now := time.Now()
		if wait = last.Add(c.pace).Sub(now); c.urgent || ended || c.leaving || wait <= 0 {
			b = appendFrame(b, TypeFacts, encodeJSON(c.takeFacts()))
			*last, wait = now, 0
		}
	}
	if ended && !c.exitSent && (c.subscribed || c.view != nil) {
		c.exitSent = true
		b = appendFrame(b, TypeExit, encodeJSON(h.state.Exit))
	}
	return b, wait, c.leaving
}

// takeFacts returns the facts that the subscriber does not have yet; h.mu is held.
func (c *conn) takeFacts() Facts {
	h := c.h
	f := Facts{Output: h.outputLocked(), Dropped: h.state.Dropped, Bells: h.bells, Note: c.note, Unrecorded: h.unrecorded}
	if c.stateDue || h.state.Exit.Known() {
		st := h.state
		f.State = &st
	}
	c.due, c.stateDue, c.urgent, c.note = false, false, false, nil
	return f
}
