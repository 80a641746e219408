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

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/plainfile"
)

// Fact is one line of events: something that happened to the job, other than output.
type Fact struct {
	At      time.Time      `json:"at"`
	Kind    string         `json:"kind"`
	Offset  int64          `json:"offset,omitempty"` // length of the output at that time
	Title   string         `json:"title,omitempty"`  // of the terminal or of a notification
	Body    string         `json:"body,omitempty"`
	Urgency record.Urgency `json:"urgency,omitempty"`   // of a notification
	Code    *int           `json:"exit_code,omitempty"` // of a run that is followed by another one
	Signal  string         `json:"signal,omitempty"`    // likewise
	// Program is the change of the state that a program reports, for a fact of kind "status".
	Program *record.ProgramChange `json:"program,omitempty"`
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

// Empty files in a job directory that mark it.
const (
	// SeenFile marks a job whose end the user has seen.
	SeenFile = "seen"
	// BackgroundFile marks a queued job that is in the background.
	BackgroundFile = "background"
	// abandonedFile marks a job whose files on its host are given up.
	abandonedFile = "abandoned"
)

// NewPrefix begins the names of files and directories beside those of jobs that are not complete yet.
const NewPrefix = ".new-"

func has(dir, name string) bool {
	_, err := os.Lstat(inDir(dir, name))
	return err == nil
}

// Backgrounded reports whether a client sent the queued job in dir to the background.
func Backgrounded(dir string) bool { return has(dir, BackgroundFile) }

// Seen reports whether a job directory is marked as seen.
func Seen(dir string) bool { return has(dir, SeenFile) }

// MarkSeen marks a job directory as seen. A directory that was removed meanwhile is not
// an error. The file is created beside the directory and moved into it: a client that
// watches the directory of all jobs is woken by that, and reads it with [Seen].
func MarkSeen(dir string) error {
	if Seen(dir) {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(dir), NewPrefix+"seen-")
	if err != nil {
		return err
	}
	f.Close()
	if err = os.Rename(f.Name(), filepath.Join(dir, SeenFile)); err == nil {
		return nil
	}
	os.Remove(f.Name())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Abandon marks the directory of a job on a host: the host is no longer contacted about
// the job.
func Abandon(dir string) error {
	return os.WriteFile(filepath.Join(dir, abandonedFile), nil, 0o600)
}

// Abandoned reports whether dir has the mark of Abandon.
func Abandoned(dir string) bool { return has(dir, abandonedFile) }

// Unabandon removes the mark of Abandon.
func Unabandon(dir string) error {
	if err := os.Remove(filepath.Join(dir, abandonedFile)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
