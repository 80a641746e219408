package judge

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/slurm"
	"github.com/hobjobs/hob/internal/jobdir"
)

// What is concluded about a job without a recorded end from the answer of squeue.
func TestStatesOfSlurm(t *testing.T) {
	const now, long = 1_700_001_000, 1_700_000_100
	unclaimed := recipe.Entry{Number: "7", Submitted: 1_700_000_000}
	claimed := unclaimed
	claimed.Claimed = true
	ready := claimed
	ready.Ready = true
	stopped := ready
	stopped.EndedBy = &jobdir.ShellRequest{Reason: "kill", By: "cli", Date: long}
	limited := ready
	limited.EndedBy = &jobdir.ShellRequest{Reason: "kill", By: "slurm", Date: long}
	for name, c := range map[string]struct {
		entry  recipe.Entry
		squeue string // state, start, end, partition, reason; empty: the job is not listed
		want   engine.Status
		reason engine.Reason
		by     string
		paused bool
		sure   Certainty
		after  bool // it follows another job
	}{
		"waits":                               {entry: unclaimed, squeue: "PENDING|N/A|N/A|main|Resources", want: engine.Queued},
		"node boots":                          {entry: unclaimed, squeue: "CONFIGURING|N/A|N/A|main|None", want: engine.Queued},
		"runs, and its files are late":        {entry: unclaimed, squeue: "RUNNING|1700000100|N/A|main|None", want: engine.Starting},
		"ended, and its files are late":       {entry: unclaimed, squeue: "FAILED|1700000100|1700000990|main|NonZeroExitCode", want: engine.Starting},
		"cancelled, and its files are late":   {entry: unclaimed, squeue: "CANCELLED|1700000100|1700000990|main|None", want: engine.Starting},
		"cancelled while it waited, as dated": {entry: unclaimed, squeue: "CANCELLED|1700000990|1700000990|main|None", want: engine.Killed, reason: engine.ReasonKill, by: "slurm"},
		"has begun":                           {entry: claimed, squeue: "RUNNING|1700000100|N/A|main|None", want: engine.Starting},
		"runs":                                {entry: ready, squeue: "RUNNING|1700000100|N/A|main|None", want: engine.Running},
		"suspended":                           {entry: ready, squeue: "SUSPENDED|1700000100|N/A|main|None", want: engine.Running, paused: true},
		"completing":                          {entry: ready, squeue: "COMPLETING|1700000100|N/A|main|None", want: engine.Running},
		"state of a later Slurm":              {entry: ready, squeue: "MEDITATING|1700000100|N/A|main|None", want: engine.Running},
		"ended a moment ago":                  {entry: ready, squeue: "COMPLETED|1700000100|1700000990|main|None", want: engine.Running},
		"cancelled while it waited":           {entry: unclaimed, squeue: "CANCELLED|N/A|1700000990|main|None", want: engine.Killed, reason: engine.ReasonKill, by: "slurm"},
		"cancelled":                           {entry: ready, squeue: "CANCELLED|1700000100|1700000200|main|None", want: engine.Killed, reason: engine.ReasonKill, by: "slurm"},
		"cancelled by hob":                    {entry: stopped, squeue: "CANCELLED|1700000100|1700000200|main|None", want: engine.Killed, reason: engine.ReasonKill, by: "cli"},
		"cancelled by hob a moment ago":       {entry: stopped, squeue: "CANCELLED|1700000100|1700000998|main|None", want: engine.Stopping},
		"cancelled by hob without a record":   {entry: stopped, squeue: "CANCELLED|1700000100|1700000990|main|None", want: engine.Killed, reason: engine.ReasonKill, by: "cli"},
		"time limit":                          {entry: ready, squeue: "TIMEOUT|1700000100|1700000200|main|TimeLimit", want: engine.Killed, reason: engine.ReasonTimeout, by: "slurm"},
		"time limit that was written late":    {entry: limited, squeue: "TIMEOUT|1700000100|1700000200|main|TimeLimit", want: engine.Killed, reason: engine.ReasonTimeout, by: "slurm"},
		"deadline":                            {entry: ready, squeue: "DEADLINE|1700000100|1700000200|main|DeadLine", want: engine.Killed, reason: engine.ReasonTimeout, by: "slurm"},
		"out of memory":                       {entry: ready, squeue: "OUT_OF_MEMORY|1700000100|1700000200|main|OutOfMemory", want: engine.Killed, reason: engine.ReasonOOM, by: "slurm"},
		"preempted":                           {entry: ready, squeue: "PREEMPTED|1700000100|1700000200|main|None", want: engine.Lost, reason: engine.ReasonPreempted},
		"node failed":                         {entry: ready, squeue: "NODE_FAIL|1700000100|1700000200|main|NodeDown", want: engine.Lost, reason: engine.ReasonNodeFailed},
		"node did not boot":                   {entry: unclaimed, squeue: "BOOT_FAIL|1700000100|1700000200|main|None", want: engine.Lost, reason: engine.ReasonNodeFailed},
		"could not be launched":               {entry: unclaimed, squeue: "FAILED|1700000100|1700000200|main|JobLaunchFailure", want: engine.Failed, reason: engine.ReasonSpawn},
		"wrapper was killed":                  {entry: ready, squeue: "FAILED|1700000100|1700000200|main|JobLaunchFailure", want: engine.Lost, reason: engine.ReasonHolderDied},
		"no files for a minute":               {entry: unclaimed, squeue: "FAILED|1700000100|1700000200|main|NonZeroExitCode", want: engine.Lost, reason: engine.ReasonHolderDied},
		"record is missing":                   {entry: ready, squeue: "COMPLETED|1700000100|1700000200|main|None", want: engine.Lost, reason: engine.ReasonHolderDied},
		"dependency failed":                   {entry: unclaimed, squeue: "PENDING|N/A|N/A|main|DependencyNeverSatisfied", want: engine.Queued},
		"cancelled for an option":             {entry: unclaimed, squeue: "CANCELLED|N/A|1700000990|main|DependencyNeverSatisfied", want: engine.Failed, reason: engine.ReasonDependency},
		"cancelled for its dependency":        {entry: unclaimed, after: true, squeue: "CANCELLED|N/A|1700000990|main|DependencyNeverSatisfied", sure: Unstarted},
		"forgotten while it waited":           {entry: unclaimed, sure: Unstarted},
		"forgotten":                           {entry: ready, want: engine.Lost, reason: engine.ReasonHolderDied},
	} {
		t.Run(name, func(t *testing.T) {
			answer := "1700001000\n"
			if c.squeue != "" {
				state, rest, _ := strings.Cut(c.squeue, "|")
				answer += "7|" + state + "|hob-token|" + rest + "|\n"
			}
			q := slurm.ParseQueue([]byte(answer))
			rec := engine.Record{ID: "job", Job: engine.Job{Request: engine.Request{Token: "token", Host: "slurm:box"}}}
			rec.Job.Status = engine.Starting
			if c.after {
				rec.Job.After = []engine.ID{"other"}
			}
			s := Look{Record: rec, Entry: &c.entry, Clock: recipe.Clock{Date: now, Up: -1}, At: time.Now(), Confirms: true, Queue: &q}
			o, sure := s.State()
			if sure != c.sure {
				t.Fatalf("the certainty is %d, not %d", sure, c.sure)
			}
			if sure == Unstarted {
				return
			}
			if o.Status != c.want || o.Exit.Reason != c.reason || o.Exit.EndedBy != c.by || o.Paused != c.paused || o.Link != engine.LinkOK {
				t.Errorf("it is %s, %+v, paused %v, %s", o.Status, o.Exit, o.Paused, o.Link)
			}
		})
	}
}

