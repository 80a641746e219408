//go:build linux || darwin

package holder

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
)

// says writes a report to the terminal of h.
func says(h *Holder, report string) { h.Output([]byte("\x1b]7501;" + report + "\a")) }

// mostUrgent returns the most urgent report without its time, zero if there is none.
func mostUrgent(h *Holder) record.ProgramReport {
	p := h.State().Program
	if p == nil {
		return record.ProgramReport{}
	}
	r := p.ProgramReport
	r.At = time.Time{}
	return r
}

func TestProgramReports(t *testing.T) {
	for name, tc := range map[string]struct {
		output string
		want   []string // "ID state"
	}{
		"report split over writes":    {"\x1b]7501;state=wor|king:id=a|\a", []string{"a working"}},
		"ended with ST":               {"\x1b]7501;state=working\x1b\\", []string{" working"}},
		"ended with CAN":              {"\x1b]7501;state=working\x18", nil},
		"within a device control":     {"\x1bP+q\x1b]7501;state=working\a", []string{" working"}},
		"within a string of its own":  {"\x1bPq7501;state=working\x1b\\", nil},
		"shell prompt":                {"\x1b]7501;state=working:id=a\a\x1b]7501;state=done:id=b\a\x1b]133;A\a", []string{"b done"}},
		"prompt of VS Code's marks":   {"\x1b]7501;state=idle\a\x1b]633;A\a", nil},
		"full reset":                  {"\x1b]7501;state=done\a\x1bc", nil},
		"soft reset":                  {"\x1b]7501;state=done\a\x1b[!p", []string{" done"}},
		"alternate screen":            {"\x1b]7501;state=done\a\x1b[?1049h\x1b[?1049l", []string{" done"}},
		"malformed after a valid one": {"\x1b]7501;state=idle\a\x1b]7501;state=nope\a", []string{" idle"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHeld(t, Config{Terminal: true})
			for part := range strings.SplitSeq(tc.output, "|") {
				h.Output([]byte(part))
			}
			var got []string
			if p := h.State().Program; p != nil {
				for _, r := range p.Reports {
					got = append(got, r.ID+" "+string(r.State))
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%q (-want +got):\n%s", tc.output, diff)
			}
		})
	}
}

func TestProgramQueryIsAnsweredInOrder(t *testing.T) {
	typed := make(chan string, 10)
	h := newHeld(t, Config{Terminal: true, Hooks: Hooks{Input: func(_ context.Context, p []byte) error {
		typed <- string(p)
		return nil
	}}})
	for query, want := range map[string]string{
		"\x1b]7501;?\a":             "\x1b]7501;?\a",
		"\x1b]7501;?\x1b\\\x1b[c":   "\x1b]7501;?\x1b\\\x1b[?64;1;6;21;22;28c",
		"\x1b[c\x1b]7501;?\x1b\\":   "\x1b[?64;1;6;21;22;28c\x1b]7501;?\x1b\\",
		"\x1b]7501;?secret\a\x1b[c": "\x1b[?64;1;6;21;22;28c",
	} {
		h.Output([]byte(query))
		got := ""
		for len(got) < len(want) {
			got += <-typed
		}
		if got != want {
			t.Errorf("%q is answered with %q, want %q", query, got, want)
		}
	}
}

// What a program says ends with its run; what it has done and what has failed stays, as its last word.
func TestProgramReportsEndWithRun(t *testing.T) {
	h := newHeld(t, Config{Terminal: true, Meta: jobdir.Meta{Request: record.Request{Restart: "always"}}})
	says(h, "state=blocked:kind=question")
	says(h, "state=error:id=task")
	code := 1
	h.RunEnded(record.Exit{Status: record.Exited, Code: &code, Reason: record.ReasonExit}, time.Now())
	want := record.ProgramReport{ID: "task", State: record.ProgramError}
	if got := mostUrgent(h); !cmp.Equal(got, want) {
		t.Errorf("after the run: %+v, want %+v", got, want)
	}
	h.RunBegins()
	if p := h.State().Program; p != nil {
		t.Errorf("the next run begins with %+v", p)
	}
	says(h, "state=working")
	says(h, "state=done:id=task")
	h.End(record.Exit{Status: record.Exited, Code: &code, Reason: record.ReasonExit})
	want = record.ProgramReport{ID: "task", State: record.ProgramDone}
	if got := mostUrgent(h); !cmp.Equal(got, want) {
		t.Errorf("after the end: %+v, want %+v", got, want)
	}
	rec, err := jobdir.Read(h.cfg.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if p := rec.State.Program; p == nil || p.State != record.ProgramDone || len(p.Reports) != 1 {
		t.Errorf("the record of the end has %+v", p)
	}
}

// A program that says what it does is believed about keys, not about lines.
func TestWhoDecidesWhetherJobWaits(t *testing.T) {
	for name, tc := range map[string]struct {
		entry  record.Entry
		report string
		want   bool
	}{
		"keys":                            {record.EntryUnknown, "", true},
		"keys, program at its own prompt": {record.EntryUnknown, "state=idle", false},
		"keys, program needs the user":    {record.EntryUnknown, "state=blocked", true},
		"lines of a child":                {record.EntryOpen, "state=working", true},
		"password of a child":             {record.EntryHidden, "state=working", true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHeld(t, Config{Terminal: true})
			h.Waiting(true, tc.entry)
			if tc.report != "" {
				says(h, tc.report)
			}
			st := h.State()
			needs := st.Waiting || mostUrgent(h).State == record.ProgramBlocked
			if needs != tc.want {
				t.Errorf("needs input = %v, want %v (waiting %v)", needs, tc.want, st.Waiting)
			}
		})
	}
	h := newHeld(t, Config{Terminal: true})
	h.Waiting(true, record.EntryUnknown)
	says(h, "state=idle")
	if h.State().Waiting {
		t.Error("an agent at its prompt waits for input")
	}
	says(h, "state=clear")
	if !h.State().Waiting {
		t.Error("once it says nothing, it does not wait for input as before")
	}
}

// Notifications are about the states that a program enters.
func TestSaidIsCalledForEachStateEntered(t *testing.T) {
	var got []record.ProgramState
	h := newHeld(t, Config{Terminal: true, Hooks: Hooks{ProgramChanged: func(r record.ProgramReport) { got = append(got, r.State) }}})
	for _, report := range []string{"state=working", "state=blocked", "state=blocked:kind=question:app=x", "state=working:id=a", "state=idle", "state=clear"} {
		says(h, report)
	}
	want := []record.ProgramState{record.ProgramWorking, record.ProgramBlocked, record.ProgramWorking, ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestProgressOfProgram(t *testing.T) {
	h := newHeld(t, Config{Terminal: true})
	h.Output([]byte("\x1b]9;4;1;10\a"))
	says(h, "state=working:progress=40")
	h.Output([]byte("\x1b]9;4;1;50\a"))
	if diff := cmp.Diff(&record.Progress{State: "normal", Percent: 40}, h.State().Progress); diff != "" {
		t.Errorf("progress, once the program reports it (-want +got):\n%s", diff)
	}
	says(h, "state=working")
	if p := h.State().Progress; p != nil {
		t.Errorf("progress = %+v after a report without one", p)
	}
}

// Events have no texts: they may be private.
func TestProgramEvents(t *testing.T) {
	h := newHeld(t, Config{Terminal: true})
	says(h, "state=blocked:kind=permission:app=x:msg=c2VjcmV0")
	h.Close()
	facts, err := jobdir.Facts(h.cfg.Dir, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var got []record.ProgramChange
	for _, f := range facts {
		if f.Kind == "status" {
			got = append(got, *f.Program)
		}
	}
	want := []record.ProgramChange{{To: record.ProgramBlocked, Kind: record.NeedsPermission, App: "x"}}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("status facts (-want +got):\n%s", diff)
	}
}

// The events have what a program said last, even if it said it too soon after what it had said before.
func TestEventsHaveTheLastWord(t *testing.T) {
	h := newHeld(t, Config{Terminal: true})
	says(h, "state=working")
	says(h, "state=blocked")
	says(h, "state=error")
	code := 1
	h.End(record.Exit{Status: record.Exited, Code: &code, Reason: record.ReasonExit})
	h.Close()
	facts, err := jobdir.Facts(h.cfg.Dir, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var last record.ProgramState
	for _, f := range facts {
		if f.Kind == "status" {
			last = f.Program.To
		}
	}
	if last != record.ProgramError {
		t.Errorf("the last status in the events is %q, want %q", last, record.ProgramError)
	}
}

// Facts that follow each other at once are in the history in their order.
func TestEventsAreInOrder(t *testing.T) {
	for range 20 {
		h := newHeld(t, Config{Terminal: true})
		h.Output([]byte("\x1b]2;title\a\a"))
		code := 0
		h.End(record.Exit{Status: record.Exited, Code: &code, Reason: record.ReasonExit})
		h.Close()
		facts, err := jobdir.Facts(h.cfg.Dir, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range facts {
			got = append(got, f.Kind)
		}
		want := []string{"started", "title", "attention", "exited"}
		if !slices.Equal(got, want) {
			t.Fatalf("the events are %q, want %q", got, want)
		}
	}
}

func TestLastCommandOfShell(t *testing.T) {
	h := newHeld(t, Config{Terminal: true})
	h.Output([]byte("\x1b]133;D\a"))
	if c := h.State().LastCommand; c != nil {
		t.Errorf("a command without a code: %+v", c)
	}
	h.Output([]byte("\x1b]133;D;3;aid=1\a"))
	if c := h.State().LastCommand; c == nil || c.Code != 3 {
		t.Errorf("last command = %+v, want code 3", c)
	}
}
