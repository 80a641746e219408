package jobdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
)

// A record of many megabytes, which no start writes, would take every command seconds.
func TestReadLongMeta(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	long := `{"version":1,"script":"` + strings.Repeat("x", MaxRecord) + `"}`
	if err := os.WriteFile(filepath.Join(dir, MetaFile), []byte(long), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := Read(dir); err != nil || r.Problem != "meta.json: too long (more than 8 MiB)" {
		t.Errorf("problem %q, %v", r.Problem, err)
	}
}

// If a directory is moved to the trash between the reads of its files, Read fails instead
// of returning incomplete records.
func TestReadWhileDirectoryIsMoved(t *testing.T) {
	code := 143
	end := record.Exit{At: time.Now(), Status: "killed", Reason: "kill", Code: &code}
	for _, after := range []string{"meta", "code", "state"} {
		t.Run("after "+after, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "job-22222")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, MetaFile), []byte(`{"version":1}`), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := Finish(dir, &record.State{Exit: end}); err != nil {
				t.Fatal(err)
			}
			move := func(when string) {
				if when == after {
					if err := os.Rename(dir, dir+".trash"); err != nil {
						t.Fatal(err)
					}
				}
			}
			r, err := read(dir, recordFiles{
				meta:  func(dir string) (Meta, error) { defer move("meta"); return ReadMeta(dir) },
				code:  func(dir string) (*int, error) { defer move("code"); return readExitCode(dir) },
				state: func(dir string) (record.State, error) { defer move("state"); return ReadState(dir) },
			})
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("error %v, record %+v", err, r)
			}
		})
	}
}
