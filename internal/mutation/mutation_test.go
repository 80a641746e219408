package mutation

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var mutate = flag.Bool("mutation", false, "make the changes and run the tests that must fail")

// patience is how long the tests may take that must fail; a hang is a failure
// that was noticed too.
const patience = 4 * time.Minute

// A mutation takes one guarantee away.
type mutation struct {
	name      string
	guarantee string // in words of docs
	file      string // from the top of the module
	was, is   string // one place in the file, and what stands there instead
	tests     string // the package whose tests must notice
	run       string // which of them
}

func TestGuarantees(t *testing.T) {
	top, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mutations {
		t.Run(m.name, func(t *testing.T) {
			path := filepath.Join(top, filepath.FromSlash(m.file))
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(data), m.was); n != 1 {
				t.Fatalf("%s has %d places that read\n%s\nfind the code that keeps this now: %s", m.file, n, m.was, m.guarantee)
			}
			if *mutate {
				m.mustFail(t, top, path, strings.Replace(string(data), m.was, m.is, 1))
			}
		})
	}
}

func (m mutation) mustFail(t *testing.T, top, path, changed string) {
	dir := t.TempDir()
	instead := filepath.Join(dir, filepath.Base(path))
	if err := os.WriteFile(instead, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	data, err := json.Marshal(map[string]any{"Replace": map[string]string{path: instead}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, data, 0o600); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "tests")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", binary, "-overlay", overlay, m.tests)
	build.Dir = top
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the change does not compile: %v\n%s", err, out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	run := exec.CommandContext(ctx, binary, "-test.run", m.run, "-test.v")
	run.Dir = filepath.Join(top, filepath.FromSlash(m.tests))
	run.WaitDelay = time.Second
	out, err := run.CombinedOutput()
	switch {
	case err == nil && !strings.Contains(string(out), "=== RUN"):
		t.Fatalf("%s has no test %s", m.tests, m.run)
	case err == nil:
		t.Errorf("no test noticed that this is gone: %s", m.guarantee)
	}
}
