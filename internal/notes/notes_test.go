package notes_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/notes"
)

// stateWith returns a state directory with empty directories of jobs.
func stateWith(t *testing.T, dirs ...string) string {
	t.Helper()
	state := t.TempDir()
	for _, dir := range dirs {
		if err := os.MkdirAll(filepath.Join(state, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return state
}

// The file of a number is the cursor that earlier versions of hob read and write.
func TestNumbers(t *testing.T) {
	t.Parallel()
	state := stateWith(t, "jobs/make-11111")
	b := notes.Of(state)
	if n := b.Number("make-11111", "agent end"); n != 0 {
		t.Errorf("without a note: %d", n)
	}
	if err := b.SetNumber("make-11111", "agent end", 2); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(state, "jobs/make-11111/cursors/c-agent%20end"))
	if err != nil || string(data) != "2\n" {
		t.Errorf("the file has %q, %v", data, err)
	}
	if n := b.Number("make-11111", "agent end"); n != 2 {
		t.Errorf("noted: %d", n)
	}
	if n := b.Number("make-11111", "agent"); n != 0 {
		t.Errorf("under another key: %d", n)
	}
	if err := b.SetNumber("gone-22222", "agent", 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of a job that does not exist: %v", err)
	}
}

func TestLockExcludesOthers(t *testing.T) {
	t.Parallel()
	state := stateWith(t, "jobs/make-11111")
	lock, err := notes.Of(state).Lock("make-11111", "agent")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(state, "jobs/make-11111/cursors/l-agent")); err != nil {
		t.Error(err)
	}
	if _, err := notes.Of(state).Lock("make-11111", "agent"); !errors.Is(err, jobdir.ErrLocked) {
		t.Errorf("locked twice: %v", err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := notes.Of(state).Lock("make-11111", "agent")
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

func TestTexts(t *testing.T) {
	t.Parallel()
	state := stateWith(t, "jobs/make-11111", "trash/test-22222", "jobs/lint-33333")
	b := notes.Of(state)
	for _, job := range []string{"make-11111", "test-22222"} {
		if err := b.WriteText(job, "waits", "aaaaaaaa.json", []byte(job)); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.WriteText("gone-44444", "waits", "aaaaaaaa.json", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of a job that does not exist: %v", err)
	}
	for name, tt := range map[string]struct {
		job, file string
		limit     int64
		want      []string
	}{
		"of the job, then of all": {"make-11111", "aaaaaaaa.json", 100, []string{"make-11111", "make-11111", "test-22222"}},
		"in the trash":            {"test-22222", "aaaaaaaa.json", 100, []string{"test-22222", "make-11111", "test-22222"}},
		"of others":               {"gone-44444", "aaaaaaaa.json", 100, []string{"make-11111", "test-22222"}},
		"another name":            {"make-11111", "bbbbbbbb.json", 100, nil},
		"too long":                {"make-11111", "aaaaaaaa.json", 3, nil},
		"not the id of a job":     {"../x", "aaaaaaaa.json", 100, nil},
	} {
		var got []string
		for text := range b.Texts(tt.job, "waits", tt.file, tt.limit) {
			got = append(got, string(text))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	if first := slices.Collect(b.Texts("make-11111", "waits", "aaaaaaaa.json", 100))[0]; string(first) != "make-11111" {
		t.Errorf("first %q", first)
	}
}

func TestLastRecorded(t *testing.T) {
	t.Parallel()
	state := stateWith(t, "jobs/make-11111")
	b := notes.Of(state)
	if at := b.LastRecorded("make-11111"); !at.IsZero() {
		t.Errorf("before any record: %v", at)
	}
	file, at := filepath.Join(state, "jobs/make-11111/state.json"), time.Unix(1_700_000_000, 0)
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
	if got := b.LastRecorded("make-11111"); !got.Equal(at) {
		t.Errorf("%v, want %v", got, at)
	}
}
