package keymap

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write docs/keys.md and golden files anew")

func TestDefaultHasNoConflicts(t *testing.T) {
	for _, c := range Default().Conflicts() {
		t.Error(c)
	}
}

// The default keys of all contexts.
func TestDefaultKeys(t *testing.T) {
	move := map[string]string{
		"k": "up", "up": "up", "j": "down", "down": "down", "g": "top", "home": "top", "G": "bottom", "end": "bottom",
		"ctrl+u": "half-page-up", "ctrl+d": "half-page-down", "pgup": "page-up", "pgdown": "page-down",
	}
	panes := map[string]string{
		"tab": "next-pane", "shift+tab": "previous-pane", "1": "show-list", "2": "show-detail", "3": "show-log",
		"[": "previous-job", "shift+up": "previous-job", "]": "next-job", "shift+down": "next-job", "z": "zoom", "esc": "back", "q": "quit", "ctrl+c": "interrupt", "x": "stop", "X": "kill", "K": "signal",
		"i": "send-line", "Y": "copy-path", "o": "pager", "E": "editor", "?": "help", "f1": "help", ":": "palette",
		"ctrl+z": "suspend", "M": "toggle-mouse",
	}
	jobs := map[string]string{
		"enter": "open", "a": "attach", "t": "tail", "f": "tail", "n": "new", "r": "restart", "V": "revive", "R": "run-another", "e": "edit-restart",
		"d": "remove", "c": "clear", "C": "clear-finished", "u": "undo", "/": "filter", "space": "mark", "S": "sort", "I": "reverse-sort",
		"y": "copy-command", "p": "replay", "s": "start-now", "B": "run-next", "P": "pause-queue",
	}
	log := map[string]string{
		"h": "left", "left": "left", "l": "right", "right": "right", "0": "line-start", "shift+left": "line-start",
		"$": "line-end", "shift+right": "line-end", "enter": "attach", "a": "attach", "t": "follow", "f": "follow",
		"n": "next-match", "N": "previous-match", "/": "search", "&": "matching-only", "space": "page-down",
		"v": "select", "y": "copy", "w": "wrap", "T": "timestamps", "#": "line-numbers", "L": "line-numbers",
		"%": "jump",
	}
	for context, want := range map[string]map[string]string{
		"list":   merge(move, panes, jobs, map[string]string{"l": "unfold", "right": "unfold", "h": "fold", "left": "fold"}),
		"detail": merge(move, panes, jobs),
		"log": merge(move, panes, log, map[string]string{
			"r": "restart", "V": "revive", "R": "run-another", "e": "edit-restart", "d": "remove", "c": "clear", "C": "clear-finished", "u": "undo",
			"p": "replay", "s": "start-now", "B": "run-next", "P": "pause-queue", "S": "sort", "I": "reverse-sort",
		}),
		"terminal": {"ctrl+b": "leave"},
		"ended":    {"enter": "leave-ended"},
	} {
		t.Run(context, func(t *testing.T) {
			got := map[string]string{}
			for _, a := range Default().ByContext()[context] {
				if !a.Binding.Enabled() {
					continue
				}
				for _, k := range a.Binding.Keys() {
					got[k] = a.Name
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("keys differ (-want +got):\n%s", diff)
			}
		})
	}
}

func merge(maps ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, m := range maps {
		for k, v := range m {
			all[k] = v
		}
	}
	return all
}

// Ctrl+B is used only in the terminal and in text fields.
func TestCtrlB(t *testing.T) {
	for _, a := range Default().Actions() {
		if slices.Contains(a.Binding.Keys(), "ctrl+b") && a.ID() != "terminal.leave" && a.ID() != "edit.char-backward" {
			t.Errorf("%s has ctrl+b", a.ID())
		}
	}
}

// All actions must be available on keyboards where a key requires AltGr, and on those without
// function keys.
func TestDefaultKeysOnAllKeyboards(t *testing.T) {
	const altGr = "@[]{}\\|~`^$#" // on one or more of the German, French, Nordic and Spanish layouts
	for _, a := range Default().Actions() {
		if !a.Binding.Enabled() {
			continue
		}
		if !slices.ContainsFunc(a.Binding.Keys(), func(k string) bool {
			return !isFunctionKey(k) && !strings.ContainsAny(k, altGr)
		}) {
			t.Errorf("%s has only %v", a.ID(), a.Binding.Keys())
		}
	}
}

func TestDefaultKeysMatchKeyPresses(t *testing.T) {
	for _, a := range Default().Actions() {
		for _, k := range a.Binding.Keys() {
			if parsed, err := ParseKey(k); err != nil || parsed != k {
				t.Errorf("%s: %q never matches (ParseKey: %q, %v)", a.ID(), k, parsed, err)
			}
			if typesText(a.Section) && printable(k) {
				t.Errorf("%s: %q can never be typed", a.ID(), k)
			}
		}
	}
}

func TestActionsAreComplete(t *testing.T) {
	isSection := func(name string) bool {
		return slices.ContainsFunc(Sections(), func(s Section) bool { return s.Name == name })
	}
	ids := map[string]bool{}
	for _, a := range Default().Actions() {
		if ids[a.ID()] {
			t.Errorf("%s exists twice", a.ID())
		}
		ids[a.ID()] = true
		if a.Title == "" || a.Description == "" || strings.HasSuffix(a.Description, ".") {
			t.Errorf("%s: title %q, description %q", a.ID(), a.Title, a.Description)
		}
		if len(a.Where) == 0 {
			t.Errorf("%s has no context", a.ID())
		}
		if isSection(a.Name) {
			t.Errorf("%s: the name is also that of a section", a.ID())
		}
		if utf8.RuneCountInString(a.Title) > 16 {
			t.Errorf("%s: %q is too long for a footer", a.ID(), a.Title)
		}
	}
	for _, c := range Contexts() {
		for _, s := range c.Sections {
			if !isSection(s) {
				t.Errorf("context %s: unknown section %q", c.Name, s)
			}
		}
	}
}

func TestMapsAreIndependent(t *testing.T) {
	changed := Default()
	changed.Panes.Stop.SetKeys("s")
	next, err := changed.Apply(Overrides{"kill": {"S"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := Default().Panes.Stop.Keys(); !slices.Equal(got, []string{"x"}) {
		t.Errorf("a new default map has %v for stop", got)
	}
	if got := changed.Panes.Kill.Keys(); !slices.Equal(got, []string{"X"}) {
		t.Errorf("Apply changed its receiver: kill is %v", got)
	}
	if got := next.Panes.Stop.Keys(); !slices.Equal(got, []string{"s"}) {
		t.Errorf("Apply dropped the receiver's keys: stop is %v", got)
	}
}

func (m Map) byID(id string) Action {
	all := m.Actions()
	return all[slices.IndexFunc(all, func(a Action) bool { return a.ID() == id })]
}

func TestLabel(t *testing.T) {
	for k, want := range map[string]string{
		"x": "x", "X": "X", "ctrl+b": "Ctrl+B", "up": "↑", "shift+tab": "Shift+Tab", "pgdown": "PgDn", "f1": "F1",
		"space": "Space", "enter": "Enter", "+": "+", "ctrl++": "Ctrl++", "alt+left": "Alt+←", "ж": "ж", "ctrl+ж": "Ctrl+Ж",
	} {
		if got := Label(k); got != want {
			t.Errorf("Label(%q) = %q, want %q", k, got, want)
		}
	}
	if got := ASCIILabel("shift+left"); got != "Shift+Left" {
		t.Errorf("ASCIILabel = %q", got)
	}
}

func TestKeysPageIsCurrent(t *testing.T) {
	path := filepath.Join("..", "docs", "keys.md")
	want := Default().markdown()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/keys.md is stale; go test ./keymap -update updates it (-want +got):\n%s", diff)
	}
}
