package ui_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui"
	"github.com/hobjobs/hob/ui/program"
)

func TestAppForeground(t *testing.T) {
	foreground := func(t *testing.T, o program.Options) *stage {
		eng := ui.Three()
		eng.Job(0).Backgrounded = false
		o.Foreground = "dev-aaaaa"
		s := newStage(t, eng, o)
		s.sees("screen of dev-aaaaa")
		s.sees("Ctrl+B background")
		return s
	}
	end := func(s *stage) {
		s.eng.Tell(engine.Event{Kind: engine.EventExited, Job: ui.Exited(*s.eng.Job(0), 3)})
		s.settle()
	}

	bubble(t, "its end ends the program", func(t *testing.T) {
		s := foreground(t, program.Options{})
		end(s)
		if !s.left() {
			t.Fatalf("it is still there:\n%s", s.text())
		}
		if s.result.Ended == nil || *s.result.Ended.Exit.Code != 3 {
			t.Errorf("result %+v", s.result)
		}
	})
	bubble(t, "its last screen can be kept", func(t *testing.T) {
		s := foreground(t, program.Options{KeepEnded: true})
		end(s)
		s.write("q")
		if s.left() {
			t.Fatal("it left before Enter")
		}
		s.sees("exit 3")
		s.write("\r")
		if !s.left() || s.result.Ended == nil {
			t.Errorf("after Enter: result %+v\n%s", s.result, s.text())
		}
	})
	bubble(t, "its end may be on its screen before anything is known of it", func(t *testing.T) {
		eng := ui.Three()
		eng.WithoutSnapshot()
		s := newStage(t, eng, program.Options{Foreground: "dev-aaaaa"})
		code := 3
		s.eng.EndScreen(engine.Exit{Status: engine.Exited, Code: &code})
		s.settle()
		s.eng.Tell(engine.Event{Kind: engine.EventCreated, Job: ui.Exited(*s.eng.Job(0), 3)})
		s.settle()
		if !s.left() {
			t.Fatalf("it is still there:\n%s", s.text())
		}
		if s.result.Ended == nil || *s.result.Ended.Exit.Code != 3 {
			t.Errorf("result %+v", s.result)
		}
	})
	bubble(t, "Enter may come before its record", func(t *testing.T) {
		s := foreground(t, program.Options{KeepEnded: true})
		code := 143
		s.eng.EndScreen(engine.Exit{Status: engine.Killed, Code: &code, Signal: "SIGTERM"})
		s.settle()
		s.sees("to close")
		s.write("\r")
		if !s.left() {
			t.Fatalf("it is still there:\n%s", s.text())
		}
		if e := s.result.Ended; e == nil || e.ID != "dev-aaaaa" || e.Status != engine.Killed || *e.Exit.Code != code {
			t.Errorf("ended %+v", e)
		}
	})
	bubble(t, "Ctrl+B shows the panes", func(t *testing.T) {
		s := foreground(t, program.Options{})
		s.write("\x02")
		s.sees("Jobs")
		end(s)
		if s.left() {
			t.Fatal("the end of a job in the background ended the program")
		}
		s.write("q")
		if !s.left() || s.result.Backgrounded != "dev-aaaaa" || s.result.Ended != nil {
			t.Errorf("result %+v", s.result)
		}
	})
	bubble(t, "Ctrl+B goes back to the shell", func(t *testing.T) {
		s := foreground(t, program.Options{ToShell: true})
		if strings.Contains(s.text(), "Ctrl+B ?") {
			t.Errorf("keys are promised where the shell is next:\n%s", s.text())
		}
		s.write("\x02")
		time.Sleep(ui.HostLeave)
		s.settle()
		if !s.left() || s.result.Backgrounded != "dev-aaaaa" {
			t.Errorf("result %+v\n%s", s.result, s.text())
		}
	})
	bubble(t, "on the way to the shell it shows no panes", func(t *testing.T) {
		s := foreground(t, program.Options{ToShell: true})
		s.write("\x02")
		if s.left() || strings.Contains(s.text(), "Jobs") {
			t.Errorf("left %v\n%s", s.left(), s.text())
		}
		s.sees("screen of dev-aaaaa")
		s.write("x")
		if !s.left() || s.result.Backgrounded != "dev-aaaaa" {
			t.Errorf("another key waits: result %+v\n%s", s.result, s.text())
		}
		for _, call := range s.eng.Calls() {
			if strings.HasPrefix(call, "stop") {
				t.Errorf("the key went to the panes: %s", call)
			}
		}
	})
	bubble(t, "the panes say what keeps it from the shell", func(t *testing.T) {
		s := foreground(t, program.Options{ToShell: true})
		s.eng.Fail("background", errors.New("the disk is gone"))
		s.write("\x02")
		time.Sleep(ui.HostLeave)
		s.settle()
		s.sees("the disk is gone")
		if s.left() {
			t.Error("it left")
		}
	})
	for name, toShell := range map[string]bool{"the panes": false, "the shell": true} {
		bubble(t, "Ctrl+B twice leaves the job in the foreground, before "+name, func(t *testing.T) {
			s := foreground(t, program.Options{ToShell: toShell})
			s.write("\x02\x02")
			time.Sleep(2 * ui.DoubleLeave)
			s.settle()
			if slices.Contains(s.eng.Calls(), "background dev-aaaaa") {
				t.Error("it was sent to the background")
			}
			s.write("\x02")
			time.Sleep(2 * ui.DoubleLeave)
			s.settle()
			if !slices.Contains(s.eng.Calls(), "background dev-aaaaa") {
				t.Error("it was not sent to the background")
			}
		})
	}
	bubble(t, "Ctrl+B twice stays", func(t *testing.T) {
		s := foreground(t, program.Options{ToShell: true})
		s.write("\x02\x02")
		time.Sleep(2 * ui.DoubleLeave)
		s.settle()
		if s.left() {
			t.Error("it left")
		}
		s.sees("screen of dev-aaaaa")
	})
}
