package ahead

// stackRoom is what a start, and a holder, need of stack.
const stackRoom = 40 << 10

// Deepen gives the calling goroutine, which has not called much yet, the stack that
// a start needs. It would grow to that by itself, but in four steps, each of which
// looks up every function that is being called: a twentieth of all that a start
// costs.
func Deepen() { deepen(false) }

// deepen has a frame of that size, which nothing is done with.
//
//go:noinline
func deepen(use bool) byte {
	if !use {
		return 0
	}
	var room [stackRoom]byte
	return last(&room)
}

//go:noinline
func last(room *[stackRoom]byte) byte { return room[len(room)-1] }
