package hostjob

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/testtool"
)

// Many jobs run on a host. Each listing asks few of their holders, and all of them have been asked after a turn.
func TestAskingInTurn(t *testing.T) {
	for name, tc := range map[string]struct {
		jobs    int
		patient bool
		every   time.Duration // between listings
		most    int           // that one listing asks
		within  int           // listings until all were asked
	}{
		"few":                   {3, false, 2 * time.Second, 3, 6},
		"one":                   {1, false, 2 * time.Second, 1, 6},
		"hundreds":              {500, false, 2 * time.Second, asksBriefly, 32},
		"few that are listed":   {32, true, time.Millisecond, 32, 1},
		"many that are listed":  {500, true, time.Millisecond, asksAtOnce, 16},
		"looks at short notice": {40, false, 60 * time.Millisecond, 1, 430},
	} {
		t.Run(name, func(t *testing.T) {
			base, now := testtool.TempDir(t), time.Now()
			var jobs []string
			for i := range tc.jobs {
				jobs = append(jobs, fmt.Sprintf("job-%05d", i))
			}
			if first := readAsks(base); len(first.choose(jobs, false, now)) == 0 {
				t.Error("the first listing asks none")
			} else {
				first.save(base)
			}
			asked := map[string]bool{}
			for range tc.within {
				now = now.Add(tc.every)
				one := readAsks(base) // another client shows one job
				if len(one.choose(jobs[:1], true, now)) != 1 {
					t.Error("the details of a job do not ask its holder")
				}
				one.save(base)
				a := readAsks(base)
				due := a.choose(jobs, tc.patient, now)
				a.save(base)
				if len(due) > tc.most {
					t.Fatalf("one listing asks %d", len(due))
				}
				maps.Copy(asked, due)
			}
			if len(asked) != tc.jobs {
				t.Errorf("%d were asked", len(asked))
			}
		})
	}
}

// A holder does not answer: listings that do not wait report it after a while, those that wait at once, and all until it
// answers.
func TestSilentHolders(t *testing.T) {
	base, now := testtool.TempDir(t), time.Now()
	var jobs []string
	for i := range 100 {
		jobs = append(jobs, fmt.Sprintf("job-%05d", i))
	}
	const silent = "job-00042"
	if err := os.Mkdir(filepath.Join(base, silent), 0o700); err != nil {
		t.Fatal(err)
	}
	lock, err := jobdir.Lock(filepath.Join(base, silent))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	answers := false
	look := func(patient bool) record.State {
		a := readAsks(base)
		due := a.choose(jobs, patient, now)
		var found record.State
		for _, id := range jobs {
			s := record.State{Status: record.Running, Link: record.LinkNone}
			if id == silent && due[id] && !answers {
				s.Link, s.LinkError = record.LinkUnreachable, "silent"
			}
			a.judge(id, &s, due[id], patient, now)
			if id == silent {
				found = s
			} else if s.Link != record.LinkNone {
				t.Errorf("%s is %s", id, s.Link)
			}
		}
		a.save(base)
		return found
	}
	for readAsks(base).Silent[silent].Why == "" {
		if s := look(false); s.Link != record.LinkNone {
			t.Fatalf("at once %+v", s)
		}
		now = now.Add(2 * time.Second)
	}
	since := readAsks(base).Silent[silent].Since
	for range 5 { // also the listings that do not wait, in turn
		if s := look(true); s.Link != record.LinkUnreachable || !s.StaleSince.Equal(since) {
			t.Fatalf("a list has %+v", s)
		}
	}
	now = now.Add(silentFor)
	if s := look(false); s.Link != record.LinkUnreachable || s.LinkError != "silent" || !s.StaleSince.Equal(since) {
		t.Errorf("later %+v", s)
	}
	answers = true
	if s := look(false); s.Link != record.LinkNone || len(readAsks(base).Silent) > 0 {
		t.Errorf("an answer: %+v", s)
	}
}
