package queue

import (
	"fmt"
	"strconv"
	"strings"
)

// State is what a job of a queue does; the first character of its entry's name.
type State byte

const (
	After    State = 'd' // waits for other jobs to end
	Waiting  State = 'w' // waits for a slot
	Now      State = 'n' // is to start without a slot
	Canceled State = 'k' // is to end without a start; the entry has the request
	Running  State = 'r' // got the request to start, and has not ended
)

const states = "dwnkr"

// Pending reports whether the job has not yet got the request to start.
func (s State) Pending() bool { return s != Running }

// mayStart reports whether the job has not started and its holder starts it once it may.
func (s State) mayStart() bool { return s.waits() || s == Now }

// waits reports whether the job waits for its turn.
func (s State) waits() bool { return s == Waiting || s == After }

// Entry is the entry of a job in its queue.
type Entry struct {
	State State
	Seq   uint64 // jobs start in this order
	ID    string
}

// firstSeq is the number of the first job of a queue. Smaller ones are for jobs that are put before
// others.
const firstSeq = 1 << 40

// seqDigits is the length of the number in the name of an entry.
const seqDigits = 16

// Name returns the name of the entry's file.
func (e Entry) Name() string { return fmt.Sprintf("%c%0*d-%s", e.State, seqDigits, e.Seq, e.ID) }

// ParseEntry reads the name of an entry; ok is false for other files.
func ParseEntry(name string) (e Entry, ok bool) {
	head, id, found := strings.Cut(name, "-")
	if !found || id == "" || len(head) != 1+seqDigits {
		return Entry{}, false
	}
	seq, err := strconv.ParseUint(head[1:], 10, 64)
	if err != nil || !strings.Contains(states, head[:1]) {
		return Entry{}, false
	}
	return Entry{State(head[0]), seq, id}, true
}

// Cancellation is the content of an entry in state Canceled, as JSON: which client ended the job, and
// why.
type Cancellation struct {
	By     string `json:"by"`
	Reason string `json:"reason"`
}

// Settings are the settings of a queue.
type Settings struct {
	Slots      int  // how many of its jobs may run at once
	Paused     bool // no job starts
	Configured int  // the slots that the configuration had when it was last applied; 0: none
}

// parseSettings reads the file settings. What is missing or damaged has its default.
func parseSettings(text string) Settings {
	var numbers [3]int
	for i, field := range strings.Fields(text) {
		n, err := strconv.Atoi(field)
		if err != nil || i == len(numbers) {
			break
		}
		numbers[i] = n
	}
	return Settings{
		Slots:      max(1, numbers[0]),
		Paused:     numbers[1] != 0,
		Configured: numbers[2],
	}
}

// text returns the content of the file settings.
func (s Settings) text() string {
	paused := 0
	if s.Paused {
		paused = 1
	}
	return fmt.Sprintf("%d %d %d\n", s.Slots, paused, s.Configured)
}
