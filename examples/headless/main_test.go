//go:build unix

package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/testtool"
)

func TestMain(m *testing.M) {
	if local.IsHolder() {
		os.Exit(local.RunHolder())
	}
	testtool.Prepare()
	os.Exit(m.Run())
}

// page is a buffer that several goroutines can write to.
type page struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (p *page) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func TestRunReportsEachJob(t *testing.T) {
	t.Setenv("HOB_STATE_DIR", testtool.TempDir(t))
	t.Setenv("XDG_RUNTIME_DIR", "")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out page
	if err := run(ctx, &out, []string{"echo one", "echo oh no >&2; exit 3"}); err != nil {
		t.Fatal(err)
	}
	text := out.text.String()
	for _, want := range []string{": exited, code 0\n", "    one\n", ": exited, code 3\n", "    oh no\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	// A job that has ended before report subscribes is in the first batch.
	if n := strings.Count(text, " created "); n != 2 {
		t.Errorf("%d jobs are reported in\n%s", n, text)
	}
}
