package jobdir

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobjobs/hob/internal/plainfile"
)

// A process that holds a lock and does not run is named after a second; after a minute, the wait fails.
func TestAwaitLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	lock, err := LockPath(path)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	held := "another process"
	if runtime.GOOS == "linux" {
		held = fmt.Sprintf("process %d (%s", os.Getpid(), os.Args[0])
	}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var texts []string
		var after time.Duration
		ctx := WithLockNotice(t.Context(), func(text string) {
			texts, after = append(texts, text), time.Since(began)
		})
		err := AwaitLock(ctx, path, func() error { return ErrLocked })
		_, ok := errors.AsType[*HeldError](err)
		if !ok || !strings.HasPrefix(err.Error(), held) || !strings.Contains(err.Error(), path) || HeldHint(err) == "" {
			t.Errorf("%v, want a HeldError that begins with %q and names %s", err, held, path)
		}
		if len(texts) != 1 || !strings.HasPrefix(texts[0], "waiting for "+held) || after < time.Second || after > 2*time.Second {
			t.Errorf("notices %q after %v", texts, after)
		}
		if passed := time.Since(began); passed < heldLimit || passed > heldLimit+time.Second {
			t.Errorf("it waited for %v", passed)
		}
	})
}

func TestAwaitLockOfMoments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := WithLockNotice(t.Context(), func(text string) { t.Errorf("notice %q", text) })
		tries := 0
		err := AwaitLock(ctx, "x", func() error {
			if tries++; tries < 10 {
				return fmt.Errorf("busy: %w", ErrLocked)
			}
			return nil
		})
		if err != nil || tries != 10 {
			t.Errorf("%v after %d tries", err, tries)
		}
	})
}

func TestAwaitLockIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := AwaitLock(ctx, "x", func() error { return ErrLocked }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that of the context", err)
	}
}

func TestLockDoesNotFollowLinks(t *testing.T) {
	dir := t.TempDir()
	target, path := filepath.Join(dir, "target"), filepath.Join(dir, "lock")
	if err := os.Symlink(target, path); err != nil {
		t.Skip(err)
	}
	lock, err := LockPath(path)
	if err == nil {
		lock.Close()
	}
	if !errors.Is(err, plainfile.ErrNotRegular) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Lstat(target); err == nil {
		t.Error("the target was created")
	}
}
