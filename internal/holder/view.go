package holder

import "encoding/binary"

// maxQueue is how much output waits for one viewer. Who is further behind gets a
// snapshot instead.
const maxQueue = 256 << 10

// maxHistory is how many bytes of the log a first snapshot goes back at most.
const maxHistory = 1 << 20

// view is an attached client's side of the terminal; h.mu guards it.
type view struct {
	attach   Attach
	reported bool   // the client has sent facts after attach
	queue    []byte // encoded frames
	last     int    // where the last frame of queue begins if it is output, else -1
	// desynced: the queue overflowed. Nothing more is queued until the client
	// has taken a snapshot.
	desynced bool
	past     *past // what a fresh one is shown of it; nil: nothing
	// fresh: nothing was sent yet, so a snapshot is no sign of slowness.
	fresh bool
}

// output queues p, behind which the stream is at offset.
func (v *view) output(p []byte, offset int64) {
	if v.desynced {
		return
	}
	if len(v.queue)+len(p) > maxQueue {
		v.desync()
		return
	}
	if v.last >= 0 && v.last < len(v.queue) {
		// Lengthen the frame that waits already.
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
		return // the snapshot says it too
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

// takeView appends to b what the client should be sent now; h.mu is held.
func (c *conn) takeView(b []byte) []byte {
	v := c.view
	if v.desynced {
		h := c.h
		var data []byte
		if v.fresh {
			data = v.past.upTo(h.offset, h.state.Size)
			v.past = nil
		} else {
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
