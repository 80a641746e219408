package holder

import "testing"

// The queue for a viewer that does not read is limited for all kinds of frames.
func TestViewQueueIsLimited(t *testing.T) {
	piece := make([]byte, 1000)
	for name, add := range map[string]func(v *view, offset int64){
		"output":           func(v *view, offset int64) { v.output(piece, offset) },
		"who is to type":   func(v *view, _ int64) { v.control(piece) },
		"one by the other": func(v *view, offset int64) { v.output(piece, offset); v.control(piece) },
	} {
		v := &view{last: -1}
		for i := range 2 * maxQueue / len(piece) {
			add(v, int64(i))
			if len(v.queue) > maxQueue+len(piece)+headerSize+offsetSize {
				t.Fatalf("%s: %d bytes in the queue", name, len(v.queue))
			}
		}
		if !v.desynced {
			t.Errorf("%s: no snapshot is due", name)
		}
	}
}
