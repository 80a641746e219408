//go:build unix

package hostconf

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/internal/testtool"
)

// What ssh prints before it is killed, such as a warning, is not why there is no configuration.
func TestSSHThatDoesNotAnswer(t *testing.T) {
	program := filepath.Join(t.TempDir(), "ssh")
	testtool.WriteScript(t, program, "echo a warning >&2; exec sleep 100")
	r := Resolver{File: write(t, t.TempDir(), "config", ""), SSH: program}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := r.Resolve(ctx, "box"); err == nil || !strings.Contains(err.Error(), "no answer in time") {
		t.Errorf("after the deadline: %v", err)
	}
	// The limit of a connection attempt, which a login prompt extends, ends its context so.
	ctx, late := context.WithCancelCause(t.Context())
	time.AfterFunc(10*time.Millisecond, func() { late(context.DeadlineExceeded) })
	if _, err := r.Resolve(ctx, "box"); err == nil || !strings.Contains(err.Error(), "no answer in time") {
		t.Errorf("after the limit of the attempt: %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := r.Resolve(ctx, "box"); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