// An answer may arrive late, such as after this machine has slept. It says nothing about now.
func TestLateAnswerOfSlurm(t *testing.T) {
	const now = 1_700_001_000
	for name, c := range map[string]struct {
		asked  int64
		state  string
		link   engine.Link
		paused bool
	}{
		"asked a moment ago":                {now - 20, "SUSPENDED", engine.LinkOK, true},
		"the host's clock was set back":     {now + 3600, "RUNNING", engine.LinkOK, false},
		"asked an hour ago":                 {now - 3600, "RUNNING", engine.LinkUnreachable, false},
		"suspended an hour ago":             {now - 3600, "SUSPENDED", engine.LinkUnreachable, true},
		"ended, as it was known long ago":   {now - 3600, "TIMEOUT", engine.LinkUnreachable, false},
		"unknown to Slurm, a long time ago": {now - 3600, "", engine.LinkUnreachable, false},
	} {
		t.Run(name, func(t *testing.T) {
			text := fmt.Sprintf("%d\n", c.asked)
			if c.state != "" {
				text += "7|" + c.state + "|hob-token|1700000100|1700000200|main|None|\n"
			}
			q := slurm.ParseQueue([]byte(text))
			rec := engine.Record{ID: "job", Job: engine.Job{Request: engine.Request{Token: "token", Host: "slurm:box"}}}
			rec.Job.Status = engine.Running
			entry := recipe.Entry{Number: "7", Submitted: now - 7200, Claimed: true, Ready: true}
			look := Look{
				Record:   rec,
				Entry:    &entry,
				Clock:    recipe.Clock{Date: now, Up: -1},
				At:       time.Now(),
				Confirms: true,
				Queue:    &q,
			}
			o, sure := look.State()
			if o.Status != engine.Running || o.Link != c.link || o.Paused != c.paused || sure != Certain {
				t.Errorf("%s, link %s (%s), paused %v, %v", o.Status, o.Link, o.LinkError, o.Paused, sure)
			}
			ago := time.Duration(max(0, now-c.asked)) * time.Second
			if got := look.LastAnswer(); !got.Equal(look.At.Add(-ago)) {
				t.Errorf("last answer %v ago, want %v", look.At.Sub(got), ago)
			}
		})
	}
}
