package proc

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fakeFacts replaces the inspection of environments and command lines.
type fakeFacts struct {
	jobs    map[int]string
	holders map[int]bool // besides fakeHolder
	program bool         // fakeHolder is a program that holds jobs itself
}

const fakeHolder = 100000200

func (f fakeFacts) hasJobID(pid int, id string) bool { return f.jobs[pid] == id }
func (f fakeFacts) isHolder(pid int) bool            { return f.holders[pid] || pid == fakeHolder && !f.program }

func TestMembersRule(t *testing.T) {
	p := func(pid, ppid, group, session int, start uint64) Process {
		return Process{PID: pid, PPID: ppid, PGID: group, Session: session, Start: start, State: 'S', Threads: 1}
	}
	dead := func(p Process) Process { p.State = 'Z'; return p }
	// All cases also have process 1, an unrelated process, and the process of this test.
	const (
		holder = fakeHolder
		leader = 100000300
	)
	job := JobRef{
		Leader:  Identity{PID: leader, Start: "50"},
		Session: leader,
		Holder:  Identity{PID: holder, Start: "40"},
		JobID:   "mine",
	}
	held := p(holder, 1, holder, holder, 40)
	led := p(leader, holder, leader, leader, 50)
	const a, b, c, d = leader + 1, leader + 2, leader + 3, leader + 4

	for _, tc := range []struct {
		name  string
		job   func(*JobRef)
		procs []Process
		facts fakeFacts
		want  []int
	}{
		{
			name:  "the leader and not its holder",
			procs: []Process{held, led},
			want:  []int{leader},
		},
		{
			name:  "descendants in other sessions and groups",
			procs: []Process{held, led, p(a, leader, a, a, 51), p(b, a, b, b, 52)},
			want:  []int{leader, a, b},
		},
		{
			name:  "parents precede children",
			procs: []Process{held, p(b, a, b, b, 51), p(a, leader, a, a, 51), led},
			want:  []int{leader, a, b},
		},
		{
			name:  "adopted by the holder, with its children",
			procs: []Process{held, led, p(a, holder, a, a, 51), p(b, a, b, b, 52)},
			want:  []int{leader, a, b},
		},
		{
			name: "daemons of an earlier run, which are older than the leader",
			procs: []Process{
				held, led, p(a, holder, a, a, 41), p(b, a, b, b, 42), p(c, 1, c, c, 43),
			},
			facts: fakeFacts{jobs: map[int]string{c: "mine"}},
			want:  []int{a, b, c, leader},
		},
		{
			name:  "such daemons after the holder has ended",
			procs: []Process{p(a, 1, a, a, 41), p(b, a, b, b, 42)},
			facts: fakeFacts{jobs: map[int]string{a: "mine"}},
			want:  []int{a, b},
		},
		{
			name:  "a child of the holder that is not the job's",
			procs: []Process{held, led, p(a, holder, a, a, 51), p(b, a, b, b, 52)},
			job:   func(j *JobRef) { j.Others = []Identity{{PID: a, Start: "51"}} },
			facts: fakeFacts{jobs: map[int]string{a: "mine", b: "mine"}},
			want:  []int{leader},
		},
		{
			name:  "session, after the parent has ended without a subreaper",
			procs: []Process{led, p(a, 1, a, leader, 51)},
			job:   func(j *JobRef) { j.Holder = Identity{} },
			want:  []int{leader, a},
		},
		{
			name:  "group without a session",
			procs: []Process{p(leader, 900, leader, 900, 50), p(a, 1, leader, 900, 51), p(b, 1, b, 900, 51)},
			job:   func(j *JobRef) { j.Holder, j.Session = Identity{}, 0 },
			want:  []int{leader, a},
		},
		{
			name:  "the variable, and descendants",
			procs: []Process{held, led, p(a, 1, a, a, 51), p(b, a, b, b, 52), p(c, 1, c, c, 51)},
			facts: fakeFacts{jobs: map[int]string{a: "mine", c: "another"}},
			want:  []int{leader, a, b},
		},
		{
			name:  "zombies are not members, their descendants are",
			procs: []Process{held, dead(led), p(a, holder, leader, leader, 51)},
			want:  []int{a},
		},
		{
			name:  "session after the leader was reaped",
			procs: []Process{p(a, 1, a, leader, 51)},
			job:   func(j *JobRef) { j.Holder = Identity{} },
			want:  []int{a},
		},
		{
			name:  "session does not count after the holder has ended, too",
			procs: []Process{p(a, 1, a, leader, 51), p(b, 1, b, b, 51)},
			facts: fakeFacts{jobs: map[int]string{b: "mine"}},
			want:  []int{b},
		},
		{
			name:  "the leader's pid was reused",
			procs: []Process{held, p(leader, 1, leader, leader, 99), p(a, leader, leader, leader, 100)},
		},
		{
			name:  "the holder's pid was reused",
			procs: []Process{p(holder, 1, holder, holder, 99), p(a, holder, a, a, 100)},
		},
		{
			name:  "children of a program that holds jobs itself",
			procs: []Process{held, led, p(a, holder, a, a, 51), p(b, leader, b, b, 52), p(c, holder, c, leader, 53)},
			facts: fakeFacts{program: true},
			want:  []int{leader, b, c},
		},
		{
			name:  "children of such a program after the job has ended",
			procs: []Process{held, p(a, holder, a, a, 51), p(b, a, b, leader, 52), p(c, holder, c, c, 53)},
			facts: fakeFacts{program: true, jobs: map[int]string{c: "mine"}},
			want:  []int{c},
		},
		{
			name:  "a nested holder and its descendants are excluded",
			procs: []Process{held, led, p(a, leader, a, a, 51), p(b, a, b, b, 52), p(c, b, c, c, 53)},
			facts: fakeFacts{holders: map[int]bool{a: true}, jobs: map[int]string{a: "mine", b: "inner", c: "mine"}},
			want:  []int{leader},
		},
		{
			name:  "a nested holder that was adopted",
			procs: []Process{held, led, p(a, holder, a, a, 51), p(b, a, b, b, 52)},
			facts: fakeFacts{holders: map[int]bool{a: true}},
			want:  []int{leader},
		},
		{
			name:  "a nested holder that stayed in the session",
			procs: []Process{held, led, p(a, leader, leader, leader, 51), p(b, a, leader, leader, 52)},
			facts: fakeFacts{holders: map[int]bool{a: true}},
			want:  []int{leader},
		},
		{
			name: "a nested job has nothing of the outer job",
			procs: []Process{
				p(d, 1, d, d, 10), p(d+1, d, d+1, d+1, 20), // the outer holder and leader
				p(holder, d+1, holder, holder, 40), led, p(a, leader, a, a, 51),
			},
			facts: fakeFacts{holders: map[int]bool{d: true, holder: true}},
			want:  []int{leader, a},
		},
		{
			name:  "the outer holder started in the same tick as the leader",
			procs: []Process{p(d, 1, d, d, 50), p(holder, d, holder, holder, 50), led, p(a, leader, a, a, 50)},
			job:   func(j *JobRef) { j.Holder.Start = "50" },
			facts: fakeFacts{holders: map[int]bool{d: true, holder: true}},
			want:  []int{leader, a},
		},
		{
			name:  "orphans of a lost job that an outer holder adopted",
			procs: []Process{p(d, 1, d, d, 10), p(a, d, a, a, 51)},
			facts: fakeFacts{holders: map[int]bool{d: true}, jobs: map[int]string{a: "mine"}},
			want:  []int{a},
		},
		{
			name:  "nothing older than the holder",
			procs: []Process{held, led, p(a, 1, a, leader, 39)},
			facts: fakeFacts{jobs: map[int]string{a: "mine"}},
			want:  []int{leader},
		},
		{
			name:  "nothing older than the leader of a program that holds jobs itself",
			procs: []Process{led, p(a, 1, a, leader, 49)},
			job:   func(j *JobRef) { j.Holder = Identity{} },
			facts: fakeFacts{jobs: map[int]string{a: "mine"}},
			want:  []int{leader},
		},
		{
			name:  "known processes with their children, but not after the pid was reused",
			procs: []Process{p(a, 1, a, a, 51), p(b, a, b, b, 52), p(c, 1, c, c, 99)},
			job: func(j *JobRef) {
				j.Known = []Identity{{PID: a, Start: "51"}, {PID: c, Start: "53"}, {PID: d}}
			},
			want: []int{a, b},
		},
		{
			name:  "the caller is not a member, its children in the session are",
			procs: []Process{held, led, p(os.Getpid(), leader, leader, leader, 51), p(b, os.Getpid(), leader, leader, 52)},
			want:  []int{leader, b},
		},
		{
			name:  "a cycle in an inconsistent snapshot",
			procs: []Process{held, led, p(a, b, a, a, 51), p(b, a, b, b, 51)},
			want:  []int{leader},
		},
		{
			name:  "an empty reference",
			procs: []Process{held, led, p(a, 0, 0, 0, 51)},
			job:   func(j *JobRef) { *j = JobRef{} },
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if !startsAreOrdered && strings.HasPrefix(tc.name, "nothing older than") {
				t.Skip("start times are not ordered on this system")
			}
			ref := job
			if tc.job != nil {
				tc.job(&ref)
			}
			procs := append([]Process{p(1, 0, 1, 1, 1), p(900, 1, 900, 900, 60)}, tc.procs...)
			var got []int
			for _, m := range newQuery(ref, byPID(procs), tc.facts).members() {
				got = append(got, m.PID)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
			ref.JobID = "" // as for many jobs at once
			alone := newQuery(ref, byPID(procs), tc.facts).members()
			if diff := cmp.Diff([][]Process{alone}, membersOfAll([]JobRef{ref}, procs, tc.facts), cmp.AllowUnexported(Process{})); diff != "" {
				t.Errorf("of many jobs: %s", diff)
			}
		})
	}
}

