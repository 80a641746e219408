package statedir

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
)

// File names need not be UTF-8: a request is read back byte for byte, from meta.json and
// from the index.
func TestRequestsThatAreNotUTF8(t *testing.T) {
	const bad = "caf\xe9"
	for name, asked := range map[string]jobdir.Meta{
		"command": {Request: record.Request{Command: []string{"rm", bad}, Dir: "/tmp"}},
		"script":  {Request: record.Request{Script: "rm " + bad, Dir: "/tmp"}},
		"dir":     {Request: record.Request{Command: []string{"ls"}, Dir: "/tmp/" + bad}},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Root{t.TempDir()}
			m := asked
			dir, err := r.Create(&m, "job", nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(asked.Command, m.Command); diff != "" || m.Raw != nil {
				t.Errorf("the request itself was changed: %s", diff)
			}
			rec, err := jobdir.Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			rec.Code = new(int) // the index contains only finished jobs
			if err := r.AddToIndex(&rec); err != nil {
				t.Fatal(err)
			}
			for from, got := range map[string]*jobdir.Record{"meta.json": &rec, "index": r.Index().Find(string(m.ID))} {
				if got == nil {
					t.Fatalf("%s has no such job", from)
				}
				g := jobdir.Meta{Request: record.Request{Command: got.Meta.Command, Script: got.Meta.Script, Dir: got.Meta.Dir}}
				if diff := cmp.Diff(asked, g); diff != "" {
					t.Errorf("%s:\n%s", from, diff)
				}
			}
		})
	}
}
