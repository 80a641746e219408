package statedir_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/statedir"
)

func TestResolveRoot(t *testing.T) {
	home := t.TempDir()
	for name, c := range map[string]struct{ hob, xdg, home, want string }{
		"HOB_STATE_DIR wins":           {"/a/b", "/x", home, "/a/b"},
		"then XDG_STATE_HOME":          {"", "/x", home, "/x/hob"},
		"a relative one is ignored":    {"", "x", home, filepath.Join(home, ".local/state/hob")},
		"then the home directory":      {"", "", home, filepath.Join(home, ".local/state/hob")},
		"a relative HOB_STATE_DIR":     {"rel", "", home, "ABS"},
		"without any home an error is": {"", "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" {
				t.Skip("paths of Unix")
			}
			t.Setenv("HOB_STATE_DIR", c.hob)
			t.Setenv("XDG_STATE_HOME", c.xdg)
			t.Setenv("HOME", c.home)
			got, err := statedir.ResolveRoot()
			if c.want == "ABS" {
				c.want, _ = filepath.Abs("rel")
			}
			if got != c.want || (err != nil) != (c.want == "") {
				t.Errorf("got %q, err %v, want %q", got, err, c.want)
			}
			if re := (*statedir.RootError)(nil); err != nil && (!errors.As(err, &re) || re.Hint == "") {
				t.Errorf("err = %v without a hint", err)
			}
		})
	}
}

func TestOpenRootChecksTypeAndMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes of Unix")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	write(t, file, "x")
	shared := filepath.Join(dir, "shared")
	loose := filepath.Join(dir, "loose")
	for _, d := range []string{shared, filepath.Join(loose, "jobs")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(shared, "thesis.tex"), "x")
	for _, ours := range []string{"index", "swept", ".index.tmp-123", ".swept.tmp-123"} {
		write(t, filepath.Join(loose, ours), "x")
	}
	for name, path := range map[string]string{"a file": file, "a directory with other files": shared, "below a file": filepath.Join(file, "x")} {
		_, err := statedir.OpenRoot(path)
		re := (*statedir.RootError)(nil)
		if !errors.As(err, &re) || re.Hint == "" || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if fi, err := os.Stat(shared); err != nil || fi.Mode().Perm() != 0o755 {
		t.Errorf("the mode of a directory with other files became %v", fi.Mode())
	}
	if err := statedir.RecordHostError(loose, "web1", "timed out"); err != nil {
		t.Fatal(err)
	}
	if _, err := statedir.OpenRoot(loose); err != nil {
		t.Errorf("only hob's files, accessible to others: %v", err)
	}
	if fi, err := os.Stat(loose); err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("mode is %v", fi.Mode())
	}
}

func TestCreateWithoutUsableRoot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "x")
	t.Setenv("HOME", t.TempDir())
	r, err := statedir.OpenRoot(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, r.Path(), "in the way")
	_, err = r.Create(&jobdir.Meta{}, "x", nil)
	re := (*statedir.RootError)(nil)
	if !errors.As(err, &re) || re.Hint == "" {
		t.Errorf("err = %v", err)
	}
}

func TestCreateWithDanglingLink(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "state")
	if err := os.Symlink(filepath.Join(dir, "gone"), link); err != nil {
		t.Skip(err)
	}
	r, err := statedir.OpenRoot(link)
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Create(&jobdir.Meta{}, "x", nil)
	re := (*statedir.RootError)(nil)
	if !errors.As(err, &re) || re.Why != "is a symbolic link to a path that does not exist" {
		t.Errorf("err = %v", err)
	}
}

// A limit of the shell applies to other directories, too: the hint names the limit.
func TestHintOfUnusableRoot(t *testing.T) {
	for err, want := range map[error]string{
		syscall.ENOSPC: "free disk space",
		syscall.EMFILE: "ulimit -n",
		syscall.EFBIG:  "ulimit -f",
		syscall.EACCES: "set HOB_STATE_DIR",
	} {
		re := (*statedir.RootError)(nil)
		if err := statedir.Unusable(t.TempDir(), &fs.PathError{Op: "open", Path: "meta.json", Err: err}); !errors.As(err, &re) || !strings.Contains(re.Hint, want) {
			t.Errorf("%v: hint %q", err, re.Hint)
		}
	}
}
