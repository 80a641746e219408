package statedir_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/statedir"
)

const (
	anHour = time.Hour
	aDay   = 24 * time.Hour
	aYear  = 365 * aDay
)

// clockedRoot is a root that is swept with simulated clocks: the wall clock and a clock
// that counts from boot.
type clockedRoot struct {
	*testing.T
	*statedir.Root
	wall time.Time
	up   time.Duration
	boot string
}

func newClockedRoot(t *testing.T) *clockedRoot {
	return &clockedRoot{T: t, Root: newRoot(t), wall: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), up: anHour, boot: "first"}
}

// pass advances both clocks, set changes only the wall clock, and reboot restarts the
// machine without advancing a clock.
func (c *clockedRoot) pass(d time.Duration) { c.wall, c.up = c.wall.Add(d), c.up+d }
func (c *clockedRoot) set(d time.Duration)  { c.wall = c.wall.Add(d) }
func (c *clockedRoot) reboot()              { c.boot, c.up = c.boot+"'", time.Minute }

// ended creates a job that ends now.
func (c *clockedRoot) ended() string {
	c.Helper()
	id, dir := create(c.T, c.Root, jobdir.Meta{Request: record.Request{CreatedAt: c.wall}})
	write(c.T, filepath.Join(dir, jobdir.OutputFile), "x")
	code := 0
	st := record.State{BootID: c.boot, Exit: record.Exit{Status: "exited", Code: &code, At: c.wall, SinceBoot: record.InMilliseconds(c.up)}}
	if err := jobdir.Finish(dir, &st); err != nil {
		c.Fatal(err)
	}
	if err := os.Chtimes(dir, c.wall, c.wall); err != nil { // by the simulated wall clock
		c.Fatal(err)
	}
	return id
}

// sweep sweeps an hour later.
func (c *clockedRoot) sweep() {
	c.Helper()
	c.pass(statedir.SweepEvery)
	o := statedir.SweepOptions{
		Keep: statedir.Keep{Age: 7 * aDay, Count: -1, Bytes: -1, Trash: anHour},
		Now:  func() time.Time { return c.wall },
		Boot: c.boot, SinceBoot: func() time.Duration { return c.up },
		Ours: func(*jobdir.Record) bool { return true },
	}
	if err := c.Sweep(c.Context(), o); err != nil {
		c.Fatal(err)
	}
}

func (c *clockedRoot) keeps(when string, id string, want bool) {
	c.Helper()
	if _, err := jobdir.Read(c.Dir(id)); (err == nil) != want {
		c.Errorf("%s: kept %v, want %v", when, err == nil, want)
	}
}

func TestSweepUsesMonotonicClockForThisBoot(t *testing.T) {
	for name, jump := range map[string]time.Duration{"ahead": aYear, "back": -aYear, "ahead by decades": 56 * aYear} {
		t.Run(name, func(t *testing.T) {
			c := newClockedRoot(t)
			id := c.ended()
			c.set(jump) // before any sweep could have noted the time
			c.sweep()
			c.keeps("at once", id, true)
			c.pass(3 * aDay)
			c.sweep()
			c.keeps("after three days", id, true)
			c.pass(5 * aDay)
			c.sweep()
			c.keeps("after eight days", id, false)
		})
	}
}

func TestSweepDeletesNothingAfterClockJump(t *testing.T) {
	for name, jump := range map[string]func(*clockedRoot){
		"while the machine runs":   func(c *clockedRoot) { c.set(aYear) },
		"while the machine is off": func(c *clockedRoot) { c.set(aYear); c.reboot() },
	} {
		t.Run(name, func(t *testing.T) {
			c := newClockedRoot(t)
			id := c.ended()
			c.reboot() // so that its age depends on the wall clock
			c.sweep()
			jump(c)
			cleared := c.ended()
			if err := c.Trash(c.wall, cleared); err != nil {
				t.Fatal(err)
			}
			c.sweep()
			c.keeps("at once", id, true)
			c.sweep()
			c.keeps("an hour later", id, true)
			if all, _ := c.InTrash(); len(all) != 1 {
				t.Errorf("in the trash: %v", all)
			}
			c.set(-aYear) // corrected by the user
			c.sweep()
			c.pass(2 * aDay)
			c.sweep()
			c.keeps("corrected", id, true)
			c.pass(6 * aDay)
			c.sweep()
			c.keeps("after eight days", id, false)
		})
	}
}

// A clock that is not corrected after a jump is probably right.
func TestSweepTrustsClockADayAfterJump(t *testing.T) {
	c := newClockedRoot(t)
	id := c.ended()
	c.sweep()
	c.set(aYear)
	c.reboot()
	c.sweep()
	c.keeps("at once", id, true)
	c.pass(aDay)
	c.sweep()
	c.keeps("a day later", id, false)
}

func TestSweepTrustsClockAfterMachineWasOff(t *testing.T) {
	c := newClockedRoot(t)
	id := c.ended()
	c.sweep()
	c.set(20 * aDay)
	c.reboot()
	c.sweep()
	c.keeps("after twenty days", id, false)
}

// A job that ended in the future, by the current clock, ages from the sweep that first saw
// it, so that it is not kept for years.
func TestSweepDeletesJobsThatEndedInTheFuture(t *testing.T) {
	c := newClockedRoot(t)
	c.sweep()
	c.set(aYear)
	id := c.ended()
	cleared := c.ended()
	if err := c.Trash(c.wall, cleared); err != nil {
		t.Fatal(err)
	}
	c.set(-aYear)
	c.reboot()
	c.sweep()
	c.keeps("at once", id, true)
	c.pass(6 * aDay)
	c.sweep()
	c.keeps("after six days", id, true)
	c.pass(2 * aDay)
	c.sweep()
	c.keeps("after eight days", id, false)
	if all, _ := c.InTrash(); len(all) != 0 {
		t.Errorf("in the trash: %v", all)
	}
}
