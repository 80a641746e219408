package cli

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine"
)

func TestWarningThatJobsEndAtLogout(t *testing.T) {
	const advice = "jobs end with this login session"
	here, there := engine.Job{Request: engine.Request{ID: "a"}, State: engine.State{Status: engine.Running}}, engine.Job{Request: engine.Request{ID: "a", Host: "box"}, State: engine.State{Status: engine.Running}}
	for _, tt := range []struct {
		name   string
		advice string
		json   bool
		report func(a *app) error
		want   string // on standard error
	}{
		{"started in the background", advice, false, func(a *app) error { return a.printStarted(t.Context(), here) }, "hob: " + advice + "\n"},
		{"started where jobs outlive the session", "", false, func(a *app) error { return a.printStarted(t.Context(), here) }, ""},
		{"started for a program", advice, true, func(a *app) error { return a.printStarted(t.Context(), here) }, ""},
		{"started on a host", advice, false, func(a *app) error { return a.printStarted(t.Context(), there) }, ""},
		{"left running", advice, false, func(a *app) error { a.reportRunning(2); return nil }, "2 jobs keep running\nhob: " + advice + "\n"},
		{"left with nothing running", advice, false, func(a *app) error { a.reportRunning(0); return nil }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer null.Close()
			err = tt.report(&app{stdout: null, stderr: w, color: "never", json: tt.json, logout: func() string { return tt.advice }})
			w.Close()
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(r)
			if err != nil || string(b) != tt.want {
				t.Errorf("%q, want %q; %v", strings.TrimSpace(string(b)), tt.want, err)
			}
		})
	}
}