// countingFacts counts the processes that are examined.
type countingFacts struct {
	fakeFacts
	examined map[int]int
}

func (f countingFacts) isHolder(pid int) bool {
	f.examined[pid]++
	return f.fakeFacts.isHolder(pid)
}

// With many jobs, each process is examined at most once, and one that is not related to any job never.
func TestMembersOfManyJobsExaminesOnlyThese(t *testing.T) {
	const first, jobs = 1000, 50
	facts := countingFacts{fakeFacts{holders: map[int]bool{}}, map[int]int{}}
	procs := []Process{{PID: 1, Start: 1, State: 'S'}}
	var refs []JobRef
	add := func(pid, parent int) Identity {
		p := Process{PID: pid, PPID: parent, PGID: pid, Session: pid, Start: uint64(pid), State: 'S'}
		procs = append(procs, p)
		return p.Identity()
	}
	for i := range jobs {
		holder := add(first+10*i, 1)
		facts.holders[holder.PID] = true
		leader := add(holder.PID+1, holder.PID)
		add(holder.PID+2, leader.PID)
		add(holder.PID+5, 1) // of the machine
		refs = append(refs, JobRef{Leader: leader, Session: leader.PID, Holder: holder})
	}
	for i, members := range membersOfAll(refs, procs, facts) {
		if want := procs[4*i+2 : 4*i+4]; !cmp.Equal(want, members, cmp.AllowUnexported(Process{})) {
			t.Errorf("members of job %d: %+v, want %+v", i, members, want)
		}
	}
	for pid, n := range facts.examined {
		if n > 1 || pid%10 == 5 {
			t.Errorf("process %d was examined %d times", pid, n)
		}
	}
	if len(facts.examined) > 2*jobs { // a holder and the child of a leader
		t.Errorf("%d processes were examined", len(facts.examined))
	}
}
