//go:build unix

package jobdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/hobjobs/hob/engine/record"
)

// A record that cannot be read at the moment is not treated as missing.
func TestReadErrors(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "job-22222")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	fails := func(file string, err error) error {
		return &fs.PathError{Op: "open", Path: filepath.Join(dir, file), Err: err}
	}
	code := 7
	ended := record.State{Exit: record.Exit{Status: "killed", Reason: "kill", Code: &code}}
	for name, tc := range map[string]struct {
		meta, state, code error
		want              string // the error
		finished          bool
		problem           bool
	}{
		"meta.json, too many files":  {meta: fails(MetaFile, syscall.EMFILE), want: "meta.json cannot be read: too many open files", finished: true},
		"meta.json, forbidden":       {meta: fails(MetaFile, syscall.EACCES), finished: true, problem: true},
		"state.json, too many files": {state: fails(StateFile, syscall.ENFILE), want: "state.json cannot be read: too many open files in system", finished: true},
		"state.json, forbidden":      {state: fails(StateFile, syscall.EACCES), finished: true},
		"state.json and no code":     {state: fails(StateFile, syscall.EACCES), code: fs.ErrNotExist, want: "state.json cannot be read: permission denied"},
		"state.json not there":       {state: fails(StateFile, syscall.ENOENT), code: fs.ErrNotExist},
		"state.json not understood":  {state: errors.New("damage"), code: fs.ErrNotExist},
		"exit_code, too many files":  {code: fails(ExitCodeFile, syscall.EMFILE), want: "exit_code cannot be read: too many open files", finished: true},
		"exit_code, forbidden":       {code: fails(ExitCodeFile, syscall.EACCES), finished: true},
		"both":                       {code: fails(ExitCodeFile, syscall.EIO), state: fails(StateFile, syscall.EIO), want: "exit_code cannot be read: input/output error"},
		"nothing":                    {finished: true},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := read(dir, recordFiles{
				meta: func(string) (Meta, error) { return Meta{Version: Version}, tc.meta },
				state: func(string) (record.State, error) {
					return map[bool]record.State{true: ended}[tc.state == nil], tc.state
				},
				code: func(string) (*int, error) {
					if tc.code != nil {
						return nil, tc.code
					}
					return &code, nil
				},
			})
			got := ""
			if err != nil {
				got = err.Error()
				if r.ReadErr == nil || !errors.Is(err, r.ReadErr.Err) {
					t.Errorf("ReadErr = %v", r.ReadErr)
				}
			}
			if got != tc.want || r.Finished() != tc.finished || (r.Problem != "") != tc.problem {
				t.Errorf("error %q, want %q; finished %v; problem %q", got, tc.want, r.Finished(), r.Problem)
			}
		})
	}
}
