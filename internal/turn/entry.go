// Package turn is how the holder of a queued job waits until the job may start.
//
// Each waiting job has a process, so its memory counts: there may be a thousand of them. The package
// therefore uses system calls, starts no goroutine and allocates little, and a holder waits before
// it does anything else.
//
// # Files
//
// A queue is a directory, queues/NAME in the state directory:
//
//	lock        locked for moments, while the queue is read or changed
//	settings    "SLOTS PAUSED CONFIGURED\n", three numbers
//	jobs/       one empty file for each job of the queue: its entry
//
// The name of an entry has the job's state (see [State]), a sequence number and the id. An entry counts
// only while the lock of its job is held. The entry of a process that was killed therefore has no
// effect, and the next process that finds it deletes it. A job has a slot while it has an entry in
// state Running.
//
// The holder of every job keeps the pipe "alive" of the job directory open for reading and writing
// until the end of the job is recorded. A process that has it open for reading sees a hang-up then,
// also if the holder is killed. A byte written to it wakes a holder that waits.
//
// # Waking
//
// The first job in line watches the jobs that have the slots, every other one the job before it: the
// end of a process wakes one other. A program that changes a queue wakes the holders that the
// change affects, before the change and with the queue locked: they look once the lock is free, even
// if the program is killed.
package turn

// State is what a job of a queue does; the first character of its entry's name.
type State byte

const (
	After     State = 'd' // waits for other jobs to end
	Waiting   State = 'w' // waits for a slot
	Now       State = 'n' // is to start without a slot
	Cancelled State = 'k' // is to end without a start; the entry has the request
	Running   State = 'r' // got the request to start, and has not ended
)

// Waits reports whether the job has not yet got the request to start.
func (s State) Waits() bool { return s != Running }

// Entry is the entry of a job in its queue.
type Entry struct {
	State State
	Seq   uint64 // jobs start in this order
	ID    string
}

// FirstSeq is the number of the first job of a queue. Smaller ones are for jobs that are put before
// others.
const FirstSeq = 1 << 40

const (
	seqDigits = 16
	idStart   = 1 + seqDigits + 1
)

// Cancellation is the content of an entry in state Cancelled, as JSON: which client ended the job, and
// why.
type Cancellation struct {
	By     string `json:"by"`
	Reason string `json:"reason"`
}

// Name returns the name of the entry's file.
func (e Entry) Name() string {
	var b [idStart]byte
	b[0], b[idStart-1] = byte(e.State), '-'
	for i, n := idStart-2, e.Seq; i > 0; i, n = i-1, n/10 {
		b[i] = byte('0' + n%10)
	}
	return string(b[:]) + e.ID
}

// Parse reads the name of an entry; ok is false for other files.
func Parse(name string) (e Entry, ok bool) {
	state, seq, id, ok := parse([]byte(name))
	return Entry{state, seq, string(id)}, ok
}

func parse(name []byte) (state State, seq uint64, id []byte, ok bool) {
	if len(name) <= idStart || name[idStart-1] != '-' {
		return 0, 0, nil, false
	}
	for _, c := range name[1 : idStart-1] {
		if c < '0' || c > '9' {
			return 0, 0, nil, false
		}
		seq = seq*10 + uint64(c-'0')
	}
	switch state = State(name[0]); state {
	case After, Waiting, Now, Cancelled, Running:
		return state, seq, name[idStart:], true
	}
	return 0, 0, nil, false
}

type Settings struct {
	Slots      int  // how many of its jobs may run at once
	Paused     bool // no job starts
	Configured int  // the slots that the configuration had when it was last applied; 0: none
}

// ParseSettings reads the file settings. What is missing or damaged has its default.
func ParseSettings(text []byte) Settings {
	var n [3]int
	field, digits := 0, 0
	for _, c := range text {
		switch {
		case c >= '0' && c <= '9' && digits < 6:
			n[field], digits = n[field]*10+int(c-'0'), digits+1
		case field == len(n)-1:
			return settingsOf(n)
		default:
			field, digits = field+1, 0
		}
	}
	return settingsOf(n)
}

func settingsOf(n [3]int) Settings {
	return Settings{Slots: max(1, n[0]), Paused: n[1] != 0, Configured: n[2]}
}
