package termstatus_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/programstatus"
	"github.com/hobjobs/hob/internal/termstatus"
	"github.com/hobjobs/hob/internal/vt"
)

// keeper is a terminal that keeps reports.
type keeper struct {
	*vt.Terminal
	store programstatus.Store
}

func newKeeper() *keeper {
	k := &keeper{}
	k.Terminal = vt.New(80, 24, vt.WithHandler(vt.Handler{Status: func(body string) {
		if r, ok := programstatus.Parse(body); ok {
			k.store.Apply(r, time.Time{})
		}
	}}))
	return k
}

func (k *keeper) reports() []record.ProgramReport {
	if p := k.store.Program(); p != nil {
		return p.Reports
	}
	return nil
}

func report(id string, state record.ProgramState) record.ProgramReport {
	return record.ProgramReport{ID: id, State: state, App: "x"}
}

func TestTerminalHasTheReportsOfTheLastUpdate(t *testing.T) {
	percent := 40
	full := record.ProgramReport{
		ID:      "full",
		State:   record.ProgramBlocked,
		Kind:    record.NeedsPermission,
		App:     "demo",
		Title:   "tests: all; of them",
		Message: "rm -r \u00e9",
		Percent: &percent,
	}
	k := newKeeper()
	k.Write([]byte("\x1b]7501;state=error:id=left-behind\a"))
	var r termstatus.Reporter
	for i, now := range [][]record.ProgramReport{
		{report("", record.ProgramWorking), report("a", record.ProgramIdle), report("a/b", record.ProgramDone), report("ab", record.ProgramIdle)},
		{report("a/b", record.ProgramDone), report("ab", record.ProgramError)}, // the root is cleared, and a, but nothing below
		{report("ab", record.ProgramError), full},
		{report("", record.ProgramIdle)},
		nil,
		{full},
	} {
		k.Write([]byte(r.Update(now)))
		if diff := cmp.Diff(now, k.reports()); diff != "" {
			t.Errorf("after update %d (-want +got):\n%s", i, diff)
		}
		if again := r.Update(now); again != "" {
			t.Errorf("update %d again writes %q", i, again)
		}
	}
	k.Write([]byte(r.Clear()))
	if got := k.reports(); got != nil {
		t.Errorf("after Clear the terminal has %v", got)
	}
}

func TestNothingIsWrittenWithoutReports(t *testing.T) {
	var r termstatus.Reporter
	if got := r.Update(nil) + r.Clear() + r.Last("job", true); got != "" {
		t.Errorf("wrote %q", got)
	}
}

func TestLastReportIsHowTheJobEnded(t *testing.T) {
	for failed, want := range map[bool]record.ProgramState{false: record.ProgramDone, true: record.ProgramError} {
		k := newKeeper()
		var r termstatus.Reporter
		k.Write([]byte(r.Update([]record.ProgramReport{report("", record.ProgramWorking), report("a", record.ProgramIdle)})))
		k.Write([]byte(r.Last("build", failed)))
		left := []record.ProgramReport{{State: want, App: "hob", Title: "build"}}
		if diff := cmp.Diff(left, k.reports()); diff != "" {
			t.Errorf("failed %v (-want +got):\n%s", failed, diff)
		}
	}
}

func TestMostUrgentReportsAreSent(t *testing.T) {
	var all []record.ProgramReport
	for i := range 100 {
		all = append(all, report(fmt.Sprint("job-", i), record.ProgramWorking))
	}
	var r termstatus.Reporter
	sent := r.Update(all)
	if n := strings.Count(sent, "state=working"); n != 64 || strings.Contains(sent, "job-64") {
		t.Errorf("%d reports were sent", n)
	}
}

func TestAnswerMayListWhatIsSupported(t *testing.T) {
	for seq, want := range map[string]bool{
		"\x1b]7501;?\a": true, "\x1b]7501;?\x1b\\": true, "\x1b]7501;?states=idle\a": true,
		"\x1b]7501;state=idle\a": false, "\x1b]750;?\a": false, "\x1b[?62c": false, "": false,
	} {
		if got := termstatus.IsAnswer([]byte(seq)); got != want {
			t.Errorf("%q: %v", seq, got)
		}
	}
}
