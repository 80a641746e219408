package recipe

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/hobjobs/hob/internal/testtool"
)

// fill takes what is left of the disk at dir, and returns how to give it back.
func fill(t *testing.T, dir string) (free func()) {
	t.Helper()
	file := filepath.Join(dir, "fill")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, step := range []int{64 << 10, 4 << 10, 1} {
		for {
			if _, err := f.Write(make([]byte, step)); err != nil {
				break
			}
		}
	}
	return func() {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFullDisk(t *testing.T) {
	testtool.NeedRoot(t)
	eachShell(t, func(t *testing.T, p *place) {
		if err := os.MkdirAll(p.base, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mount("none", p.base, "tmpfs", 0, "size=512k,mode=700"); err != nil {
			t.Skipf("no small disk can be mounted here: %v", err)
		}
		t.Cleanup(func() {
			if err := syscall.Unmount(p.base, syscall.MNT_DETACH); err != nil {
				t.Error(err)
			}
		})
		free := fill(t, p.base)
		j := p.job("echo never")
		if s := p.spawn(j); s.OK || s.Error != "write" {
			t.Errorf("on a full disk: %+v", s)
		}
		if _, err := os.Stat(filepath.Join(p.base, j.ID)); !os.IsNotExist(err) {
			t.Errorf("a start that failed left its directory: %v", err)
		}
		free()
		j = p.job(`until [ -e "$HOME/full" ]; do sleep 0.1; done; echo lost || echo refused >"$HOME/said"; exit 3`)
		p.start(j)
		defer fill(t, p.base)()
		if err := os.WriteFile(filepath.Join(p.home, "full"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if e := p.ended(j.ID); e.Code == nil || *e.Code != 3 {
			t.Errorf("the disk was full at its end: code %s, want 3", show(e.Code))
		}
		if said, err := os.ReadFile(filepath.Join(p.home, "said")); err != nil || string(said) != "refused\n" {
			t.Errorf("the job was not told that its log cannot be written: %q, %v", said, err)
		}
	})
}
