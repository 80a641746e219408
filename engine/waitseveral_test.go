package engine_test

import (
	"context"
	"errors"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
)

// Several conditions: the first one that holds ends the waiting, and the outcome names it.
func TestWaitForSeveral(t *testing.T) {
	line := engine.Condition{Line: regexp.MustCompile("^ready")}
	other := engine.Condition{Line: regexp.MustCompile("^failed")}
	port := engine.Condition{Port: 1}
	soonQuiet, neverQuiet := engine.Condition{Quiet: time.Second}, engine.Condition{Quiet: time.Hour}
	all := []engine.Condition{port, neverQuiet, other, line}
	for name, tt := range map[string]struct {
		conditions []engine.Condition
		then       func(*fakeJob)
		want       engine.Outcome // without Exit
		err        error
	}{
		"a line":                      {all, func(j *fakeJob) { j.Print("ready\n") }, engine.Outcome{Met: true, Held: 3, Line: "ready"}, nil},
		"another line":                {all, func(j *fakeJob) { j.Print("failed\n") }, engine.Outcome{Met: true, Held: 2, Line: "failed"}, nil},
		"silence":                     {[]engine.Condition{line, soonQuiet}, func(*fakeJob) {}, engine.Outcome{Met: true, Held: 1}, nil},
		"the last line, not the end":  {all, func(j *fakeJob) { j.Print("ready"); j.Exit(3) }, engine.Outcome{Met: true, Held: 3, Line: "ready"}, nil},
		"silence at the end":          {all, func(j *fakeJob) { j.Exit(3) }, engine.Outcome{Met: true, Held: 1}, nil},
		"the end":                     {[]engine.Condition{line, {}}, func(j *fakeJob) { j.Exit(3) }, engine.Outcome{Met: true, Held: 1}, nil},
		"an end before any of them":   {[]engine.Condition{line, port, other}, func(j *fakeJob) { j.Exit(3) }, engine.Outcome{}, nil},
		"an end that is not recorded": {[]engine.Condition{port, line}, func(j *fakeJob) { endUnrecorded(j) }, engine.Outcome{}, engine.ErrUnrecorded},
		"silence, not recorded":       {[]engine.Condition{line, neverQuiet}, func(j *fakeJob) { endUnrecorded(j) }, engine.Outcome{Met: true, Held: 1}, engine.ErrUnrecorded},
		"a last line, not recorded":   {[]engine.Condition{port, line}, func(j *fakeJob) { j.Print("ready"); endUnrecorded(j) }, engine.Outcome{Met: true, Held: 1, Line: "ready"}, nil},
		"none":                        {[]engine.Condition{line, port}, func(*fakeJob) {}, engine.Outcome{}, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			e, f := withFake(t)
			j := f.Job(start(t, e, engine.Spec{}).ID)
			limit := patience
			if errors.Is(tt.err, context.DeadlineExceeded) {
				limit = time.Second
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			tt.then(j)
			got, err := e.Handle(j.Launch.ID).WaitFor(ctx, tt.conditions...)
			if !errors.Is(err, tt.err) {
				t.Errorf("the error is %v, want %v", err, tt.err)
			}
			got.Exit = engine.Exit{}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// endUnrecorded ends the job with code 3 on a disk that is full.
func endUnrecorded(j *fakeJob) {
	end := engine.Exit{
		Status: engine.Exited,
		Code:   new(3),
		Reason: engine.ReasonExit,
	}
	j.change(func() { j.state.Unrecorded = &engine.Unrecorded{Exit: end, Why: "no space left on device"} })
}
