package config

import (
	commandline "flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/themes"
)

const pageHead = `# Settings

Generated from package internal/config; ` + "`go test ./internal/config -update`" + ` writes it anew.

The file is ` + "`$HOB_CONFIG`, else `$XDG_CONFIG_HOME/hob/config.toml`, else `~/.config/hob/config.toml`" + `. It is TOML,
and need not be there. ` + "`hob config`" + ` prints every setting in effect and where it comes from, as a file that could be
used as it is; it ends with 1 if something is wrong. What is wrong is named with file and line, and is not in effect:
verbs go on without it, the UI does not open.

Durations are written ` + "`90s`, `1h30m`, `7d`; sizes in bytes `4096`, `64KiB`, `1GiB`" + `. A flag of a verb wins over a
setting, a variable named here too.
`

// What the table of a section does not say.
func pageNotes() map[string]string {
	return map[string]string{
		"notify": "`command` is run when a job in the background, or one that was started with `--notify`, has ended while no UI and no\n" +
			"terminal showed it. A line is run by `sh`, a list as it is; the job's name and status are added as arguments. Its\n" +
			"environment is the job's, with `HOB_NAME`, `HOB_RESULT` (`exited (exit code 3)`), `HOB_STATUS`, `HOB_EXIT_CODE`\n" +
			"and `HOB_JOB_ID`. `bell` rings, `osc` asks the terminal for a notification (OSC 9 and 777), `title` marks its title;\n" +
			"`[]` is none of them.\n",
		"theme": "Beside `name` each colour can be set alone: `" + strings.Join(themes.TokenNames(), "`, `") + "`.\n" +
			"A colour is written as attributes (`bold`, `faint`, `italic`, `underline`, `reverse`), a foreground, and `on` with a\n" +
			"background, each optional: `accent = \"bold #ff8800 on 236\"`. Foreground and background are `#rgb`, `#rrggbb`, 0 to 255,\n" +
			"one of the 16 names (`red`, `bright-blue`, `grey`) or `default`. `none`, which `NO_COLOR` sets, has no colours at all.\n",
		"hosts": "Everything else about a host is said in its ssh configuration ([hosts.md](hosts.md)).\n",
		"keys":  "The names of the actions and their keys are in [keys.md](keys.md).\n",
	}
}

// page is docs/settings.md.
func page() string {
	var b strings.Builder
	b.WriteString(pageHead)
	host := defaultHost()
	settings := append(table(defaults()), hostTable("NAME", &host)...)
	for _, section := range sections() {
		title := section
		if section == "hosts" {
			title = "hosts.NAME"
		}
		fmt.Fprintf(&b, "\n## `[%s]`\n\n", title)
		rows := 0
		for _, s := range settings {
			name, ok := strings.CutPrefix(s.name, title+".")
			if !ok {
				continue
			}
			if rows++; rows == 1 {
				b.WriteString("| setting | default | values | |\n|---|---|---|---|\n")
			}
			about := s.doc
			if len(s.env) > 0 {
				about += "; variable `" + strings.Join(s.env, "`, else `") + "`"
			}
			fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", name, s.toTOML(), s.takes, about)
		}
		if note := pageNotes()[section]; note != "" {
			if rows > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(note)
		}
	}
	return b.String()
}

func TestSettingsPageIsCurrent(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "settings.md")
	want := page()
	if f := commandline.Lookup("update"); f != nil && f.Value.String() == "true" {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/settings.md is stale; go test ./internal/config -update writes it anew (-want +got):\n%s", diff)
	}
}
