package within_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/within"
)

func TestNearest(t *testing.T) {
	base := t.TempDir()
	if real, err := filepath.EvalSymlinks(base); err == nil {
		base = real
	}
	shop, below := filepath.Join(base, "shop"), filepath.Join(base, "shop", "below")
	if err := os.MkdirAll(below, 0o700); err != nil {
		t.Fatal(err)
	}
	job := func(id, dir, project string, status engine.Status) engine.Job {
		var j engine.Job
		j.ID, j.Name, j.Dir, j.Status = engine.ID(id), "web", dir, status
		if project != "" {
			j.Labels = map[string]string{"project": project, "process": "web"}
		}
		return j
	}
	of := func(status engine.Status) engine.Job { return job("project", shop, shop, status) }
	inDir := func(status engine.Status) engine.Job { return job("by-hand", shop, "", status) }
	elsewhere := job("elsewhere", base, base+"/other", engine.Running)
	onHost := job("host", shop, shop, engine.Running)
	onHost.Host = "web1"
	for name, tt := range map[string]struct {
		jobs []engine.Job
		dir  string
		want []engine.ID
	}{
		"the project":            {[]engine.Job{of(engine.Running), elsewhere}, shop, []engine.ID{"project"}},
		"below it":               {[]engine.Job{of(engine.Running), elsewhere}, below, []engine.ID{"project"}},
		"above it":               {[]engine.Job{of(engine.Running), elsewhere}, base, nil},
		"that has ended":         {[]engine.Job{of(engine.Failed), elsewhere}, shop, []engine.ID{"project"}},
		"the directory":          {[]engine.Job{inDir(engine.Running), elsewhere}, shop, []engine.ID{"by-hand"}},
		"not below it":           {[]engine.Job{inDir(engine.Running), elsewhere}, below, nil},
		"both":                   {[]engine.Job{inDir(engine.Running), of(engine.Exited)}, shop, []engine.ID{"by-hand", "project"}},
		"a project in a project": {[]engine.Job{of(engine.Running), job("inner", below, below, engine.Exited)}, below, []engine.ID{"inner"}},
		"a host":                 {[]engine.Job{onHost}, shop, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []engine.ID
			for _, j := range within.Nearest(tt.jobs, tt.dir) {
				got = append(got, j.ID)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}
