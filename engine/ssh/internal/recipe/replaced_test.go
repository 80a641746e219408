//go:build unix

package recipe

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobjobs/hob/internal/jobdir"
)

// Of several starts in the place of a lost job one runs. One of which nothing ran does not count.
func TestStartInPlaceOfLostJob(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		lost := random()
		replacement := func() Job {
			j := p.job("sleep 300")
			j.InPlaceOf = lost
			return j
		}
		cut := replacement()
		// Its client was killed before the launcher was reached.
		begin, _, _ := strings.Cut(Spawn(cut, random()), "\nlaunch ")
		p.ask(begin)
		bad := replacement()
		bad.Command = []string{"no-such-program"}
		p.start(bad)
		p.ended(bad.ID)
		if s := p.spawn(cut); s.Error != "exists" || !p.isNever(cut.ID) {
			t.Errorf("the one that was given up is repeated: %q %s", s.Error, s.Text)
		}

		first := replacement()
		p.start(first)
		if s := p.spawn(first); s.Error != "exists" {
			t.Errorf("repeated: %q %s", s.Error, s.Text)
		}
		second := replacement()
		if s := p.spawn(second); s.Error != "replaced" || s.Text != first.ID {
			t.Errorf("the second: %q %q", s.Error, s.Text)
		}
		if _, err := os.Stat(filepath.Join(p.base, second.ID)); !os.IsNotExist(err) {
			t.Errorf("the second left its directory: %v", err)
		}
		other := p.job("true")
		other.InPlaceOf = random()
		p.start(other)
		p.ended(other.ID)
	})
}

// Two shells that start at the same moment start one job.
func TestStartInPlaceOfLostJobAtOnce(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		lost := random()
		started := make(chan bool)
		const n = 3
		for range n {
			j := p.job("sleep 300")
			j.InPlaceOf = lost
			session := p.open()
			t.Cleanup(func() { session.Close() })
			go func() {
				a, err := session.Do(t.Context(), Spawn(j, random()), patience)
				if err != nil {
					t.Error(err)
				}
				s := ParseSpawn(a.Out)
				if s.OK {
					p.ask(Stop(s.Dir, j.ID, StopOptions{Grace: -1, By: "cli", Reason: "kill"}))
				}
				started <- s.OK
			}()
		}
		sum := 0
		for range n {
			if <-started {
				sum++
			}
		}
		if sum != 1 {
			t.Errorf("%d were started", sum)
		}
	})
}

// isNever reports whether a job can never be started.
func (p *place) isNever(id string) bool {
	dir := filepath.Join(p.base, id)
	_, claimed := os.Stat(filepath.Join(dir, jobdir.ClaimDir))
	_, failed := os.Stat(filepath.Join(dir, jobdir.FailedFile))
	_, wrapper := os.Stat(filepath.Join(dir, "wrapper"))
	return claimed == nil && failed == nil && wrapper != nil
}
