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

// verdict is a test that takes down how it ended.
type verdict struct {
	testing.TB
	said string
}

func (v *verdict) Helper() {}

func (v *verdict) Skip(args ...any) {
	v.said = "skip: " + fmt.Sprint(args...)
	runtime.Goexit()
}

func (v *verdict) Fatalf(format string, args ...any) {
	v.said = "fail: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func TestNeed(t *testing.T) {
	saved := installed
	t.Cleanup(func() { installed = saved })
	installed = "sh dash\nhob-no-such-tool hob-none\n"
	for _, tc := range []struct{ name, tool, ci, want string }{
		{"there", "sh", "true", ""},
		{"missing at home", "hob-no-such-tool", "", "skip: needs hob-no-such-tool"},
		{"missing in CI", "hob-no-such-tool", "true", "fail: needs hob-no-such-tool: not there, but CI has to have it"},
		{"there, but nobody installs it", "ls", "", "fail: CI does not install ls: add it to internal/testtool/tools"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Setenv("CI", tc.ci)
			v, done := &verdict{TB: t}, make(chan struct{})
			go func() {
				defer close(done)
				Need(v, tc.tool)
			}()
			<-done
			if v.said != tc.want {
				t.Errorf("got %q, want %q", v.said, tc.want)
			}
		})
	}
}

// TestToolsAreInstalled holds the list of tools against what installs them: .ci/run,
// which reads it, and the line of CONTRIBUTING.md.
func TestToolsAreInstalled(t *testing.T) {
	// What a Debian in which somebody has installed Go is not without.
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
	told := strings.Fields(line)
	if len(told) == 0 {
		t.Fatal("CONTRIBUTING.md does not say how to install the tools of the tests")
	}
	var before string
	for line := range strings.Lines(installed) {
		tool, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !ok || tool <= before || strings.Contains(name, " ") {
			t.Errorf("%q: want a tool and its package, in order", line)
		}
		before = tool
		if !slices.Contains(told, name) && !slices.Contains(everywhere, name) {
			t.Errorf("CONTRIBUTING.md does not install %s, which has %s", name, tool)
		}
	}
}
