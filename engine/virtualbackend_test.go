package engine

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hobjobs/hob/internal/jobdir"
)

func TestBadDirectoryHidesNoOtherExecution(t *testing.T) {
	root := t.TempDir()
	open := func() *Engine {
		e, err := New(WithStateDir(root))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		return e
	}
	performs, looks := open(), open()
	var rs []Record
	for range 3 {
		x, err := performs.NewExecution(ExecutionSpec{Name: "virtual"})
		if err != nil {
			t.Fatal(err)
		}
		rs = append(rs, Record{ID: x.ID(), Dir: x.dir})
	}
	if err := os.Remove(filepath.Join(rs[1].Dir, jobdir.MetaFile)); err != nil {
		t.Fatal(err)
	}
	seen, err := (&virtualBackend{looks}).Observe(t.Context(), rs)
	if err != nil {
		t.Error(err)
	}
	var ids []ID
	for _, r := range rs {
		if _, ok := seen[r.ID]; ok {
			ids = append(ids, r.ID)
		}
	}
	if want := []ID{rs[0].ID, rs[2].ID}; !slices.Equal(ids, want) {
		t.Errorf("saw %v, want %v", ids, want)
	}
}
