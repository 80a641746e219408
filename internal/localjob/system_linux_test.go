package localjob

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

func TestParseMapping(t *testing.T) {
	for _, c := range []struct {
		line       string
		ok, ofFile bool
	}{
		{"00400000-0058f000 r-xp 00000000 fe:00 10019950    /usr/bin/hob-holder\n", true, true},
		{"0058f000-00760000 r--p 0018f000 fe:00 10019950    /usr/bin/hob-holder\n", true, true},
		{"00760000-00788000 rw-p 00360000 fe:00 10019950    /usr/bin/hob-holder\n", true, false},
		{"00788000-027be000 rw-p 00000000 00:00 0 \n", true, false},
		{"7fa296fcb000-7fa296fcd000 r-xp 00000000 00:00 0   [vdso]\n", true, false},
		{"7f0000000000-7f0000001000 r--s 00000000 fe:00 99  /shared\n", true, false},
		{"Anonymous:             0 kB\n", false, false},
		{"VmFlags: rd ex mr mw me sd \n", false, false},
		{"\n", false, false},
	} {
		m, ok := parseMapping([]byte(c.line))
		if ok != c.ok || m.ofFile != c.ofFile || ok && m.end <= m.start {
			t.Errorf("%q: %+v, %v", c.line, m, ok)
		}
	}
}

// TestReleasePages uses two private mappings of a file, one of which was modified and then made
// read-only, as the dynamic linker does with relocated tables.
func TestReleasePages(t *testing.T) {
	const size = 1 << 20
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, bytes.Repeat([]byte("x"), size), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	mapped := func(prot int) []byte {
		p, err := unix.Mmap(int(f.Fd()), 0, size, prot, unix.MAP_PRIVATE)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = unix.Munmap(p) })
		return p
	}
	clean, changed := mapped(unix.PROT_READ), mapped(unix.PROT_READ|unix.PROT_WRITE)
	changed[size/2] = 'y'
	if err := unix.Mprotect(changed, unix.PROT_READ); err != nil {
		t.Fatal(err)
	}
	if bytes.Count(clean, []byte("x")) != size || resident(t, clean) == "0" {
		t.Fatal("the pages are not there to begin with")
	}
	releasePages()
	if got := resident(t, clean); got != "0" {
		t.Errorf("%s KiB are still in memory", got)
	}
	if bytes.Count(clean, []byte("x")) != size {
		t.Error("what was let go of reads differently")
	}
	if bytes.Count(changed, []byte("x")) != size-1 || changed[size/2] != 'y' {
		t.Error("a change was lost")
	}
}

// resident returns how much of a mapping is in memory, in KiB.
func resident(t *testing.T, p []byte) string {
	t.Helper()
	data, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut("\n"+string(data), fmt.Sprintf("\n%08x-", uintptr(unsafe.Pointer(&p[0]))))
	if !ok {
		t.Fatal("no such mapping")
	}
	_, rest, _ = strings.Cut(rest, "\nRss:")
	return strings.Fields(rest)[0]
}
