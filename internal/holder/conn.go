package holder

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine/record"
)

// Between factsPause and factsRest is the least time between two frames of facts
// that are not urgent: 30 a second, where the client asks for no other pace.
const (
	factsPause = 33 * time.Millisecond
	factsRest  = 10 * time.Second
)

// conn is one client. Two goroutines serve it at most: one reads and carries out
// instructions in order, the other, begun with the first subscription, sends.
type conn struct {
	h    *Holder
	nc   *net.UnixConn
	wmu  sync.Mutex    // one frame after the other
	wake chan struct{} // something may be sent
	gone chan struct{} // closed when reading has ended

	// guarded by h.mu
	pumping    bool
	subscribed bool
	pace       time.Duration // between facts
	shows      bool          // to a person
	due        bool          // facts have changed since the last frame of them
	stateDue   bool          // the state among them
	urgent     bool
	note       *record.Note
	view       *view
	told       bool // the end was sent
	leaving    bool
	busy       bool      // an instruction is being carried out: its answer goes first
	since      time.Time // when it came, or was answered last
}

// serve reads instructions until the client goes.
func (c *conn) serve(hello Hello) {
	defer c.h.forget(c)
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

// setBusy marks the time of an instruction and reports whether the connection is
// only waiting for its end.
func (c *conn) setBusy(on bool) (over bool) {
	c.h.mu.Lock()
	defer c.h.mu.Unlock()
	c.busy, c.since = on, time.Now()
	return c.leaving && !c.pumping
}

// answer ends an instruction.
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

// output offers a piece of output; h.mu is held.
func (c *conn) output(p []byte, offset int64) {
	if c.view != nil {
		c.view.output(p, offset)
		c.poke()
	}
	if c.subscribed && !c.due {
		c.due = true
		c.poke()
	}
}

// changed says that facts have changed; h.mu is held.
func (c *conn) changed(urgent bool) {
	if c.subscribed {
		c.due = true
		c.urgent = c.urgent || urgent
	}
	if c.subscribed || c.view != nil {
		c.poke()
	}
}

func (c *conn) poke() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// startPump begins sending; h.mu is held.
func (c *conn) startPump() {
	if !c.pumping && !c.h.closing {
		c.pumping = true
		c.h.wg.Go(c.pump)
	}
	c.poke()
}

// leave makes the connection end once everything was sent, the answer to an
// instruction that is being carried out included; h.mu is held.
func (c *conn) leave() {
	c.leaving = true
	_ = c.nc.SetDeadline(time.Now().Add(farewell))
	if !c.pumping {
		_ = c.nc.CloseRead() // serve ends by itself
	}
	c.poke()
}

// pump sends what there is to send until the client has gone or the holder
// takes its leave.
func (c *conn) pump() {
	var last time.Time // when facts were sent
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
		c.remember()
		b, wait, leaving := c.collect(&last)
		if len(b) > 0 && !c.send(b) {
			c.nc.Close()
			return
		}
		if leaving {
			c.lastSent()
			return
		}
		if wait > 0 { // not what was waited for before: the pace may have changed
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

// lastSent ends the connection after the last frame, or leaves that to the
// instruction that still has to be answered.
func (c *conn) lastSent() {
	c.h.mu.Lock()
	defer c.h.mu.Unlock()
	c.pumping = false
	if !c.busy {
		c.nc.Close()
	}
}

// collect encodes what is to be sent now. wait is how long to wait for facts that
// come too early.
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
	if ended && !c.told && (c.subscribed || c.view != nil) {
		c.told = true
		b = appendFrame(b, TypeExit, encodeJSON(h.state.Exit))
	}
	return b, wait, c.leaving
}

// takeFacts is what the subscriber does not know yet; h.mu is held.
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
