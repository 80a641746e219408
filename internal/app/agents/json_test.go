package agents

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	testServer = jsonPart{at: []string{"mcpServers", "hob"}, value: `{"command": "hob", "args": ["mcp"]}`}
	testHook   = jsonPart{at: []string{"hooks", "Start"}, value: `{"hooks": [{"command": "hob hook x"}]}`, mark: "hob hook x"}
)

func TestJSONKeepsTheRestOfTheFile(t *testing.T) {
	for name, c := range map[string]struct {
		part      part
		old, want string
	}{
		"no file": {
			testServer, "",
			"{\n  \"mcpServers\": {\n    \"hob\": {\n      \"command\": \"hob\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }\n  }\n}\n",
		},
		"tabs, order and spacing": {
			testServer, "{\n\t\"b\":1,\n\n\t\"a\" : {\"x\":[ ]}\n}",
			"{\n\t\"b\":1,\n\n\t\"a\" : {\"x\":[ ]},\n\t\"mcpServers\": {\n\t\t\"hob\": {\n\t\t\t\"command\": \"hob\",\n\t\t\t\"args\": [\n\t\t\t\t\"mcp\"\n\t\t\t]\n\t\t}\n\t}\n}",
		},
		"one line": {
			testServer, `{"a": 1}`,
			`{"a": 1, "mcpServers": {"hob": {"command": "hob", "args": ["mcp"]}}}`,
		},
		"comments": {
			testHook, "{\n  // mine\n  \"hooks\": {\n    \"Start\": [\n      {\"x\": 1} // last\n    ]\n  }\n}\n",
			"{\n  // mine\n  \"hooks\": {\n    \"Start\": [\n      {\"x\": 1}, // last\n      {\n        \"hooks\": [\n          {\n            \"command\": \"hob hook x\"\n          }\n        ]\n      }\n    ]\n  }\n}\n",
		},
		"trailing commas": {
			testHook, "{\n  \"hooks\": {\n    \"Start\": [\n      1,\n    ],\n  },\n}\n",
			"{\n  \"hooks\": {\n    \"Start\": [\n      1,\n      {\n        \"hooks\": [\n          {\n            \"command\": \"hob hook x\"\n          }\n        ]\n      },\n    ],\n  },\n}\n",
		},
		"comment in one line": {
			testServer, "{\"a\": 1 // note\n}",
			"{\"a\": 1, // note\n\"mcpServers\": {\"hob\": {\"command\": \"hob\", \"args\": [\"mcp\"]}}}",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, out, err := c.part.add([]byte(c.old))
			if err != nil || out != added {
				t.Fatalf("add: %v, %v", out, err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Fatal(diff)
			}
			again, out, err := c.part.add(got)
			if err != nil || out != present || string(again) != string(got) {
				t.Errorf("the second add: %v, %v\n%s", out, err, again)
			}
			back, out, err := c.part.remove(got)
			if err != nil || out != removed {
				t.Fatalf("remove: %v, %v", out, err)
			}
			if _, out, err := c.part.remove(back); err != nil || out != absent {
				t.Errorf("the second remove: %v, %v\n%s", out, err, back)
			}
		})
	}
}

