package holder

import (
	"encoding/binary"
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
				c.answer(nil, &Failure{Code: CodeInvalid, Message: err.Error()})
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

func (c *conn) answer(result any, err error) bool {
	if err != nil {
		return c.send(appendFrame(nil, TypeError, encodeJSON(FailureOf(err))))
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
		if urgent {
			c.urgent = true
		}
	}
	if c.streams() {
		c.wakePump()
	}
}

// streams reports whether the client receives frames without asking for each; h.mu is held.
func (c *conn) streams() bool { return c.subscribed || c.view != nil }

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

// idle reports whether the client neither watches the job nor waits for an answer; h.mu is held.
func (c *conn) idle() bool {
	active := c.pumping || c.busy || c.leaving
	return !active
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
		urgent := c.urgent || ended || c.leaving
		if wait = last.Add(c.pace).Sub(now); urgent || wait <= 0 {
			b = appendFrame(b, TypeFacts, encodeJSON(c.takeFacts()))
			*last, wait = now, 0
		}
	}
	if ended && !c.exitSent && c.streams() {
		c.exitSent = true
		b = appendFrame(b, TypeExit, encodeJSON(h.state.Exit))
	}
	return b, wait, c.leaving
}

// takeFacts returns the facts that the subscriber does not have yet; h.mu is held.
func (c *conn) takeFacts() Facts {
	h := c.h
	f := Facts{
		Output:     h.outputLocked(),
		Dropped:    h.state.Dropped,
		Bells:      h.bells,
		Note:       c.note,
		Unrecorded: h.unrecorded,
		DiskSince:  h.diskSince(),
	}
	if c.stateDue || h.state.Exit.Known() {
		st := h.stateLocked()
		f.State = &st
	}
	c.due, c.stateDue, c.urgent, c.note = false, false, false, nil
	return f
}

// maxQueue limits the output that is queued for a viewer, in bytes. A viewer that is further behind
// gets a snapshot instead.
const maxQueue = 256 << 10

// maxHistory limits the part of the log that is processed for a first snapshot, in bytes.
const maxHistory = 1 << 20

// view is the state of an attached client; guarded by h.mu.
type view struct {
	attach   Attach
	reported bool   // the client has sent facts after attach
	queue    []byte // encoded frames
	last     int    // index of the last frame in queue if it is output, else -1
	// desynced means that the queue overflowed. Nothing more is queued until a snapshot
	// was sent.
	desynced bool
	// fresh means that nothing was sent yet, so that a snapshot is not a sign of a slow
	// client.
	fresh bool
}

// output queues p, whose end is at offset.
func (v *view) output(p []byte, offset int64) {
	if v.desynced {
		return
	}
	if len(v.queue)+len(p) > maxQueue {
		v.desync()
		return
	}
	if v.last >= 0 && v.last < len(v.queue) {
		// Extend the last frame in the queue.
		head := v.queue[v.last:]
		size := binary.BigEndian.Uint32(head[1:])
		binary.BigEndian.PutUint32(head[1:], size+uint32(len(p)))
		binary.BigEndian.PutUint64(head[headerSize:], uint64(offset))
		v.queue = append(v.queue, p...)
		return
	}
	v.last = len(v.queue)
	v.queue = append(v.queue, byte(TypeOutput))
	v.queue = binary.BigEndian.AppendUint32(v.queue, uint32(offsetSize+len(p)))
	v.queue = binary.BigEndian.AppendUint64(v.queue, uint64(offset))
	v.queue = append(v.queue, p...)
}

func (v *view) control(payload []byte) {
	if v.desynced {
		return // the snapshot includes it
	}
	if len(v.queue)+len(payload) > maxQueue {
		v.desync()
		return
	}
	v.queue = appendFrame(v.queue, TypeControl, payload)
	v.last = -1
}

func (v *view) desync() {
	v.queue, v.last = nil, -1
	v.desynced = true
}

// takeView appends to b what must be sent to the client now; h.mu is held.
func (c *conn) takeView(b []byte) []byte {
	v := c.view
	if v.desynced {
		h := c.h
		var data []byte
		if v.fresh && v.attach.Scrollback > 0 && h.offset > 0 {
			data = h.history(v.attach.Scrollback)
		} else if !v.fresh {
			b = appendFrame(b, TypeDesync, binary.BigEndian.AppendUint64(nil, uint64(h.offset)))
		}
		b = appendFrame(b, TypeControl, encodeJSON(h.controlFor(c)))
		b = Snapshot{
			Offset: h.offset,
			Size:   h.state.Size,
			Data:   append(data, h.snapshot()...),
		}.appendFrame(b)
		v.desynced, v.fresh = false, false
		return b
	}
	b = append(b, v.queue...)
	v.queue, v.last = v.queue[:0], -1
	if cap(v.queue) > maxQueue/4 {
		v.queue = nil
	}
	return b
}
