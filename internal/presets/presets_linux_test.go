package presets

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// here is a directory of jobs, and settings that were written a while ago.
func here(t *testing.T, document string) (jobs, path string) {
	t.Helper()
	jobs, path = t.TempDir(), filepath.Join(t.TempDir(), "config.toml")
	if document != "" {
		if err := os.WriteFile(path, []byte(document), 0o600); err != nil {
			t.Fatal(err)
		}
		settle(t, path)
	}
	return jobs, path
}

// settle waits until what is written to the file has another time.
func settle(t *testing.T, path string) {
	t.Helper()
	for !settledNow(stat(t, path)) {
		time.Sleep(time.Millisecond)
	}
}

func settledNow(fi fs.FileInfo) bool {
	_, changed := stampOf(fi)
	return old(changed, time.Now())
}

func stat(t *testing.T, path string) fs.FileInfo {
	t.Helper()
	fi, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return fi
}

var some = Start{Cols: 80, Rows: 24, Grace: time.Second, Timeout: time.Minute, LogLimit: 3 << 20, Notify: `notify "$1"`, Build: "v1"}

func TestWhatIsKept(t *testing.T) {
	jobs, path := here(t, "[run]\n")
	Save(jobs, path, stat(t, path), some)
	if got, err := Load(jobs, path, own); err != nil || got != some {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestThatThereAreNoSettings(t *testing.T) {
	jobs, path := here(t, "")
	if _, err := Load(jobs, path, own); !errors.Is(err, ErrUnknown) {
		t.Errorf("before anything is known: %v", err)
	}
	Save(jobs, path, nil, some)
	if got, err := Load(jobs, path, own); err != nil || got != some {
		t.Errorf("%+v, %v", got, err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(jobs, path, own); !errors.Is(err, ErrUnknown) {
		t.Errorf("an empty file that came: %v", err)
	}
}

// Nothing else is as it was when the settings were read.
func TestWhatHasChanged(t *testing.T) {
	for what, change := range map[string]func(t *testing.T, path string){
		"the content": func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte("[nur]\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"the content, and its time set back": func(t *testing.T, path string) {
			was := stat(t, path).ModTime()
			if err := errors.Join(os.WriteFile(path, []byte("[nur]\n"), 0o600), os.Chtimes(path, was, was)); err != nil {
				t.Fatal(err)
			}
		},
		"another file": func(t *testing.T, path string) {
			if err := errors.Join(os.WriteFile(path+"~", []byte("[run]\n"), 0o600), os.Rename(path+"~", path)); err != nil {
				t.Fatal(err)
			}
		},
		"a link to another": func(t *testing.T, path string) {
			if err := errors.Join(os.WriteFile(path+"~", []byte("[run]\n"), 0o600), os.Remove(path), os.Symlink(path+"~", path)); err != nil {
				t.Fatal(err)
			}
		},
		"it is gone": func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		},
		"its directory is gone": func(t *testing.T, path string) {
			if err := os.RemoveAll(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			jobs, path := here(t, "[run]\n")
			Save(jobs, path, stat(t, path), some)
			change(t, path)
			if got, err := Load(jobs, path, own); !errors.Is(err, ErrUnknown) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func TestAnotherProgramOrPath(t *testing.T) {
	jobs, path := here(t, "[run]\n")
	Save(jobs, path, stat(t, path), some)
	if _, err := Load(jobs, path, "/bin/sh"); !errors.Is(err, ErrUnknown) {
		t.Errorf("another program: %v", err)
	}
	if _, err := Load(jobs, path, "/proc/0/exe"); !errors.Is(err, ErrUnknown) {
		t.Errorf("a program that is gone: %v", err)
	}
	if _, err := Load(jobs, path+"x", own); !errors.Is(err, ErrUnknown) {
		t.Errorf("another path: %v", err)
	}
}

// A file that was read and then written over, or was written just now, may have the
// same times with another content.
func TestWhatIsNotKept(t *testing.T) {
	jobs, path := here(t, "[run]\n")
	before := stat(t, path)
	if err := os.WriteFile(path, []byte("[log]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	settle(t, path)
	Save(jobs, path, before, some)
	if _, err := Load(jobs, path, own); !errors.Is(err, ErrUnknown) {
		t.Errorf("written since it was read: %v", err)
	}
	for range 50 { // one of them is looked at in time
		if err := os.WriteFile(path, []byte("[log]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		fi := stat(t, path)
		Save(jobs, path, fi, some)
		if settledNow(fi) {
			continue
		}
		if _, err := Load(jobs, path, own); !errors.Is(err, ErrUnknown) {
			t.Errorf("written just now: %v", err)
		}
		return
	}
	t.Skip("too slow a machine")
}

func TestAFileThatIsNoPresets(t *testing.T) {
	jobs, path := here(t, "[run]\n")
	for _, content := range []string{"", "{}", `{"version":2}`, `{"version":1,"program":"","settings":""}`, "x"} {
		if err := os.WriteFile(filepath.Join(jobs, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := Load(jobs, path, own); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q: %+v, %v", content, got, err)
		}
	}
}
