package jobdir

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/hobjobs/hob/internal/atomicfile"
	"github.com/hobjobs/hob/internal/plainfile"
)

// A sweep deletes by age, and the wall clock can be wrong by years: after a boot
// without a battery, or when somebody sets it. So a sweep leaves a note of the
// clocks for the next one, and the ages of this file are those that the clocks
// vouch for.
//
//   - Of what ended in this boot the age is that of a clock that nobody sets.
//   - When the wall clock has jumped since the last sweep nothing is old by it
//     until it has gone on for trustAfter.
//   - What ended in the future counts from the first sweep that saw it.
const (
	// maxJump is by how much the wall clock may differ from what the other clock
	// says has passed since the last sweep, and how far in the future an end may
	// be. Corrections of a clock that is about right are smaller.
	maxJump = 24 * time.Hour
	// maxAbsence is the longest time without a sweep, with a restart of the machine
	// in it, that is not taken for a jump of the clock.
	maxAbsence = 30 * 24 * time.Hour
	// trustAfter is how long the wall clock must have gone on after a jump until
	// ages by it count again: time for whoever finds it wrong.
	trustAfter = 24 * time.Hour
)

// note is what a sweep leaves for the next one.
type note struct {
	Version int       `json:"version"`
	At      time.Time `json:"at"` // of the sweep
	Boot    string    `json:"boot_id,omitempty"`
	BootMS  int64     `json:"boot_ms,omitempty"`
	Jumped  time.Time `json:"jumped,omitzero"` // when a jump of the clock was last noticed
}

// maxNote bounds a note that is read.
const maxNote = 1 << 20

// ages judges how old things are at the moment of a sweep.
type ages struct {
	now    time.Time
	boot   string
	since  time.Duration // the boot; 0: not known
	jumped time.Time     // see note
	doubt  bool          // of the wall clock
}

// ages compares the clocks with the note of the last sweep.
func (r *Root) ages(now time.Time, o SweepOptions) *ages {
	a := &ages{now: now.Round(0)}
	if o.SinceBoot != nil && o.Boot != "" {
		a.boot, a.since = o.Boot, o.SinceBoot()
	}
	last, ok := r.readNote()
	if !ok {
		return a
	}
	a.jumped = last.Jumped
	passed := a.now.Sub(last.At)
	most, least := maxAbsence, -maxJump
	if a.since > 0 && a.boot == last.Boot && last.BootMS > 0 {
		exact := a.since - time.Duration(last.BootMS)*time.Millisecond
		most, least = exact+maxJump, exact-maxJump
	}
	if passed > most || passed < least {
		a.jumped = a.now
	}
	a.doubt = !a.jumped.IsZero() && a.now.Sub(a.jumped) < trustAfter
	return a
}

func (r *Root) readNote() (n note, ok bool) {
	data, err := plainfile.Read(r.notePath(), maxNote)
	if err != nil || json.Unmarshal(data, &n) != nil || n.At.IsZero() {
		return note{}, false
	}
	return n, true
}

func (r *Root) notePath() string { return filepath.Join(r.path, noteName) }

// save leaves the note for the next sweep, which does without one if it must.
func (a *ages) save(r *Root) {
	data, err := json.Marshal(&note{Version: Version, At: a.now, Boot: a.boot, BootMS: a.since.Milliseconds(), Jumped: a.jumped})
	if err == nil {
		_ = atomicfile.Write(r.notePath(), append(data, '\n')) // see above: the next sweep does without
	}
}

// over reports whether what happened at that time by the wall clock is at least
// so long ago. What a sweep or a clear has given up before (the year 1970) is.
func (a *ages) over(at time.Time, age time.Duration) bool {
	return at.Unix() <= 0 || !a.doubt && a.now.Sub(at) >= age
}

// ended is when the finished job in dir ended, by the present clock as well as that can
// be told, and whether that is longer ago than keep; a negative keep is for ever.
func (a *ages) ended(rec *Record, dir string, keep time.Duration) (at time.Time, old bool) {
	at = rec.EndedAt()
	if end := rec.State.Exit; a.since > 0 && rec.State.BootID == a.boot && end.SinceBoot > 0 {
		age := a.since - end.SinceBoot.Duration()
		return a.now.Add(-age), keep >= 0 && age > keep
	}
	if at.Sub(a.now) > maxJump {
		at = a.noticed(dir)
	}
	return at, keep >= 0 && !a.doubt && a.now.Sub(at) > keep
}

// noticed returns when a sweep first saw what is in the future by its own time. It is kept
// as the time of the directory, which was in the future too.
func (a *ages) noticed(dir string) time.Time {
	fi, err := os.Lstat(dir)
	if err == nil && !fi.ModTime().After(a.now) {
		return fi.ModTime()
	}
	_ = os.Chtimes(dir, a.now, a.now) // else the next sweep is the first
	return a.now
}
