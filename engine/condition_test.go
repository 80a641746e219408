package engine

import (
	"testing"
	"time"
)

// The list and hob why describe the same need of a program that reports one and reads its terminal.
func TestReportedNeedPrecedesReading(t *testing.T) {
	j := Job{State: State{
		Status:  Running,
		Waiting: true,
		Line:    ">",
		Program: &Program{ProgramReport: ProgramReport{
			State:   ProgramBlocked,
			Kind:    NeedsPermission,
			Message: "go test",
		}},
	}}
	x := &explainer{j: j}
	x.unfinished([]string{">"})
	const why = "It has not ended: its program reports that it needs you"
	if x.Summary != why || len(x.Evidence) != 1 || x.Evidence[0].Text != j.summary(time.Time{}) {
		t.Errorf("%q with %v, want %q with %q", x.Summary, x.Evidence, why, j.summary(time.Time{}))
	}
}
