package cli

import (
	"os"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHelpFillsLines(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/stdout")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text := "Remove finished jobs and their files, which --undo\nrestores. If a host or container is gone for good, --forget\nremoves it.\n\n" +
		"  a  first\n  b  second\nThe end."
	want := "Remove finished jobs and their files, which --undo restores. If a host or container is\n" +
		"gone for good, --forget removes it.\n\n" +
		"  a  first\n  b  second\nThe end."
	if diff := cmp.Diff(want, (&app{stdout: file}).fillHelp(text)); diff != "" {
		t.Error(diff)
	}
}

func TestVersionOfARelease(t *testing.T) {
	r, c, b := release, commit, built
	t.Cleanup(func() { release, commit, built = r, c, b })
	release, commit, built = "1.2.3", "abcdef0", "2026-11-22T01:02:03Z"
	want := "1.2.3 (abcdef0, 2026-11-22, " + runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH + ")"
	if got := version(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
