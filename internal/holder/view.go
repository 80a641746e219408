package holder

import "encoding/binary"

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
		b = Snapshot{Offset: h.offset, Size: h.state.Size, Data: append(data, h.snapshot()...)}.appendFrame(b)
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
