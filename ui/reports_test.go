package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
)

func TestReports(t *testing.T) {
	says := func(state engine.ProgramState, kind engine.ProgramKind) *engine.Program {
		return &engine.Program{ProgramReport: engine.ProgramReport{State: state, Kind: kind, Message: "private"}}
	}
	at := func(id engine.ID, s engine.State) engine.Job {
		if s.Status == "" {
			s.Status = engine.Running
		}
		return engine.Job{Request: engine.Request{ID: id, Name: string(id)}, State: s}
	}
	failed := engine.State{Status: engine.Exited, Exit: engine.Exit{Status: engine.Exited, Code: new(2), Reason: engine.ReasonExit}}
	for _, tt := range []struct {
		name string
		jobs []engine.Job
		want []string
	}{
		{"none", nil, []string{"idle"}},
		{"runs", []engine.Job{at("a", engine.State{Progress: &engine.Progress{Percent: 30}}), at("b", engine.State{})}, []string{
			"working 2 jobs are running: a, b", "a working 30%", "b working",
		}},
		{"own words", []engine.Job{at("a", engine.State{Program: says(engine.ProgramIdle, "")}), at("b", engine.State{Program: says(engine.ProgramDone, "")})}, []string{
			"done b is done", "b done", "a idle",
		}},
		{"permission", []engine.Job{at("a", engine.State{Program: says(engine.ProgramBlocked, engine.NeedsPermission)})}, []string{
			"blocked (permission) a needs input", "a blocked (permission)",
		}},
		{"different needs", []engine.Job{at("a", engine.State{Program: says(engine.ProgramBlocked, engine.NeedsPermission)}), at("b", engine.State{Waiting: true, Entry: engine.EntryOpen})}, []string{
			"blocked (question) 2 jobs need input: a, b", "a blocked (permission)", "b blocked (question)",
		}},
		{"a secret", []engine.Job{at("a", engine.State{Waiting: true, Entry: engine.EntryOpen}), at("b", engine.State{Waiting: true, Entry: engine.EntryHidden})}, []string{
			"blocked (auth) 2 jobs need input: a, b", "a blocked (question)", "b blocked (auth)",
		}},
		{"failed", []engine.Job{at("a", failed), at("b", engine.State{})}, []string{"error a failed", "a error", "b working"}},
		{"unknown and not begun", []engine.Job{at("a", engine.State{Link: engine.LinkUnreachable}), at("b", engine.State{Status: engine.Queued})}, []string{"idle"}},
		{"the host's own", []engine.Job{at("self", engine.State{Waiting: true})}, []string{"idle"}},
	} {
		inBubble(t, tt.name, func(t *testing.T) {
			s := newHarness(t, 80, 24, &fake{jobs: tt.jobs}, WithinJob("self"))
			var got []string
			for _, r := range s.pane.Reports() {
				got = append(got, reportText(r))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// reportText describes a report: "id state (kind) percent message", without what it does not have.
func reportText(r engine.ProgramReport) string {
	parts := []string{r.ID, string(r.State)}
	if r.Kind != "" {
		parts = append(parts, "("+string(r.Kind)+")")
	}
	if r.Percent != nil {
		parts = append(parts, fmt.Sprintf("%d%%", *r.Percent))
	}
	return strings.TrimSpace(strings.Join(append(parts, r.Message), " "))
}

// A program that reports that it needs the user also sends a notification of that.
func TestReportAndNotificationOfItAreShownOnce(t *testing.T) {
	for name, noteFirst := range map[string]bool{"report first": false, "notification first": true} {
		inBubble(t, name, func(t *testing.T) {
			s := newHarness(t, 120, 30, three(), withClock(time.Now))
			s.pane.Blur()
			j := s.eng.jobs[0]
			said := j
			said.Program = &engine.Program{ProgramReport: engine.ProgramReport{State: engine.ProgramBlocked}}
			report := engine.Event{Kind: engine.EventStatus, Job: said, Program: engine.ProgramChange{To: engine.ProgramBlocked}}
			note := engine.Event{Kind: engine.EventAttention, Job: said, Note: engine.Note{Body: "needs your permission"}}
			if noteFirst {
				before := note
				before.Job = j
				s.facts(before)
				s.facts(report)
			} else {
				s.facts(report)
				s.facts(note)
			}
			count := func() (n int) {
				for _, m := range s.sent {
					if _, ok := m.(AttentionMsg); ok {
						n++
					}
				}
				return n
			}
			if n := count(); n != 1 {
				t.Errorf("%d notices", n)
			}
			s.pass(sameEvent + time.Second)
			s.facts(engine.Event{Kind: engine.EventAttention, Job: said})
			if n := count(); n != 2 {
				t.Errorf("%d notices after a bell some seconds later", n)
			}
			s.pass(reportPause + time.Second)
			s.facts(note)
			if n := count(); n != 3 {
				t.Errorf("%d notices after another notification, later", n)
			}
		})
	}
}

// says delivers that the program of the first job has changed from one state to another.
func (s *harness) says(from, to engine.ProgramState, kind engine.ProgramKind) {
	s.t.Helper()
	j := s.eng.jobs[0]
	j.Program = &engine.Program{ProgramReport: engine.ProgramReport{State: to, Kind: kind, Message: "unit tests"}}
	s.facts(engine.Event{Kind: engine.EventStatus, Job: j, Program: engine.ProgramChange{From: from, To: to, Kind: kind}})
}

// notices returns the texts for the host since the last call.
func (s *harness) notices() (texts []string) {
	for _, m := range s.sent {
		if a, ok := m.(AttentionMsg); ok {
			texts = append(texts, a.Text)
		}
	}
	s.sent = nil
	return texts
}

// What a program reports is shown once for each state that it enters, and of each job at most once in a while.
func TestNoticesOfReports(t *testing.T) {
	name := three().jobs[0].Name
	blocked := name + " is blocked: permission · unit tests"
	for title, tc := range map[string]struct {
		act  func(s *harness)
		want []string
	}{
		"blocked": {func(s *harness) { s.says("", engine.ProgramBlocked, engine.NeedsPermission) }, []string{blocked}},
		"failure": {func(s *harness) { s.says("", engine.ProgramError, "") }, []string{name + " reports a failure: unit tests"}},
		"result":  {func(s *harness) { s.says("", engine.ProgramDone, "") }, []string{name + " has a result: unit tests"}},
		"at work": {func(s *harness) { s.says("", engine.ProgramWorking, "") }, nil},
		"the same state for another reason": {func(s *harness) {
			s.says("", engine.ProgramBlocked, engine.NeedsPermission)
			s.pass(reportPause)
			s.says(engine.ProgramBlocked, engine.ProgramBlocked, engine.NeedsAnswer)
		}, []string{blocked}},
		"again too soon": {func(s *harness) {
			s.says("", engine.ProgramDone, "")
			s.says(engine.ProgramDone, engine.ProgramBlocked, engine.NeedsPermission)
			s.pass(reportPause / 2)
		}, []string{name + " has a result: unit tests"}},
		"again too soon, and it still holds": {func(s *harness) {
			s.says("", engine.ProgramDone, "")
			s.says(engine.ProgramDone, engine.ProgramBlocked, engine.NeedsPermission)
			s.pass(reportPause)
		}, []string{name + " has a result: unit tests", blocked}},
		"again too soon, and it is over": {func(s *harness) {
			s.says("", engine.ProgramDone, "")
			s.says(engine.ProgramDone, engine.ProgramBlocked, engine.NeedsPermission)
			s.says(engine.ProgramBlocked, engine.ProgramWorking, "")
			s.pass(reportPause)
		}, []string{name + " has a result: unit tests"}},
		"on screen": {func(s *harness) {
			s.pane.Focus()
			s.press("enter")
			s.says("", engine.ProgramBlocked, engine.NeedsPermission)
		}, nil},
		"soon after it was on screen": {func(s *harness) {
			s.pane.Focus()
			s.press("enter")
			s.says("", engine.ProgramDone, "")
			s.pane.Blur()
			s.says(engine.ProgramDone, engine.ProgramBlocked, engine.NeedsPermission)
		}, []string{blocked}},
	} {
		inBubble(t, title, func(t *testing.T) {
			s := newHarness(t, 120, 30, three(), withClock(time.Now))
			s.pane.Blur()
			tc.act(s)
			if diff := cmp.Diff(tc.want, s.notices()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// A line for a program that reports that it needs a login is hidden, even if the terminal echoes.
func TestLineForReportedLoginIsHidden(t *testing.T) {
	inBubble(t, "a login", func(t *testing.T) {
		eng := three()
		eng.jobs[0].Entry = engine.EntryOpen
		eng.jobs[0].Program = &engine.Program{ProgramReport: engine.ProgramReport{State: engine.ProgramBlocked, Kind: engine.NeedsSecret}}
		s := newHarness(t, 120, 30, eng)
		s.press("i")
		s.sees("Password for npm run dev (hidden): ")
		s.write("hunter2")
		s.seesNot("hunter2")
	})
}
