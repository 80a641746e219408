package cli

import (
	"strings"
	"testing"

	"github.com/hobjobs/hob/internal/config"
)

// TestOpenersThatFailAreNamed: what they said themselves is gone with their screen.
func TestOpenersThatFailAreNamed(t *testing.T) {
	for name, tt := range map[string]struct {
		settings config.UI
		editor   bool
		want     string
	}{
		"not there":   {config.UI{Pager: "/nowhere/less -R"}, false, "the pager cannot be run: /nowhere/less -R; PAGER or ui.pager"},
		"fails":       {config.UI{Editor: "exit 3;"}, true, "the editor ended with code 3: exit 3;"},
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
