package statedir_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/statedir"
)

func newRoot(t testing.TB) *statedir.Root {
	t.Helper()
	r, err := statedir.OpenRoot(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func create(t testing.TB, r *statedir.Root, m jobdir.Meta) (id, dir string) {
	t.Helper()
	if m.CreatedAt.IsZero() {
		m.CreatedAt = time.Now()
	}
	dir, err := r.Create(&m, "some job", nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(m.ID), dir
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A request whose record could not be read is refused.
func TestCreateRefusesLongRecord(t *testing.T) {
	t.Parallel()
	r := newRoot(t)
	m := &jobdir.Meta{Request: record.Request{Script: strings.Repeat("x", jobdir.MaxRecord)}}
	if _, err := r.Create(m, "long", nil); !errors.Is(err, record.ErrInvalid) {
		t.Errorf("created: %v", err)
	}
	if ids, err := r.IDs(); err != nil || len(ids) > 0 {
		t.Errorf("left: %v, %v", ids, err)
	}
}

func TestSlug(t *testing.T) {
	for name, want := range map[string]string{
		"npm run dev":             "npm-run-dev",
		"go test ./...":           "go-test",
		"Größe":                   "gr-e",
		"日本語":                     "job",
		"":                        "job",
		"123":                     "job",
		"../../etc/passwd":        "etc-passwd",
		"-rf /":                   "rf",
		"a\x00b\x1b[31mc":         "a-b-31mc",
		strings.Repeat("a b", 40): "a-ba-ba-ba-ba-ba-ba-ba-ba-ba-ba",
	} {
		if got := statedir.Slug(name); got != want || len(got) > 32 {
			t.Errorf("Slug(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestIDs(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := statedir.NewID("npm run dev")
		suffix, ok := strings.CutPrefix(id, "npm-run-dev-")
		if !ok || len(suffix) != 5 || strings.ContainsAny(suffix, "01lo") || !jobdir.ValidID(id) {
			t.Fatalf("id %q", id)
		}
		seen[id] = true
	}
	if len(seen) < 990 {
		t.Errorf("%d different ids of 1000", len(seen))
	}
	for _, bad := range []string{"", ".", "..", ".new-1", "a/b", "a\\b", "a b", "ä", strings.Repeat("a", 200)} {
		if jobdir.ValidID(bad) {
			t.Errorf("%q is taken for an id", bad)
		}
	}
}

func TestCreateIsAtomic(t *testing.T) {
	r := newRoot(t)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			m := jobdir.Meta{Request: record.Request{Name: "x"}}
			dir, err := r.Create(&m, "x", nil)
			if err != nil {
				t.Error(err)
				return
			}
			if back, err := jobdir.ReadMeta(dir); err != nil || back.ID != m.ID {
				t.Errorf("read back %+v, %v", back, err)
			}
		})
	}
	wg.Wait()
	ids, err := r.IDs()
	if err != nil || len(ids) != 50 {
		t.Errorf("%d jobs, %v", len(ids), err)
	}
	boom := errors.New("boom")
	if _, err := r.Create(&jobdir.Meta{}, "x", func(string) error { return boom }); !errors.Is(err, boom) {
		t.Errorf("err = %v", err)
	}
	if entries, _ := os.ReadDir(r.Jobs()); len(entries) != 50 {
		t.Errorf("a failed create left a directory: %d entries", len(entries))
	}
}
