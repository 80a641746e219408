package ui

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
)

func TestEditRestart(t *testing.T) {
	inBubble(t, "keeps name and port", func(t *testing.T) {
		eng := three()
		eng.jobs[0].Name, eng.jobs[0].Port = "my web", 25861
		s := newHarness(t, 100, 30, eng)
		s.press("e")
		s.sees("-n 'my web' --port 25861")
		s.write(" --debug")
		s.press("enter")
		s.calledLast(`restart dev-aaaaa as "npm run dev --debug" in "/home/me/src" on ""`)
		if got := s.eng.spec; got.Name != "my web" || got.Port != 25861 {
			t.Errorf("started with name %q and port %d", got.Name, got.Port)
		}
		s.seesNot("Started a second")
	})
	inBubble(t, "keeps what the form does not show", func(t *testing.T) {
		eng := three()
		j := &eng.jobs[0]
		j.Queue, j.After, j.AfterAny = "build", []engine.ID{"a-aaaaa"}, []engine.ID{"b-aaaaa"}
		j.Kind, j.Stdin, j.LogLimit, j.Grace = engine.KindFile, engine.InputTTY, 0, 1000
		s := newHarness(t, 100, 30, eng)
		s.press("e", "enter")
		want := engine.Spec{
			Script:        "npm run dev",
			Dir:           "/home/me/src",
			Stdin:         true,
			TTYStdin:      true,
			Size:          engine.Size{Cols: 120, Rows: 40},
			Grace:         time.Second,
			LogLimit:      -1,
			Backgrounded:  true,
			RestartedFrom: "dev-aaaaa",
			Queue:         "build",
			After:         []engine.ID{"a-aaaaa"},
			AfterAny:      []engine.ID{"b-aaaaa"},
		}
		if diff := cmp.Diff(want, s.eng.spec); diff != "" {
			t.Error(diff)
		}
	})
	inBubble(t, "elsewhere leaves out what only the old place has", func(t *testing.T) {
		eng := three()
		j := &eng.jobs[0]
		j.Queue, j.After, j.AfterAny = "build", []engine.ID{"a-aaaaa"}, []engine.ID{"b-aaaaa"}
		s := newHarness(t, 100, 30, eng)
		s.press("e", "down", "down")
		s.write("web1")
		s.press("enter")
		got := s.eng.spec
		if got.Host != "web1" || got.Queue != "" || len(got.After)+len(got.AfterAny) > 0 {
			t.Errorf("started %+v", got)
		}
	})
	inBubble(t, "waits for the end of a running job, even if the user quits", func(t *testing.T) {
		eng := three()
		eng.grace = make(chan struct{})
		s := newHarness(t, 100, 30, eng)
		s.press("e", "enter")
		jobs, wait := s.pane.jobActions.restarts.pending()
		if len(jobs) != 1 || jobs[0].ID != "dev-aaaaa" {
			t.Errorf("pending restarts: %v", jobs)
		}
		close(eng.grace)
		if err := wait(t.Context()); err != nil {
			t.Error(err)
		}
	})
	inBubble(t, "attaches on request", func(t *testing.T) {
		s := newHarness(t, 100, 30, three())
		s.press("e", "ctrl+o")
		s.sees("screen of again-aaaaa")
	})
	inBubble(t, "restores the text if it is refused", func(t *testing.T) {
		eng := three()
		eng.fail["restart"] = errors.New("no route to web1")
		s := newHarness(t, 100, 30, eng)
		s.press("e")
		s.write(" --debug")
		s.press("enter")
		s.sees("no route to web1")
		s.press("e")
		s.sees("npm run dev --debug")
	})
}

func TestRestartAsksForMissingValues(t *testing.T) {
	missing := fmt.Errorf("restart: %w", &engine.MissingEnvError{Names: []string{"API_TOKEN", "DATABASE_URL"}})
	inBubble(t, "and restarts with them", func(t *testing.T) {
		eng := three()
		eng.fail["restart"] = missing
		s := newHarness(t, 100, 30, eng)
		s.press("r")
		s.sees("Restart npm run dev")
		s.sees("Values of -e are not stored.")
		s.sees("API_TOKEN")
		s.sees("DATABASE_URL")
		s.write("s3cret")
		s.press("enter")
		s.sees("enter a value")
		s.write("postgres:")
		s.press("enter")
		s.calledLast("restart dev-aaaaa", "restart-with-values dev-aaaaa")
		s.seesNot("DATABASE_URL")
	})
	inBubble(t, "of another copy too", func(t *testing.T) {
		eng := three()
		eng.fail["run-another"] = missing
		s := newHarness(t, 100, 30, eng)
		s.press("R")
		s.write("s3cret")
		s.press("tab")
		s.write("postgres:")
		s.press("enter")
		s.calledLast("run-another dev-aaaaa", "run-another-with-values dev-aaaaa")
	})
	inBubble(t, "unless it is canceled", func(t *testing.T) {
		eng := three()
		eng.fail["restart"] = missing
		s := newHarness(t, 100, 30, eng)
		s.press("r", "esc")
		s.seesNot("Restart npm run dev")
		s.calledLast("restart dev-aaaaa")
	})
	inBubble(t, "and does not interrupt the user", func(t *testing.T) {
		eng := three()
		eng.fail["restart"] = missing
		eng.grace = make(chan struct{})
		s := newHarness(t, 100, 30, eng)
		s.press("r", "n")
		s.write("ls")
		close(eng.grace)
		s.pump()
		s.sees("New job")
		s.sees("Can't restart npm run dev: API_TOKEN, DATABASE_URL aren't saved")
	})
}

func TestDetailShowsWhyAJobIsStopping(t *testing.T) {
	for name, tt := range map[string]struct {
		key       string
		fail      error
		restarted bool
	}{
		"a restart":            {"r", nil, true},
		"a restart that fails": {"r", errors.New("the disk is gone"), true},
		"another copy":         {"R", nil, false},
	} {
		inBubble(t, name, func(t *testing.T) {
			eng := three()
			eng.fail["restart"] = tt.fail
			eng.grace = make(chan struct{})
			s := newHarness(t, 120, 30, eng)
			s.press(tt.key)
			j := eng.jobs[0]
			j.Status, j.Stopping = engine.Stopping, &engine.StopRequest{Deadline: noon.Add(5 * time.Second)}
			s.facts(engine.Event{Kind: engine.EventTitle, Job: j})
			if tt.restarted {
				s.sees("stopping to restart · SIGKILL in 5s")
			}
			close(eng.grace)
			s.pump()
			s.facts(engine.Event{Kind: engine.EventTitle, Job: j})
			s.sees("stopping · SIGKILL in 5s")
		})
	}
}
