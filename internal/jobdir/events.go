package jobdir

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hobjobs/hob/internal/plainfile"
)

// Fact is one line of events: what happened, not output.
type Fact struct {
	At     time.Time `json:"at"`
	Kind   string    `json:"kind"`
	Offset int64     `json:"offset,omitempty"` // how far the output reached
	Title  string    `json:"title,omitempty"`  // a title, or that of a notification
	Body   string    `json:"body,omitempty"`
}

// maxFact bounds a line of events; a longer one is not read.
const maxFact = 16 << 10

// maxFacts bounds how much of events is read.
const maxFacts = 64 << 20

// AppendFact adds a line to events. One call is one write, so that lines of
// several writers never mix.
func AppendFact(dir string, f Fact) error {
	line, err := json.Marshal(f)
	if err != nil {
		return err
	}
	w, err := plainfile.OpenFile(filepath.Join(dir, EventsFile), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return errors.Join(err, w.Close())
}

// Facts reads events from since on. Lines that cannot be read are left out.
func Facts(dir string, since time.Time) ([]Fact, error) {
	f, err := plainfile.Open(filepath.Join(dir, EventsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var facts []Fact
	r := bufio.NewReaderSize(io.LimitReader(f, maxFacts), maxFact)
	for skip := false; ; {
		line, err := r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			skip = true
			continue
		}
		if err == nil && !skip {
			var fact Fact
			if json.Unmarshal(line, &fact) == nil && fact.Kind != "" && !fact.At.Before(since) {
				facts = append(facts, fact)
			}
		}
		skip = false
		if errors.Is(err, io.EOF) {
			return facts, nil
		}
		if err != nil {
			return facts, err
		}
	}
}
