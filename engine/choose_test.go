package engine_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
)

// Choose resolves a reference the same way as Resolve does.
func TestChoose(t *testing.T) {
	job := func(id engine.ID, name string, status engine.Status) engine.Job {
		return engine.Job{Request: engine.Request{ID: id, Name: name}, State: engine.State{Status: status}}
	}
	jobs := []engine.Job{ // newest first
		job("web-33333", "web", engine.Exited), job("web-22222", "web", engine.Running), job("api-11111", "api", engine.Exited),
		job("api-00000", "api", engine.Exited), job("api", "odd", engine.Running),
	}
	grouped := []engine.Job{
		job("web-44444", "npm run dev", engine.Running), job("other-444", "by-hand", engine.Running), job("web-55555", "web", engine.Running),
	}
	grouped[0].Labels = map[string]string{"group": "shop", "process": "web"}
	grouped[1].Labels = map[string]string{"group": "shop"}
	stopping := []engine.Job{
		job("db-11111", "db", engine.Stopping), job("db-22222", "db", engine.Running), job("db-33333", "db", engine.Stopping),
		job("db-44444", "db", engine.Exited),
	}
	for _, tt := range []struct {
		among []engine.Job
		ref   string
		in    engine.Intent
		want  []engine.ID
	}{
		{jobs, "@", engine.Read, []engine.ID{"web-33333"}},
		{jobs, "@2", engine.Act, []engine.ID{"web-22222"}},
		{jobs, "@9", engine.Read, nil},
		{jobs, "@x", engine.Read, nil},
		{jobs, "web", engine.Read, []engine.ID{"web-22222"}},
		{jobs, "web-3", engine.Act, []engine.ID{"web-33333"}},
		{jobs, "api", engine.Read, []engine.ID{"api"}}, // an id takes precedence over a name
		{jobs, "api-", engine.Read, []engine.ID{"api-11111", "api-00000"}},
		{jobs, "odd", engine.Act, []engine.ID{"api"}},
		{jobs, "none", engine.Read, nil},
		{jobs[2:4], "api", engine.Act, []engine.ID{"api-11111", "api-00000"}},
		{jobs[2:4], "api", engine.Read, []engine.ID{"api-11111"}},
		{jobs, "33333", engine.Act, []engine.ID{"web-33333"}},
		{jobs, "333", engine.Act, []engine.ID{"web-33333"}},
		{jobs, "33", engine.Read, nil}, // too short for the end of an id
		{stopping, "db", engine.Act, []engine.ID{"db-22222"}},
		{stopping[:2], "db", engine.Read, []engine.ID{"db-22222"}},
		{stopping[:1:1], "db", engine.Act, []engine.ID{"db-11111"}},
		{stopping[2:], "db", engine.Act, []engine.ID{"db-33333"}},
		{grouped, "shop/web", engine.Act, []engine.ID{"web-44444"}},
		{grouped, "shop/by-hand", engine.Act, []engine.ID{"other-444"}},
		{grouped, "444", engine.Act, []engine.ID{"web-44444", "other-444"}},
		{grouped, "/web", engine.Read, nil},
	} {
		j, err := engine.Choose(tt.among, tt.ref, tt.in)
		got := ids([]engine.Job{j})
		if several, ok := errors.AsType[*engine.AmbiguousError](err); ok {
			got = ids(several.Candidates)
		} else if errors.Is(err, engine.ErrNotFound) {
			got = nil
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.ref, diff)
		}
	}
}
