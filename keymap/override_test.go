package keymap

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestApply(t *testing.T) {
	for _, tt := range []struct {
		name      string
		overrides Overrides
		want      map[string][]string // action to keys; nil: disabled
	}{
		{"another key", Overrides{"leave": {"Ctrl-G"}}, map[string][]string{"terminal.leave": {"ctrl+g"}}},
		{"several keys", Overrides{"remove": {"d", "del", "d"}}, map[string][]string{"jobs.remove": {"d", "delete"}}},
		{"bare name holds in every section", Overrides{"up": {"b"}}, map[string][]string{
			"list.up": {"b"}, "detail.up": {"b"}, "log.up": {"b"}, "help-page.up": {"b"},
		}},
		{"qualified name wins", Overrides{"attach": {"A"}, "log.attach": {"enter"}}, map[string][]string{
			"jobs.attach": {"A"}, "log.attach": {"enter"},
		}},
		{"no keys disable", Overrides{"leave": nil}, map[string][]string{"terminal.leave": nil}},
		{"an empty key disables", Overrides{"suspend": {""}}, map[string][]string{"panes.suspend": nil}},
		{"what had no key gets one", Overrides{"toggle-mouse": {"M"}}, map[string][]string{"panes.toggle-mouse": {"M"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := Default().Apply(tt.overrides)
			if err != nil {
				t.Fatal(err)
			}
			for id, want := range tt.want {
				a := m.byID(id)
				if a.Binding.Enabled() != (want != nil) {
					t.Errorf("%s: enabled is %v", id, a.Binding.Enabled())
				}
				if diff := cmp.Diff(want, a.Binding.Keys()); diff != "" {
					t.Errorf("%s (-want +got):\n%s", id, diff)
				}
				if want != nil && a.Binding.Help().Key != Label(want[0]) {
					t.Errorf("%s: help says %q", id, a.Binding.Help().Key)
				}
			}
			if len(m.Conflicts()) > 0 {
				t.Errorf("conflicts: %v", m.Conflicts())
			}
		})
	}
}

func TestApplyRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		overrides Overrides
		want      string
	}{
		"unknown action":            {Overrides{"stopp": {"s"}}, `did you mean "stop"?`},
		"unknown in that section":   {Overrides{"log.serach": {"s"}}, `did you mean "log.search"?`},
		"nothing like it":           {Overrides{"frobnicate": {"s"}}, "docs/keys.md"},
		"unknown key":               {Overrides{"stop": {"hyperspace"}}, `unknown key "hyperspace"`},
		"a letter leaves a job":     {Overrides{"leave": {"b"}}, "typed as text"},
		"space in a prompt":         {Overrides{"accept": {"space"}}, "typed as text"},
		"control character":         {Overrides{"stop": {"\x02"}}, "is not a key"},
		"one of several is unknown": {Overrides{"stop": {"s", "nokey"}}, `unknown key "nokey"`},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := Default().Apply(tt.overrides)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error %v, want %q in it", err, tt.want)
			}
			if oe, ok := errors.AsType[*OverrideError](err); !ok || tt.overrides[oe.Name] == nil {
				t.Errorf("%v does not carry the override's name", err)
			}
			if diff := cmp.Diff(Default().markdown(), m.markdown()); diff != "" {
				t.Errorf("a refused override changed the map:\n%s", diff)
			}
		})
	}
}
func TestApplyKeepsValidOverrides(t *testing.T) {
	m, err := Default().Apply(Overrides{"zzz": {"a"}, "stop": {"s"}, "aaa": {"a"}})
	if m.Panes.Stop.Keys()[0] != "s" {
		t.Error("stop was not applied")
	}
	if !errors.Is(err, ErrUnknownAction) || strings.Index(err.Error(), "aaa") > strings.Index(err.Error(), "zzz") {
		t.Errorf("errors are not sorted by name: %v", err)
	}
}

func TestConflicts(t *testing.T) {
	for name, tt := range map[string]struct {
		overrides Overrides
		want      []Conflict
	}{
		"within a section":                {Overrides{"wrap": {"T"}}, []Conflict{{"T", []string{"log.wrap", "log.timestamps"}, []string{"log"}}}},
		"with a shared section":           {Overrides{"log.search": {"x"}}, []Conflict{{"x", []string{"log.search", "panes.stop"}, []string{"log"}}}},
		"in several places once":          {Overrides{"new": {"z"}}, []Conflict{{"z", []string{"jobs.new", "panes.zoom"}, []string{"list", "detail"}}}},
		"sections never in play together": {Overrides{"wrap": {"d"}}, nil},
		"swapped":                         {Overrides{"stop": {"X"}, "kill": {"x"}}, nil},
		"disabled makes room":             {Overrides{"zoom": nil, "new": {"z"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := Default().Apply(tt.overrides)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, m.Conflicts()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseKey(t *testing.T) {
	for in, want := range map[string]string{
		"x": "x", "X": "X", "shift+x": "X", "S-x": "X", "Ctrl+B": "ctrl+b", "C-b": "ctrl+b", "^b": "ctrl+b", "^B": "ctrl+b",
		"M-x": "alt+x", "alt+ctrl+a": "ctrl+alt+a", " ": "space", "Space": "space", "ctrl+space": "ctrl+space",
		"Return": "enter", "Escape": "esc", "Del": "delete", "PageUp": "pgup", "S-Tab": "shift+tab", "F12": "f12",
		"+": "+", "-": "-", "ctrl++": "ctrl++", "ctrl+-": "ctrl+-", "^": "^", "ж": "ж", "shift+1": "!", "?": "?",
		"ctrl+shift+a": "ctrl+shift+a", "a": "a", "s": "s", "cmd+k": "super+k",
	} {
		if got, err := ParseKey(in); err != nil || got != want {
			t.Errorf("ParseKey(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", "   ", "ctrl+", "foo", "f0", "f64", "ab", "ctrl+foo", "\x1b", "^\x0e", "ctrl+\x0e"} {
		if got, err := ParseKey(in); err == nil {
			t.Errorf("ParseKey(%q) = %q, want an error", in, got)
		}
	}
}

func FuzzParseKey(f *testing.F) {
	for _, s := range []string{"ctrl+b", "C-S-M-x", "++", "^", "F1", "é", "shift+é"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once, err := ParseKey(s)
		if err != nil {
			return
		}
		if twice, err := ParseKey(once); err != nil || twice != once {
			t.Errorf("%q is %q, which is %q, %v", s, once, twice, err)
		}
	})
}
