package cli

import (
	"strings"
	"testing"

	"github.com/hobjobs/hob/internal/config"
)

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
