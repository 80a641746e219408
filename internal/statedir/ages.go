package statedir

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/hobjobs/hob/internal/atomicfile"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/plainfile"
)

// A sweep deletes by age, and the wall clock can be wrong by years, for example on a
// machine without a clock battery or after a manual change. So each sweep records the
// clocks for the next one, and ages are computed only from clocks that can be trusted:
//
//   - The age of a job that ended in this boot is measured by the monotonic clock.
//   - After a jump of the wall clock, nothing is old by the wall clock until
//     trustAfter has passed.
//   - A job that ended in the future ages from the first sweep that saw it.
const (
	// maxJump is the largest difference between the wall clock and the monotonic clock
	// since the last sweep, and the furthest end in the future, that is taken for a
	// normal correction of the clock.
	maxJump = 24 * time.Hour
	// maxAbsence is the longest time between sweeps of two boots that is not taken for a
	// jump of the clock.
	maxAbsence = 30 * 24 * time.Hour
	// trustAfter is the time after a jump during which the user can correct the clock
	// before ages by it count again.
	trustAfter = 24 * time.Hour
)

// clockNote is what a sweep records for the next one.
type clockNote struct {
	Version int       `json:"version"`
	At      time.Time `json:"at"` // of the sweep
	Boot    string    `json:"boot_id,omitempty"`
	BootMS  int64     `json:"boot_ms,omitempty"`
	Jumped  time.Time `json:"jumped,omitzero"` // when the last jump of the clock was detected
}

// maxClockNote is the largest note that is read, in bytes.
const maxClockNote = 1 << 20

// ages computes ages at the time of a sweep.
type ages struct {
	now    time.Time
	boot   string
	since  time.Duration // since the boot; 0: unknown
	jumped time.Time     // see clockNote
	doubt  bool          // the wall clock cannot be trusted
}

// ages compares the clocks with the note of the last sweep.
func (r *Root) ages(now time.Time, o SweepOptions) *ages {
	a := &ages{now: now.Round(0)}
	if o.SinceBoot != nil && o.Boot != "" {
		a.boot, a.since = o.Boot, o.SinceBoot()
	}
	last, ok := r.readClockNote()
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

func (r *Root) readClockNote() (n clockNote, ok bool) {
	data, err := plainfile.Read(r.clockNotePath(), maxClockNote)
	if err != nil || json.Unmarshal(data, &n) != nil || n.At.IsZero() {
		return clockNote{}, false
	}
	return n, true
}

func (r *Root) clockNotePath() string { return filepath.Join(r.path, clockNoteName) }

// save records the clocks. Without a note, the next sweep detects no jump.
func (a *ages) save(r *Root) {
	data, err := json.Marshal(&clockNote{Version: jobdir.Version, At: a.now, Boot: a.boot, BootMS: a.since.Milliseconds(), Jumped: a.jumped})
	if err == nil {
		_ = atomicfile.Write(r.clockNotePath(), append(data, '\n')) // optional, see above
	}
}

// olderThan reports whether the time at, by the wall clock, is at least age ago. A time
// in 1970 always is: it marks directories to delete.
func (a *ages) olderThan(at time.Time, age time.Duration) bool {
	return at.Unix() <= 0 || !a.doubt && a.now.Sub(at) >= age
}

// ended returns when the finished job in dir ended, by the current wall clock as far as
// known, and whether that is longer ago than keep. A negative keep has no limit.
func (a *ages) ended(rec *jobdir.Record, dir string, keep time.Duration) (at time.Time, old bool) {
	at = rec.EndedAt()
	if end := rec.State.Exit; a.since > 0 && rec.State.BootID == a.boot && end.SinceBoot > 0 {
		age := a.since - end.SinceBoot.Duration()
		return a.now.Add(-age), keep >= 0 && age > keep
	}
	if at.Sub(a.now) > maxJump {
		at = a.firstSeen(dir)
	}
	return at, keep >= 0 && !a.doubt && a.now.Sub(at) > keep
}

// firstSeen returns when a sweep first saw dir, whose recorded time is in the future. It
// is stored as the modification time of dir, which was in the future, too.
func (a *ages) firstSeen(dir string) time.Time {
	fi, err := os.Lstat(dir)
	if err == nil && !fi.ModTime().After(a.now) {
		return fi.ModTime()
	}
	_ = os.Chtimes(dir, a.now, a.now) // on failure the age starts with the next sweep
	return a.now
}
