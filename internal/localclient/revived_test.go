//go:build linux || darwin

package localclient

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
)

const lostToken = "0123456789abcdef"

// prepared makes the directory of a job that a client elsewhere is about to start.
func prepared(t *testing.T, base, id string) string {
	t.Helper()
	dir := filepath.Join(base, id)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	writeIn(t, dir, jobdir.TokenFile, id)
	return dir
}

func writeIn(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// ranTo records the end of a job.
func ranTo(t *testing.T, dir string, end record.Exit) {
	t.Helper()
	meta, err := jobdir.EncodeMeta(&jobdir.Meta{Request: record.Request{ID: record.ID(filepath.Base(dir)), Script: "true"}})
	if err != nil {
		t.Fatal(err)
	}
	writeIn(t, dir, jobdir.MetaFile, string(meta))
	if err := jobdir.Finish(dir, &record.State{Exit: end}); err != nil {
		t.Fatal(err)
	}
}

func takes(t *testing.T, dir, want string) {
	t.Helper()
	other, err := TakePlace(t.Context(), dir, lostToken)
	if err != nil || other != want {
		t.Errorf("%s: %q, %v, want %q", filepath.Base(dir), other, err, want)
	}
}

// A job does not count in whose place nothing runs.
func TestTakePlace(t *testing.T) {
	claimed := func(t *testing.T, dir string) {
		t.Helper()
		if err := os.Mkdir(filepath.Join(dir, jobdir.ClaimDir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	code := 0
	for name, c := range map[string]struct {
		first func(t *testing.T, dir string)
		want  string
	}{
		"its launch was killed": {func(*testing.T, string) {}, ""},
		"it was cleared":        {func(_ *testing.T, dir string) { os.RemoveAll(dir) }, ""},
		"it could not be started": {func(t *testing.T, dir string) {
			claimed(t, dir)
			writeIn(t, dir, jobdir.FailedFile, "no such program")
		}, ""},
		"its holder could not start it": {func(t *testing.T, dir string) {
			claimed(t, dir)
			ranTo(t, dir, record.Exit{Status: record.Failed, Reason: record.ReasonSpawn})
		}, ""},
		"it has run": {func(t *testing.T, dir string) {
			claimed(t, dir)
			ranTo(t, dir, record.Exit{Status: record.Exited, Reason: record.ReasonExit, Code: &code})
		}, "one-aaaaa"},
		"the host itself has started it": {func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, jobdir.TokenFile)); err != nil {
				t.Fatal(err)
			}
			ranTo(t, dir, record.Exit{Status: record.Exited, Reason: record.ReasonExit, Code: &code})
		}, "one-aaaaa"},
	} {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			one := prepared(t, base, "one-aaaaa")
			takes(t, one, "")
			takes(t, one, "") // the request was repeated
			c.first(t, one)
			two := prepared(t, base, "two-bbbbb")
			takes(t, two, c.want)
			if c.want != "" {
				return
			}
			claimed(t, two)
			ranTo(t, two, record.Exit{Status: record.Exited, Reason: record.ReasonExit, Code: &code})
			if err := os.MkdirAll(one, 0o700); err != nil { // the first launch is repeated after it failed
				t.Fatal(err)
			}
			writeIn(t, one, jobdir.TokenFile, "one-aaaaa")
			other, err := TakePlace(t.Context(), one, lostToken)
			isStartable := other == "" && !exists(one, jobdir.ClaimDir)
			if err != nil || isStartable {
				t.Errorf("%q, %v: the first is started, too", other, err)
			}
		})
	}
}

// Of many launches at once, at most one may start its job.
func TestTakePlaceAtOnce(t *testing.T) {
	base := t.TempDir()
	var all sync.WaitGroup
	started := make(chan string, 16)
	for _, id := range []string{"a-aaaaa", "b-aaaaa", "c-aaaaa", "d-aaaaa", "e-aaaaa", "f-aaaaa"} {
		dir := prepared(t, base, id)
		all.Go(func() {
			lock, err := jobdir.Lock(dir)
			if err != nil {
				t.Error(err)
				return
			}
			defer lock.Close()
			other, err := TakePlace(t.Context(), dir, lostToken)
			if err != nil || other != "" {
				return
			}
			if err := os.Mkdir(filepath.Join(dir, jobdir.ClaimDir), 0o700); err == nil {
				started <- id
			}
		})
	}
	all.Wait()
	if len(started) != 1 {
		t.Errorf("%d jobs were started", len(started))
	}
}

func TestTakePlaceNeedsToken(t *testing.T) {
	dir := prepared(t, t.TempDir(), "one-aaaaa")
	for _, token := range []string{"", "../x"} {
		if _, err := TakePlace(t.Context(), dir, token); !errors.Is(err, record.ErrInvalid) {
			t.Errorf("%q: %v", token, err)
		}
	}
}
