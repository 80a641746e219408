package testtool

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// verdict is a test that records whether it was skipped or failed.
type verdict struct {
	testing.TB
	result string
}

func (v *verdict) Helper() {}

func (v *verdict) Skip(args ...any) {
	v.result = "skip: " + fmt.Sprint(args...)
	runtime.Goexit()
}

func (v *verdict) Fatalf(format string, args ...any) {
	v.result = "fail: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func TestNeed(t *testing.T) {
	saved := installed
	t.Cleanup(func() { installed = saved })
	installed = "sh dash\nhob-no-such-tool hob-none\n"
	for _, tc := range []struct{ name, tool, ci, want string }{
		{"installed", "sh", "true", ""},
		{"missing", "hob-no-such-tool", "", "skip: needs hob-no-such-tool"},
		{"missing in CI", "hob-no-such-tool", "true", "fail: needs hob-no-such-tool, which CI must provide"},
		{"not in the list", "ls", "", "fail: CI does not install ls: add it to internal/testtool/tools"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Setenv("CI", tc.ci)
			v, done := &verdict{TB: t}, make(chan struct{})
			go func() {
				defer close(done)
				Need(v, tc.tool)
			}()
			<-done
			if v.result != tc.want {
				t.Errorf("got %q, want %q", v.result, tc.want)
			}
		})
	}
}

// TestToolsAreInstalled checks that .ci/run installs the tools in the list, and that
// CONTRIBUTING.md names their packages.
func TestToolsAreInstalled(t *testing.T) {
	// Every Debian system has these.
	everywhere := strings.Fields("bash bsdutils coreutils findutils grep gzip perl util-linux")
	top := filepath.Join("..", "..")
	run, err := os.ReadFile(filepath.Join(top, ".ci", "run"))
	if err != nil || !strings.Contains(string(run), "done <internal/testtool/tools\n") {
		t.Errorf(".ci/run does not read the list: %v", err)
	}
	guide, err := os.ReadFile(filepath.Join(top, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(guide), "apt-get install ")
	line, _, _ = strings.Cut(line, "\n")
	named := strings.Fields(line)
	if len(named) == 0 {
		t.Fatal("CONTRIBUTING.md has no apt-get command for the tools of the tests")
	}
	var before string
	for line := range strings.Lines(installed) {
		tool, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !ok || tool <= before || strings.Contains(name, " ") {
			t.Errorf("%q: want a tool and its package, sorted by tool", line)
		}
		before = tool
		if !slices.Contains(named, name) && !slices.Contains(everywhere, name) {
			t.Errorf("CONTRIBUTING.md does not install %s, which contains %s", name, tool)
		}
	}
}
