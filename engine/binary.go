package engine

import (
	"os"
	"path/filepath"

	"github.com/hobjobs/hob/internal/logfile"
)

// binarySample is the number of trailing bytes used to decide whether output is binary.
const binarySample = 4 << 10

// markBinary sets Binary in output events. It reads the logs, so it must not be called with a lock
// held.
func (e *Engine) markBinary(events []Event) {
	for i, ev := range events {
		if ev.Kind != EventOutput || ev.Job.Host != "" {
			continue
		}
		for _, s := range ev.Job.Streams() {
			path := filepath.Join(e.root.Dir(string(ev.Job.ID)), s.File())
			events[i].Binary = events[i].Binary || logfile.Binary(lastBytes(path, binarySample))
		}
	}
}

// lastBytes returns at most n bytes from the end of a file, or nil if it cannot be read, for
// example because it was just removed.
func lastBytes(path string, n int64) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	p := make([]byte, min(n, info.Size()))
	got, _ := f.ReadAt(p, info.Size()-int64(len(p))) // a partial read is good enough
	return p[:got]
}
