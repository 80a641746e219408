package agents

import (
	"strings"
	"testing"
)

func TestTOMLTable(t *testing.T) {
	p := tomlPart{at: []string{"mcp_servers", "hob"}, text: "[mcp_servers.hob]\ncommand = \"hob\"\n"}
	for name, c := range map[string]struct{ old, want string }{
		"no file":        {"", "[mcp_servers.hob]\ncommand = \"hob\"\n"},
		"other tables":   {"# mine\nmodel = \"x\"\n\n[mcp_servers.other]\ncommand = 'o'\n", "# mine\nmodel = \"x\"\n\n[mcp_servers.other]\ncommand = 'o'\n\n[mcp_servers.hob]\ncommand = \"hob\"\n"},
		"no newline":     {"a = 1", "a = 1\n\n[mcp_servers.hob]\ncommand = \"hob\"\n"},
		"CRLF line ends": {"a = 1\r\n", "a = 1\r\n\r\n[mcp_servers.hob]\r\ncommand = \"hob\"\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, out, err := p.add([]byte(c.old))
			if err != nil || out != added || string(got) != c.want {
				t.Fatalf("add: %v, %v\n%q", out, err, got)
			}
			if _, out, err := p.add(got); err != nil || out != present {
				t.Errorf("the second add: %v, %v", out, err)
			}
			back, out, err := p.remove(got)
			if err != nil || out != removed || strings.TrimRight(string(back), "\n") != strings.TrimRight(c.old, "\n") {
				t.Errorf("remove: %v, %v\n%q", out, err, back)
			}
		})
	}
	if got, _, _ := p.remove([]byte("a = 1\n\n" + p.text + "\n[after]\n")); string(got) != "a = 1\n\n\n[after]\n" {
		t.Errorf("from the middle: %q", got)
	}
	for name, text := range map[string]string{
		"another command": "[mcp_servers.hob]\ncommand = \"/opt/hob\"\n",
		"a key added":     "[mcp_servers.hob]\ncommand = \"hob\"\nenabled = false\n",
	} {
		for _, change := range []func([]byte) ([]byte, outcome, error){p.add, p.remove} {
			if got, out, err := change([]byte(text)); err != nil || out != kept || string(got) != text {
				t.Errorf("%s: %v, %v\n%s", name, out, err, got)
			}
		}
	}
	for name, text := range map[string]string{"broken": "a = \n", "inline table": "mcp_servers = {}\n"} {
		if got, out, err := p.add([]byte(text)); err == nil {
			t.Errorf("%s: %v\n%s", name, out, got)
		}
	}
}

func TestOwnFileKnowsWhetherItWasEdited(t *testing.T) {
	older := ownFile{text: "one\n", comment: [2]string{"# ", ""}}
	p := ownFile{text: "two\n", comment: [2]string{"# ", ""}}
	text, _, _ := older.add(nil)
	now, out, err := p.add(text)
	if err != nil || out != updated || !strings.HasPrefix(string(now), "two\n# Written by hob setup") {
		t.Fatalf("file of an earlier version: %v, %v\n%s", out, err, now)
	}
	if _, out, _ := p.add(now); out != present {
		t.Errorf("the second add: %v", out)
	}
	edited := append([]byte("mine\n"), now...)
	for verb, change := range map[string]func([]byte) ([]byte, outcome, error){"add": p.add, "remove": p.remove} {
		if got, out, err := change(edited); err != nil || out != kept || string(got) != string(edited) {
			t.Errorf("%s of an edited file: %v, %v\n%s", verb, out, err, got)
		}
	}
	if got, out, err := p.remove(text); err != nil || out != removed || got != nil {
		t.Errorf("remove: %v, %v, %q", out, err, got)
	}
}
