package enginetest

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
)

// programs returns the cases about the status that the program of a job reports (OSC 7501).
func programs() []suiteCase {
	return []suiteCase{
		{"what a program in a terminal says is known to the caller that waited for it, and to others", func(s *suite) {
			s.terminal()
			j := s.sh(`printf '\033]7501;state=working:id=tests:progress=40\007'
printf '\033]7501;state=blocked:kind=permission:app=demo:msg=cm0gLXIgYnVpbGQ=\033\\'
exec sleep 600`, withTerminal)
			s.saysBlocked(j.ID)
			s.blockedForPermission(j.ID)
		}},
		{"what a program says into its output is known", func(s *suite) {
			j := s.sh(`printf '\033]7501;state=working:id=tests:progress=40\007\033]7501;state=blocked:kind=permission:app=demo:msg=cm0gLXIgYnVpbGQ=\007\n'
exec sleep 600`)
			s.saysBlocked(j.ID)
			s.blockedForPermission(j.ID)
		}},
		{"what a program says into one of its streams is known", func(s *suite) {
			s.need(s.caps.Split, "separate streams")
			j := s.sh(`echo words >&2; printf '\033]7501;state=blocked\007\n'; exec sleep 600`, func(spec *engine.Spec) { spec.Split = true })
			s.saysBlocked(j.ID)
			if got := s.listed(j.ID); !got.NeedsInput() {
				s.Errorf("another client finds %+v", got.Program)
			}
		}},
		{"a holder knows what a program in a terminal has said before much output", func(s *suite) {
			s.need(s.cfg.Terminal == nil, "a holder")
			j := s.sh(`printf '\033]7501;state=blocked:kind=permission\007'; seq 9999; echo end; exec sleep 600`, withTerminal)
			s.until(j.ID, func(out string) bool { return strings.Contains(out, "end") })
			if got := s.listed(j.ID); !got.NeedsInput() {
				s.Errorf("another client finds %+v", got.Program)
			}
		}},
		{"waiting for several conditions names the one that holds", func(s *suite) {
			j := s.sh(`echo ready; printf '\033]7501;state=blocked\007'; exec sleep 600`)
			never := engine.Condition{Line: regexp.MustCompile("^never")}
			said := engine.Condition{Says: []engine.ProgramState{engine.ProgramDone, engine.ProgramBlocked}}
			out, err := s.e.Handle(j.ID).WaitFor(s.ctx(), never, engine.Condition{Quiet: time.Hour}, said)
			s.done(err)
			if !out.Met || out.Held != 2 || out.Said != engine.ProgramBlocked {
				s.Errorf("what the program says: %+v", out)
			}
			ready := engine.Condition{Line: regexp.MustCompile("^ready")}
			out, err = s.e.Handle(j.ID).WaitFor(s.ctx(), never, ready)
			s.done(err)
			if !out.Met || out.Held != 1 || out.Line != "ready" {
				s.Errorf("the line: %+v", out)
			}
		}},
		{"what a virtual execution says is known", func(s *suite) {
			s.need(s.cfg.Host == "", "virtual executions on hosts")
			x, err := s.e.NewExecution(engine.ExecutionSpec{
				Name:  "agent",
				Size:  engine.Size{Cols: 80, Rows: 24},
				Hooks: engine.ExecutionHooks{Kill: func(context.Context) error { return nil }},
			})
			s.done(err)
			x.Append([]byte("\x1b]7501;state=working:id=tests:progress=40\a"))
			x.Append([]byte("\x1b]7501;state=blocked:kind=permission:app=demo:msg=cm0gLXIgYnVpbGQ=\a"))
			s.saysBlocked(x.ID())
			s.saysTo(s.engine(), x.ID(), engine.ProgramBlocked) // this engine knows it before it is recorded
			s.blockedForPermission(x.ID())
			s.done(x.Complete(engine.Exit{
				Status: engine.Exited,
				Code:   new(0),
				Reason: engine.ReasonExit,
			}))
			if got := s.get(x.ID()); got.Program != nil || got.NeedsInput() {
				s.Errorf("after the end the program says %+v", got.Program)
			}
		}},
		{"program that needs a password or a login needs a secret", func(s *suite) {
			s.terminal()
			j := s.sh(`printf '\033]7501;state=blocked:kind=auth\007'; exec sleep 600`, withTerminal)
			s.saysBlocked(j.ID)
			if got := s.get(j.ID); !got.NeedsSecret() {
				s.Errorf("it needs no secret: %+v", got.Program)
			}
		}},
		{"ended job neither works nor waits", func(s *suite) {
			s.terminal()
			j := s.sh(`printf '\033]7501;state=working:id=a\007\033]7501;state=blocked\007'; read line; exit 3`, withTerminal)
			s.saysBlocked(j.ID)
			s.done(s.e.Handle(j.ID).Write(s.ctx(), []byte("\n")))
			s.exits(j.ID, 3)
			for _, got := range []engine.Job{s.get(j.ID), s.listed(j.ID)} {
				if got.Program != nil || got.NeedsInput() {
					s.Errorf("after the end the program says %+v", got.Program)
				}
			}
		}},
		{"done and error that a job in a terminal reported stay after its end", func(s *suite) {
			s.terminal()
			s.lastWordsStay(s.sh(lastWords, withTerminal).ID)
		}},
		{"done and error that a job without a terminal reported stay after its end", func(s *suite) {
			s.lastWordsStay(s.sh(lastWords).ID)
		}},
		{"terminal answers the query of a program in order", func(s *suite) {
			s.terminal()
			s.need(s.caps.Stdin, "input")
			j := s.sh(`stty -icanon -echo; read go; printf '\033]7501;?\007\033[c'
head -c 12 | tr -d '\033\007'; echo .; exec sleep 600`, withTerminal)
			term, err := s.e.Handle(j.ID).Terminal(s.ctx(), engine.TerminalOptions{Control: true, Size: engine.Size{Cols: 80, Rows: 24}})
			s.done(err)
			defer term.Close()
			_, err = term.Next(s.ctx()) // a host's jobs get answers from clients that have drawn their terminal
			s.done(err)
			shown := ""
			s.done(term.Write(s.ctx(), []byte("\n")))
			for !strings.Contains(shown, "]7501;?[?") {
				chunk, err := term.Next(s.ctx())
				if err != nil || chunk.Exit != nil {
					s.Fatalf("after %q: %v", shown, err)
				}
				shown += string(chunk.Data)
			}
		}},
	}
}

