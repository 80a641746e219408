package cli

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobjobs/hob/internal/config"
	"github.com/hobjobs/hob/internal/testtool"
)

// tmux starts a private tmux server and makes it the one of the test's environment.
func tmux(t *testing.T) func(args ...string) string {
	t.Helper()
	testtool.Need(t, "tmux")
	socket := filepath.Join(t.TempDir(), "s")
	run := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("tmux", append([]string{"-f", "/dev/null", "-S", socket}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %v: %v: %s", args, err, out)
		}
		return string(out)
	}
	run("new-session", "-d", "sleep 1000")
	t.Cleanup(func() { run("kill-server") })
	t.Setenv("TMUX", socket+",1,0")
	return run
}

// A tmux session can override the global prefix and have a second one.
func TestOuterPrefix(t *testing.T) {
	run := tmux(t)
	leave := []string{"ctrl+b"}
	for _, tt := range []struct{ global, own, second, want string }{
		{"C-b", "", "None", "ctrl+b"},
		{"C-a", "", "None", "ctrl+a"},
		{"C-b", "C-a", "None", "ctrl+a"},
		{"C-a", "C-b", "None", "ctrl+b"},
		{"C-a", "", "C-b", "ctrl+b"},
		{"C-b", "", "C-a", "ctrl+b"},
		{"None", "", "C-b", "ctrl+b"},
		{"None", "", "None", ""},
	} {
		run("set-option", "-g", "prefix", tt.global)
		run("set-option", "-g", "prefix2", tt.second)
		if tt.own != "" {
			run("set-option", "prefix", tt.own)
		} else {
			run("set-option", "-u", "prefix")
		}
		if got := outerPrefix(leave); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}

// Text is in tmux's buffer whatever the value of set-clipboard.
func TestCopyInTmux(t *testing.T) {
	run := tmux(t)
	const text = "one\ntwo '$x' \u00e9"
	for policy, want := range map[string]string{"external": "tmux's buffer", "off": "tmux's buffer"} {
		run("set-option", "-s", "set-clipboard", policy)
		where, err := copier(true)(t.Context(), text+policy)
		if err != nil || !strings.HasPrefix(where, want) {
			t.Errorf("%s: %q, %v", policy, where, err)
		}
		if got := run("show-buffer"); got != text+policy {
			t.Errorf("%s: tmux has %q", policy, got)
		}
	}
	run("set-option", "-s", "set-clipboard", "on")
	if where, err := copier(true)(t.Context(), "never"); where != "" || err != nil {
		t.Errorf("on: %q, %v, want none, so that the escape sequence is used", where, err)
	}
	if got := run("show-buffer"); got == "never" {
		t.Error("on: load-buffer was used as well")
	}
}

func TestCopyOutsideTmux(t *testing.T) {
	if copier(false) != nil {
		t.Error("copier is not nil")
	}
}

// The program's own message is no longer on the screen.
func TestPagerErrorsNameTheProgram(t *testing.T) {
	for name, tt := range map[string]struct {
		settings config.UI
		editor   bool
		want     string
	}{
		"not there":   {config.UI{Pager: "/nowhere/less -R"}, false, "cannot run the pager /nowhere/less -R; set PAGER, or ui.pager"},
		"fails":       {config.UI{Editor: "exit 3;"}, true, "the editor exited with code 3: exit 3;"},
		"interrupted": {config.UI{Pager: "exit 130;"}, false, ""},
		"fine":        {config.UI{Pager: "test -e"}, false, ""},
	} {
		cmd, err := opener(tt.settings)(t.TempDir(), tt.editor)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := cmd.Run(); err != nil {
			got = err.Error()
		}
		if tt.want == "" && got != "" || !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
