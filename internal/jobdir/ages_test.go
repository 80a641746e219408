package jobdir_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
)

const (
	anHour = time.Hour
	aDay   = 24 * time.Hour
	aYear  = 365 * aDay
)

// clocked is a root that is swept with clocks of its own: one that is set and
// one that counts from the boot.
type clocked struct {
	*testing.T
	*jobdir.Root
	wall time.Time
	up   time.Duration
	boot string
}

func newClocked(t *testing.T) *clocked {
	return &clocked{T: t, Root: newRoot(t), wall: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), up: anHour, boot: "first"}
}

// pass lets time go by; set changes the wall clock alone; reboot starts the
// machine again, without time going by.
func (c *clocked) pass(d time.Duration) { c.wall, c.up = c.wall.Add(d), c.up+d }
func (c *clocked) set(d time.Duration)  { c.wall = c.wall.Add(d) }
func (c *clocked) reboot()              { c.boot, c.up = c.boot+"'", time.Minute }

// ended makes a job that ends now.
func (c *clocked) ended() string {
	c.Helper()
	id, dir := create(c.T, c.Root, jobdir.Meta{Request: record.Request{CreatedAt: c.wall}})
	write(c.T, filepath.Join(dir, jobdir.OutputFile), "x")
	code := 0
	st := record.State{BootID: c.boot, Exit: record.Exit{Status: "exited", Code: &code, At: c.wall, SinceBoot: record.InMilliseconds(c.up)}}
	if err := jobdir.Finish(dir, &st); err != nil {
		c.Fatal(err)
	}
	if err := os.Chtimes(dir, c.wall, c.wall); err != nil { // as the clock of its machine is
		c.Fatal(err)
	}
	return id
}

// sweep sweeps at an hour that is later than that of the last one.
func (c *clocked) sweep() {
	c.Helper()
	c.pass(jobdir.SweepEvery)
	o := jobdir.SweepOptions{
		Keep: jobdir.Keep{Age: 7 * aDay, Count: -1, Bytes: -1, Trash: anHour},
		Now:  func() time.Time { return c.wall },
		Boot: c.boot, SinceBoot: func() time.Duration { return c.up },
		Ours: func(*jobdir.Record) bool { return true },
	}
	if err := c.Sweep(c.Context(), o); err != nil {
		c.Fatal(err)
	}
}

func (c *clocked) keeps(when string, id string, want bool) {
	c.Helper()
	if _, err := jobdir.Read(c.Dir(id)); (err == nil) != want {
		c.Errorf("%s: kept %v, want %v", when, err == nil, want)
	}
}

func TestAgesOfThisBootAreNotThoseOfTheWallClock(t *testing.T) {
	for name, jump := range map[string]time.Duration{"ahead": aYear, "back": -aYear, "ahead by decades": 56 * aYear} {
		t.Run(name, func(t *testing.T) {
			c := newClocked(t)
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

func TestAClockThatJumpsAheadDeletesNothing(t *testing.T) {
	for name, jump := range map[string]func(*clocked){
		"while the machine runs":   func(c *clocked) { c.set(aYear) },
		"while the machine is off": func(c *clocked) { c.set(aYear); c.reboot() },
	} {
		t.Run(name, func(t *testing.T) {
			c := newClocked(t)
			id := c.ended()
			c.reboot() // so that only the wall clock knows its age
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
			c.set(-aYear) // somebody noticed
			c.sweep()
			c.pass(2 * aDay)
			c.sweep()
			c.keeps("set right", id, true)
			c.pass(6 * aDay)
			c.sweep()
			c.keeps("after eight days", id, false)
		})
	}
}

// A clock that stays ahead is believed in the end: it may have been right.
func TestAClockThatStaysIsBelieved(t *testing.T) {
	c := newClocked(t)
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

func TestAMachineThatWasOffForAWhileIsBelieved(t *testing.T) {
	c := newClocked(t)
	id := c.ended()
	c.sweep()
	c.set(20 * aDay)
	c.reboot()
	c.sweep()
	c.keeps("after twenty days", id, false)
}

// Of a job that ended in the future, as the clock is now, the age counts from when
// that was first seen: it is not kept until the clock has come so far again.
func TestAnEndInTheFutureGrowsOldToo(t *testing.T) {
	c := newClocked(t)
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
