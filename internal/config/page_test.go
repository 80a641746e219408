package config

import (
	commandline "flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/internal/notifyevent"
	"github.com/hobjobs/hob/themes"
)

const pageHead = `# Settings

Generated from package internal/config by ` + "`go test ./internal/config -update`" + `.

The file is ` + "`$HOB_CONFIG`, else `$XDG_CONFIG_HOME/hob/config.toml`, else `~/.config/hob/config.toml`" + `. It is TOML,
and optional. ` + "`hob config`" + ` prints all effective settings and their origins as a valid file. It exits with 1 if there is a
problem, and reports each with file, line and setting. hob ignores a setting with a problem, reports it
and uses the default.

Durations are written ` + "`90s`, `1h30m`, `7d`; sizes in bytes `4096`, `64KiB`, `1GiB`" + `. Flags and the environment variables
named below override settings.
`

// pageNotes returns the text below the tables of sections.
func pageNotes() map[string]string {
	return map[string]string{
		"notify": "hob runs `command` when a job in the background, or one started with `--notify`, ends while no UI and no terminal\n" +
			"shows it, and at [other events](notify.md#events). [notify.md](notify.md) has what the command gets, and recipes for\n" +
			"phones and chats.\n" +
			"\nThe other notifications need an open hob window: `bell` rings the terminal bell, `osc` sends a desktop notification\n" +
			"(OSC 99 if the terminal supports it, otherwise OSC 9 or 777), `title` marks the terminal's title; `[]` disables all.\n",
		"theme": "Each color of a theme can also be set by itself: `" + strings.Join(themes.TokenNames(), "`, `") + "`.\n" +
			"A color has attributes (`bold`, `faint`, `italic`, `underline`, `reverse`), a foreground, and `on` with a background,\n" +
			"each optional: `accent = \"bold #ff8800 on 236\"`. Foreground and background are `#rgb`, `#rrggbb`, 0 to 255, one of the\n" +
			"16 names (`red`, `bright-blue`, `grey`) or `default`. The theme `none`, also selected by `NO_COLOR`, has no colors.\n",
		"hosts": "All other options of a host belong in its ssh configuration ([hosts.md](hosts.md)).\n",
		"queue": "A new value takes effect when the next job is started in the queue. See [queues.md](queues.md).\n",
		"keys":  "For the names of the actions and their keys, see [keys.md](keys.md).\n",
	}
}

func eventTable() string {
	var b strings.Builder
	b.WriteString("| event | sent when | by default |\n|---|---|---|\n")
	for _, r := range notifyevent.Table() {
		isDefault := "no"
		if r.Default {
			isDefault = "yes"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.Event, r.When, isDefault)
	}
	return b.String()
}

// page returns the content of docs/settings.md.
func page() string {
	var b strings.Builder
	b.WriteString(pageHead)
	host := defaultHost()
	settings := append(table(defaults()), settingsOf("hosts.NAME.", &host)...)
	settings = append(settings, settingsOf("queue.NAME.", new(Queue))...)
	for _, section := range sections() {
		title := section
		if section == "hosts" || section == "queue" {
			title = section + ".NAME"
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
		t.Errorf("docs/settings.md is outdated; update it with: go test ./internal/config -update (-want +got):\n%s", diff)
	}
}

func TestNotifyPageHasAllEvents(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "notify.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), eventTable()) {
		t.Errorf("docs/notify.md is outdated; its table is:\n%s", eventTable())
	}
}