func withTerminal(spec *engine.Spec) { spec.PTY, spec.Size = true, engine.Size{Cols: 80, Rows: 24} }

// lastWords is a program that works on one task, has done another, has failed at a third, and ends.
const lastWords = `printf '\033]7501;state=working:id=a\007\033]7501;state=done:id=b:msg=dGVzdHM=\007\033]7501;state=error:id=c\007\n'
exit 3`

// lastWordsStay waits for the end of a job that runs lastWords, and checks what this client and another one know of its
// reports.
func (s *suite) lastWordsStay(id engine.ID) {
	s.Helper()
	s.exits(id, 3)
	for name, got := range map[string]engine.Job{"get": s.get(id), "list": s.listed(id)} {
		if got.Program == nil {
			s.Fatalf("%s: after the end nothing is left of its reports", name)
		}
		var left []string
		for _, r := range got.Program.Reports {
			left = append(left, r.ID+" "+string(r.State)+" "+r.Message)
		}
		slices.Sort(left)
		if want := []string{"b done tests", "c error "}; !slices.Equal(left, want) {
			s.Errorf("%s: after the end its reports are %q, want %q", name, left, want)
		}
		if got.Program.State != engine.ProgramError || got.NeedsInput() {
			s.Errorf("%s: after the end the program says %+v", name, got.Program.ProgramReport)
		}
	}
}

// saysBlocked waits until the program of a job says that it is blocked.
func (s *suite) saysBlocked(id engine.ID) {
	s.Helper()
	s.saysTo(s.e, id, engine.ProgramBlocked)
}

func (s *suite) saysTo(e *engine.Engine, id engine.ID, state engine.ProgramState) {
	s.Helper()
	out, err := e.Handle(id).WaitFor(s.ctx(), engine.Condition{Says: []engine.ProgramState{state}})
	if err != nil || !out.Met {
		s.Fatalf("wait until it says %s: %+v, %v", state, out, err)
	}
}

// listed returns a job as another client lists it.
func (s *suite) listed(id engine.ID) engine.Job {
	s.Helper()
	jobs, err := s.engine().List(s.ctx(), engine.Filter{IDs: []engine.ID{id}})
	if err != nil || len(jobs) != 1 {
		s.Fatalf("list: %v, %v", jobs, err)
	}
	return jobs[0]
}

// blockedForPermission checks what this client and another one know of a program that needs a permission, with a
// task that works.
func (s *suite) blockedForPermission(id engine.ID) {
	s.Helper()
	for name, got := range map[string]engine.Job{"get": s.get(id), "list": s.listed(id)} {
		p := got.Program
		if p == nil {
			s.Fatalf("%s: the program says nothing", name)
		}
		permission := p.State == engine.ProgramBlocked && p.Kind == engine.NeedsPermission
		if !permission || p.Message != "rm -r build" || p.App != "demo" {
			s.Errorf("%s: the program says %+v", name, p.ProgramReport)
		}
		if len(p.Reports) != 2 || p.Reports[1].ID != "tests" || p.Reports[1].App != "demo" {
			s.Errorf("%s: the reports are %+v", name, p.Reports)
		}
		if got.Status != engine.Running || !got.NeedsInput() {
			s.Errorf("%s: the job is %s, needs input: %v", name, got.Status, got.NeedsInput())
		}
	}
}
