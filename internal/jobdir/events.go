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

// Fact is one line of events: something that happened to the job, other than output.
type Fact struct {
	At     time.Time `json:"at"`
	Kind   string    `json:"kind"`
	Offset int64     `json:"offset,omitempty"` // length of the output at that time
	Title  string    `json:"title,omitempty"`  // of the terminal or of a notification
	Body   string    `json:"body,omitempty"`
	Code   *int      `json:"exit_code,omitempty"` // of a run that is followed by another one
	Signal string    `json:"signal,omitempty"`    // likewise
}

// maxFact is the longest line of events that is read, in bytes; longer ones are skipped.
const maxFact = 16 << 10

// maxFacts limits how much of events is read, in bytes.
const maxFacts = 64 << 20

// AppendFact appends a line to events in a single write, so that lines of several writers
// do not mix.
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

// Facts returns the facts from since on. It skips lines that cannot be parsed.
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
