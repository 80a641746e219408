package holder

import "sync"

// inboxSize is how many frames a client receives ahead of its caller.
const inboxSize = 4

// inbox has the frames of a stream that were received and not yet taken. One goroutine puts frames in,
// another one takes them.
type inbox struct {
	mu     sync.Mutex
	frames []Frame
	// open means that an answer is awaited. It comes after frames of the stream, which the caller may
	// take only when it has the answer, so there is room for all of them.
	open  bool
	ended bool
	room  chan struct{} // may have a value once there is room
	ready chan struct{} // may have a value once there is a frame, or the stream has ended
}

func newInbox() *inbox {
	return &inbox{room: make(chan struct{}, 1), ready: make(chan struct{}, 1)}
}

// put waits for room and adds f. It returns false if down is closed first.
func (b *inbox) put(f Frame, down <-chan struct{}) bool {
	for !b.add(f) {
		select {
		case <-b.room:
		case <-down:
			return false
		}
	}
	return true
}

func (b *inbox) add(f Frame) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.frames) >= inboxSize && !b.open {
		return false
	}
	b.frames = append(b.frames, f)
	signal(b.ready)
	return true
}

// take removes the first frame, if there is one. ended means that no further one will come.
func (b *inbox) take() (f Frame, ok, ended bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.frames) == 0 {
		return Frame{}, false, b.ended
	}
	f = b.frames[0]
	b.frames[0] = Frame{} // for the garbage collector
	b.frames = b.frames[1:]
	signal(b.room)
	return f, true, false
}

// end marks the end of the stream.
func (b *inbox) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	signal(b.ready)
}

// setOpen makes room for any number of frames, or no longer.
func (b *inbox) setOpen(open bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open = open
	signal(b.room)
}

// signal gives c a value, unless it has one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
