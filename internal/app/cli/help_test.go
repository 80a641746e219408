package cli

import (
	"runtime"
	"testing"
)

func TestVersionOfARelease(t *testing.T) {
	r, c, b := release, commit, built
	t.Cleanup(func() { release, commit, built = r, c, b })
	release, commit, built = "1.2.3", "abcdef0", "2026-11-22T01:02:03Z"
	want := "1.2.3 (abcdef0, 2026-11-22, " + runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH + ")"
	if got := version(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
