package jobdir_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/internal/jobdir"
)

// readAgain reads dir until the reader has seen its files for as long as it takes
// to rely on them. It is for a bubble: that time passes at once.
func readAgain(t *testing.T, r *jobdir.Reader, dir string) jobdir.Record {
	t.Helper()
	for range 3 {
		if _, err := r.Read(dir); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
	}
	rec, err := r.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func TestReaderReadsWhatChanged(t *testing.T) {
	title := func(text string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			if err := jobdir.WriteState(dir, &jobdir.State{Machine: "m", Title: text}); err != nil {
				t.Fatal(err)
			}
		}
	}
	edit := func(name, from, to string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, name), strings.ReplaceAll(string(data), from, to))
		}
	}
	remove := func(name string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	tests := map[string]func(t *testing.T, dir string){
		"nothing":                       func(*testing.T, string) {},
		"state replaced":                title("longer than it was"),
		"state replaced, of one length": title("two"),
		"state edited":                  edit(jobdir.StateFile, "one", "six"),
		"state gone":                    remove(jobdir.StateFile),
		"state damaged":                 func(t *testing.T, dir string) { write(t, filepath.Join(dir, jobdir.StateFile), "{") },
		"meta edited":                   edit(jobdir.MetaFile, "make", "made"),
		"meta damaged":                  func(t *testing.T, dir string) { write(t, filepath.Join(dir, jobdir.MetaFile), "{") },
		"meta gone":                     remove(jobdir.MetaFile),
		"output":                        func(t *testing.T, dir string) { write(t, filepath.Join(dir, jobdir.OutputFile), "hello") },
		"the end": func(t *testing.T, dir string) {
			code := 3
			if err := jobdir.Finish(dir, &jobdir.State{End: &jobdir.End{Code: &code, Status: "exited"}}); err != nil {
				t.Fatal(err)
			}
		},
		"the directory": func(t *testing.T, dir string) {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			_, dir := create(t, newRoot(t), jobdir.Meta{Command: []string{"make"}, EnvNames: []string{"A"}, Labels: map[string]string{"a": "b"}})
			title("one")(t, dir)
			synctest.Test(t, func(t *testing.T) {
				var r jobdir.Reader
				if rec := readAgain(t, &r, dir); rec.State.Title != "one" {
					t.Fatalf("read %+v", rec)
				}
				change(t, dir)
				want, wantErr := jobdir.Read(dir)
				got, err := r.Read(dir)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("not as it is read afresh (-want +got):\n%s", diff)
				}
				if fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Errorf("error = %v, want %v", err, wantErr)
				}
			})
		})
	}
}

// What is read of files that have not changed is what was read before.
func TestReaderReadsOnce(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("files are told apart on Linux only")
	}
	_, dir := create(t, newRoot(t), jobdir.Meta{Command: []string{"make"}})
	if err := jobdir.WriteState(dir, &jobdir.State{Stopping: &jobdir.Stopping{By: "me"}}); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		var r jobdir.Reader
		first, again := readAgain(t, &r, dir), readAgain(t, &r, dir)
		if first.State.Stopping != again.State.Stopping {
			t.Error("state.json was read again")
		}
		if n := r.Kept(); n < 300 {
			t.Errorf("it keeps %d bytes", n)
		}
	})
}

// What is handed out is the caller's: it does not change what others are given.
func TestReaderLendsNothing(t *testing.T) {
	_, dir := create(t, newRoot(t), jobdir.Meta{Command: []string{"make"}, EnvNames: []string{"A"}, Labels: map[string]string{"a": "b"}})
	synctest.Test(t, func(t *testing.T) {
		var r jobdir.Reader
		rec := readAgain(t, &r, dir)
		rec.Meta.Command[0], rec.Meta.EnvNames[0], rec.Meta.Labels["a"] = "x", "x", "x"
		again, err := r.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		m := again.Meta
		if m.Command[0] != "make" || m.EnvNames[0] != "A" || m.Labels["a"] != "b" {
			t.Errorf("read %+v", m)
		}
	})
}

// A record that is replaced as fast as can be, by one of the same size and in turn
// in the same place of the disk, is never taken for the one before it.
func TestReaderSeesEveryReplacement(t *testing.T) {
	_, dir := create(t, newRoot(t), jobdir.Meta{Command: []string{"make"}})
	var r jobdir.Reader
	for i := range 300 {
		want := fmt.Sprintf("%05d", i)
		for _, title := range []string{"other", want} {
			if err := jobdir.WriteState(dir, &jobdir.State{Title: title}); err != nil {
				t.Fatal(err)
			}
		}
		rec, err := r.Read(dir)
		if err != nil || rec.State.Title != want {
			t.Fatalf("read %q, %v, want %q", rec.State.Title, err, want)
		}
	}
}

func TestReaderForgets(t *testing.T) {
	root := newRoot(t)
	script := strings.Repeat("x", 60<<10)
	var dirs []string
	for range 300 { // more than it keeps
		_, dir := create(t, root, jobdir.Meta{Script: script})
		dirs = append(dirs, dir)
	}
	synctest.Test(t, func(t *testing.T) {
		var r jobdir.Reader
		for range 3 {
			for _, dir := range dirs {
				if rec, err := r.Read(dir); err != nil || rec.Meta.Script != script {
					t.Fatal(err)
				}
			}
			if n := r.Kept(); n > 17<<20 {
				t.Fatalf("it keeps %d bytes", n)
			}
			time.Sleep(time.Minute)
		}
	})
}