// Only hob's entry is removed. Whether an empty object was the user's is not known, so it stays.
func TestRemoveFromJSONKeepsTheRest(t *testing.T) {
	const hob = `"hob": {"command": "hob", "args": ["mcp"]}`
	const element = `{"hooks": [{"command": "hob hook x"}]}`
	for name, c := range map[string]struct {
		part      part
		old, want string
	}{
		"only entry":                  {testServer, "{\n  \"mcpServers\": {\n    " + hob + "\n  }\n}\n", "{\n  \"mcpServers\": {}\n}\n"},
		"last entry":                  {testServer, `{"mcpServers": {"a": 1, ` + hob + `}}`, `{"mcpServers": {"a": 1}}`},
		"first entry":                 {testServer, `{"mcpServers": {` + hob + `, "a": 1}}`, `{"mcpServers": { "a": 1}}`},
		"edited and exact element":    {testHook, `{"hooks": {"Start": [{"command": "/opt/hob hook x"}, ` + element + `]}}`, `{"hooks": {"Start": [{"command": "/opt/hob hook x"}]}}`},
		"only element":                {testHook, `{"hooks": {"Start": [` + element + `]}}`, `{"hooks": {"Start": []}}`},
		"trailing comma":              {testHook, "{\"hooks\": {\"Start\": [\n  1,\n  " + element + ",\n],},}", "{\"hooks\": {\"Start\": [\n  1,\n],},}"},
		"comment on the object":       {testServer, "{/* a */ \"mcpServers\": {" + hob + "} // b\n}", "{/* a */ \"mcpServers\": {} // b\n}"},
		"comment before, more after":  {testServer, "{\"mcpServers\": {\n  // mine\n  " + hob + ",\n  \"a\": 1\n}}", "{\"mcpServers\": {\n  // mine\n  \"a\": 1\n}}"},
		"comments in one line":        {testServer, `{"mcpServers": {/* a */ ` + hob + ` /* b */, "c": 1}}`, `{"mcpServers": {/* a */  /* b */ "c": 1}}`},
		"comment before the comma":    {testServer, `{"mcpServers": {"a": 1 /* mine */, ` + hob + `}}`, `{"mcpServers": {"a": 1 /* mine */}}`},
		"comment of the line before":  {testHook, "{\"hooks\": {\"Start\": [\n  1, // one\n  " + element + "\n]}}", "{\"hooks\": {\"Start\": [\n  1 // one\n]}}"},
		"line comment with */":        {testServer, "{\"mcpServers\": { // see */\n" + hob + "}}", "{\"mcpServers\": { // see */\n}}"},
		"comment before an element":   {testHook, "{\"hooks\": {\"Start\": [\n  // mine\n  " + element + ",\n  2\n]}}", "{\"hooks\": {\"Start\": [\n  // mine\n  2\n]}}"},
		"comment at the end of a set": {testServer, "{\"mcpServers\": {\n  " + hob + "\n  // mine\n}}", "{\"mcpServers\": {\n  // mine\n}}"},
	} {
		t.Run(name, func(t *testing.T) {
			got, out, err := c.part.remove([]byte(c.old))
			if err != nil || out != removed {
				t.Fatalf("%v, %v", out, err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Error(diff)
			}
			if _, err := parseJSON(got); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestJSONOfTheUserIsKept(t *testing.T) {
	for name, c := range map[string]struct {
		part part
		text string
	}{
		"server with another command": {testServer, `{"mcpServers": {"hob": {"command": "/opt/hob", "args": ["mcp"]}}}`},
		"server with an environment":  {testServer, `{"mcpServers": {"hob": {"command": "hob", "args": ["mcp"], "env": {"A": "1"}}}}`},
		"hook with a path":            {testHook, `{"hooks": {"Start": [{"hooks": [{"command": "/opt/my tools/hob hook x"}]}]}}`},
		"hook with a quoted path":     {testHook, `{"hooks": {"Start": [{"hooks": [{"command": "\"C:\\my tools\\hob.exe\" hook x"}]}]}}`},
		"hook in the user's group":    {testHook, `{"hooks": {"Start": [{"hooks": [{"command": "mine"}, {"command": "A=1 /opt/hob hook x || true"}]}]}}`},
		"hook with another timeout":   {testHook, `{"hooks": {"Start": [{"hooks": [{"command": "hob hook x", "timeout": 3}]}]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			for verb, change := range map[string]func([]byte) ([]byte, outcome, error){"add": c.part.add, "remove": c.part.remove} {
				got, out, err := change([]byte(c.text))
				if err != nil || out != kept || string(got) != c.text {
					t.Errorf("%s: %v, %v\n%s", verb, out, err, got)
				}
			}
		})
	}
}

func TestJSONThatCannotBeEditedIsAnError(t *testing.T) {
	for name, text := range map[string]string{
		"broken":                 "{\"a\": ",
		"not an object":          "[1]",
		"servers are a list":     `{"mcpServers": []}`,
		"settings of two files":  `{} {}`,
		"invalid after a comma":  `{"a": 1,, "b": 2}`,
		"hooks that are a value": `{"mcpServers": 3}`,
	} {
		t.Run(name, func(t *testing.T) {
			if got, out, err := testServer.add([]byte(text)); err == nil {
				t.Errorf("%v:\n%s", out, got)
			}
		})
	}
	for text, want := range map[string]string{
		`{"hooks": {"Start": {}}}`: "hooks.Start is not an array",
		`{"hooks": []}`:            "hooks is not an object",
	} {
		if _, _, err := testHook.add([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestOtherHooksAreNotHobs(t *testing.T) {
	for _, command := range []string{"hob hook y", "bob hook x", "hobby hook x", "hob hookx", "echo hob", "hob"} {
		text := `{"hooks": {"Start": [{"command": "` + command + `"}]}}`
		if _, out, err := testHook.add([]byte(text)); err != nil || out != added {
			t.Errorf("%s: %v, %v", command, out, err)
		}
	}
}

func TestRemoveFromJSONWithoutHob(t *testing.T) {
	for _, text := range []string{"", "{}\n", `{"mcpServers": {}, "hooks": {"Start": []}}`, `{"mcpServers": 1, "hooks": []}`, `{"hooks": {"Start": 1}}`} {
		for _, p := range []part{testServer, testHook} {
			if got, out, err := p.remove([]byte(text)); err != nil || out != absent || string(got) != text {
				t.Errorf("%q: %v, %v: %q", text, out, err, got)
			}
		}
	}
}
