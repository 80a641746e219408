package prompt_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/prompt"
)

func keys() prompt.Keys {
	m := keymap.Default()
	return prompt.Keys{Input: m.Input, Edit: m.Edit}
}

func newLine(w int, o prompt.Options) *prompt.Line {
	line := prompt.NewLine(keys(), themes.Default(true).Styles(themes.Unicode()), o)
	line.SetWidth(w)
	return line
}

// typeKeys types characters, and keys in angle brackets: "ab<left><ctrl+k>".
func typeKeys(update func(tea.Msg) tea.Cmd, script string) {
	for script != "" {
		if rest, ok := strings.CutPrefix(script, "<"); ok {
			name, after, _ := strings.Cut(rest, ">")
			update(named(name))
			script = after
			continue
		}
		r := []rune(script)[0]
		update(tea.KeyPressMsg{Code: r, Text: string(r)})
		script = strings.TrimPrefix(script, string(r))
	}
}

func named(name string) tea.KeyPressMsg {
	codes := map[string]rune{"left": tea.KeyLeft, "right": tea.KeyRight, "up": tea.KeyUp, "down": tea.KeyDown, "tab": tea.KeyTab, "backspace": tea.KeyBackspace}
	if mod, k, ok := strings.Cut(name, "+"); ok {
		m := map[string]tea.KeyMod{"ctrl": tea.ModCtrl, "alt": tea.ModAlt, "shift": tea.ModShift}[mod]
		if code, ok := codes[k]; ok {
			return tea.KeyPressMsg{Code: code, Mod: m}
		}
		return tea.KeyPressMsg{Code: []rune(k)[0], Mod: m}
	}
	return tea.KeyPressMsg{Code: codes[name]}
}

func TestSelectedTextIsReplaced(t *testing.T) {
	for name, tt := range map[string]struct{ keys, want string }{
		"typed text replaces it":     {"npm", "npm"},
		"a key that deletes does so": {"<backspace>", ""},
		"deleted once":               {"x<backspace>y", "y"},
		"the cursor keeps it":        {"<right> b", "vim b"},
		"also backwards":             {"<left>x", "vixm"},
		"a chord keeps it selected":  {"<ctrl+g>b", "b"},
	} {
		line := newLine(40, prompt.Options{})
		line.SetValue("vim")
		line.SelectAll()
		typeKeys(line.Update, tt.keys)
		if got := line.Value(); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	t.Run("pasted text replaces it", func(t *testing.T) {
		line := newLine(40, prompt.Options{})
		line.SetValue("vim")
		line.SelectAll()
		line.Update(tea.PasteMsg{Content: "htop"})
		if got := line.Value(); got != "htop" {
			t.Errorf("%q", got)
		}
	})
	t.Run("a click keeps it", func(t *testing.T) {
		line := newLine(40, prompt.Options{})
		line.SetValue("vim")
		line.SelectAll()
		line.Click(3)
		typeKeys(line.Update, "x")
		if got := line.Value(); got != "vimx" {
			t.Errorf("%q", got)
		}
	})
}

func TestEditing(t *testing.T) {
	history := prompt.Options{History: []string{"npm test", "make all", "npm run dev"}}
	tests := map[string]struct{ keys, want string }{
		"types":                     {"npm", "npm"},
		"inserts in the middle":     {"nm<left>p", "npm"},
		"ctrl+b goes back":          {"nm<ctrl+b>p", "npm"},
		"deletes a word back":       {"one two<ctrl+w>", "one "},
		"deletes to the start":      {"one two<ctrl+u>x", "x"},
		"deletes to the end":        {"one two<ctrl+a><ctrl+k>", ""},
		"a word ends at a slash":    {"cd src/shop<ctrl+w>", "cd src/"},
		"deletes a word forward":    {"one two<ctrl+a><alt+d>", " two"},
		"deletes what is under it":  {"one<ctrl+a><ctrl+d>", "ne"},
		"nothing to delete":         {"one<ctrl+d><alt+d><ctrl+k>", "one"},
		"goes by words":             {"one two<alt+b><alt+b>a <alt+f>!", "a one! two"},
		"end goes to the end":       {"one<ctrl+a><ctrl+e>!", "one!"},
		"end takes the suggestion":  {"mak<ctrl+e>", "make all"},
		"a word takes none":         {"mak<alt+f>e", "make"},
		"deletes a whole cluster":   {"e\u0301x<backspace><backspace>", ""},
		"history":                   {"<up>", "npm test"},
		"history by what was typed": {"make<up>", "make all"},
		"history further":           {"npm<up><up>", "npm run dev"},
		"back from the history":     {"npm<up><down>", "npm"},
		"takes the suggestion":      {"mak<right>", "make all"},
		"right inside only moves":   {"mak<left><right>e", "make"},
		"a chord is not text":       {"a<ctrl+g>b", "ab"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			line := newLine(40, history)
			typeKeys(line.Update, tt.keys)
			if got := line.Value(); got != tt.want {
				t.Errorf("value is %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPasteIsOneCleanLine(t *testing.T) {
	line := newLine(40, prompt.Options{})
	line.Update(tea.PasteMsg{Content: "echo a\necho\x1b[31m b\n"})
	if got, want := line.Value(), "echo a echo b"; got != want {
		t.Errorf("value is %q, want %q", got, want)
	}
}

func TestLineView(t *testing.T) {
	tests := map[string]struct {
		w      int
		opts   prompt.Options
		keys   string
		note   string
		cursor int
		want   string
	}{
		"label and text":  {20, prompt.Options{Label: "/"}, "vite", "3 of 17", 5, "/vite        3 of 17"},
		"scrolls":         {8, prompt.Options{Label: "/"}, "abcdefghij", "", 7, "/efghij "},
		"placeholder":     {12, prompt.Options{Placeholder: "what to run"}, "", "", 0, "what to run "},
		"secret":          {12, prompt.Options{Label: "key: ", Secret: true}, "hunter2", "", 11, "key: *******"},
		"long secret":     {20, prompt.Options{Label: "key: ", Secret: true}, "correct horse battery", "", 13, "key: ********       "},
		"suggestion":      {14, prompt.Options{History: []string{"make all"}}, "ma", "", 2, "make all      "},
		"wide characters": {9, prompt.Options{}, "日本", "", 4, "日本     "},
		"no room":         {0, prompt.Options{Label: "/"}, "a", "", 0, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			line := newLine(tt.w, tt.opts)
			typeKeys(line.Update, tt.keys)
			line.SetNote(tt.note)
			if got := ansi.Strip(line.View()); got != tt.want {
				t.Errorf("view is %q, want %q", got, tt.want)
			}
			if got := line.Cursor().X; got != tt.cursor {
				t.Errorf("cursor is at %d, want %d", got, tt.cursor)
			}
		})
	}
}

func newForm(w int, command prompt.Options) *prompt.Form {
	styles := themes.Default(true).Styles(themes.Unicode())
	form := prompt.NewForm("New job", keys(), styles)
	form.Add("Command", "", command)
	form.Add("Directory", "~/src/shop", prompt.Options{})
	form.Add("Host", "", prompt.Options{Placeholder: "this machine"})
	form.SetNote("Enter runs it in the background")
	form.SetSize(w, 0)
	return form
}

func TestFormView(t *testing.T) {
	form := newForm(50, prompt.Options{})
	typeKeys(form.Update, "npm run")
	golden.RequireEqual(t, ansi.Strip(form.View()))
}

// With few rows the focused field is visible, with few columns it is the only one. The cursor is
// in it.
func TestSmallForms(t *testing.T) {
	for name, size := range map[string][2]int{"low": {50, 4}, "note": {50, 8}, "smallest": {20, 4}} {
		t.Run(name, func(t *testing.T) {
			form := newForm(50, prompt.Options{})
			form.SetSize(size[0], size[1])
			form.Move(1)
			view := ansi.Strip(form.View())
			golden.RequireEqual(t, view)
			if lines := strings.Split(view, "\n"); !strings.Contains(lines[form.Cursor().Y], "~/src/shop") {
				t.Errorf("the cursor is in row %d", form.Cursor().Y)
			}
			if rows := strings.Count(form.View(), "\n") + 1; rows > size[1] {
				t.Errorf("%d rows, there are %d", rows, size[1])
			}
		})
	}
}

func TestFormOffers(t *testing.T) {
	form := newForm(60, prompt.Options{})
	form.Move(1)
	form.Offer([]string{"~/src/shop/", "~/src/shop-admin/"})
	golden.RequireEqual(t, ansi.Strip(form.View()))
	typeKeys(form.Update, "<tab>")
	if got := form.Value("Directory"); got != "~/src/shop-admin/" {
		t.Errorf("the second offer is %q", got)
	}
	typeKeys(form.Update, "x")
	if got := form.Value("Directory"); got != "~/src/shop-admin/x" {
		t.Errorf("typing on gives %q", got)
	}
}

func TestFormMovesAndKeepsItsWidth(t *testing.T) {
	for _, w := range []int{0, 3, 15, 24, 80} {
		form := newForm(w, prompt.Options{})
		for range 4 {
			typeKeys(form.Update, "<tab>")
			for i, line := range strings.Split(form.View(), "\n") {
				if got := cells.Width(line); got != w {
					t.Errorf("line %d is %d wide, want %d", i, got, w)
				}
			}
			form.Cursor()
		}
		if name, _ := form.Field(); name != "Directory" {
			t.Errorf("after four tabs on three fields the focus is on %s", name)
		}
		typeKeys(form.Update, "<shift+tab>")
		if name, _ := form.Field(); name != "Command" {
			t.Errorf("shift+tab goes to %s", name)
		}
	}
}

func TestArrowsMoveBetweenFieldsWithoutHistory(t *testing.T) {
	form := newForm(50, prompt.Options{History: []string{"make", "npm run dev"}})
	at := func(want string) {
		t.Helper()
		if name, _ := form.Field(); name != want {
			t.Errorf("the focus is on %s, want %s", name, want)
		}
	}
	typeKeys(form.Update, "<up><up>")
	if got := form.Value("Command"); got != "npm run dev" {
		t.Errorf("up brings back %q", got)
	}
	typeKeys(form.Update, "<down>")
	at("Command")
	typeKeys(form.Update, "<down>")
	at("Command") // the typed text is restored
	typeKeys(form.Update, "<down>")
	at("Directory")
	typeKeys(form.Update, "<down>")
	at("Host")
	typeKeys(form.Update, "<up><up>")
	at("Command")
}

func TestClickMovesCursorInField(t *testing.T) {
	styles := themes.Default(true).Styles(themes.Unicode())
	form := prompt.NewForm("New job", keys(), styles)
	form.Add("Command", "", prompt.Options{Verb: "start"})
	form.Add("Directory", "/漢字/x", prompt.Options{Verb: "start"})
	form.SetSize(60, 10)
	const left = 13 // border, blank, name
	for _, tt := range []struct {
		x, y          int
		field, before string
	}{
		{left + 3, 2, "Directory", "/漢"},
		{left + 2, 2, "Directory", "/"},
		{left + 40, 2, "Directory", "/漢字/x"},
		{left, 1, "Command", ""},
		{4, 2, "Directory", "/漢字/x"}, // the name of the field
		{left, 3, "Directory", "/漢字/x"},
		{left, 0, "Directory", "/漢字/x"},
	} {
		form.Click(tt.x, tt.y)
		if name, line := form.Field(); name != tt.field || line.Before() != tt.before {
			t.Errorf("a click on %d, %d is in %s behind %q, want %s behind %q", tt.x, tt.y, name, line.Before(), tt.field, tt.before)
		}
	}
	form.Go("Directory")
	form.Offer([]string{"/a", "/b"})
	form.Click(left, 3) // on a completion
	if name, _ := form.Field(); name != "Directory" {
		t.Errorf("a click on the offers went to %s", name)
	}
}

func TestFirstKeyHasVerb(t *testing.T) {
	line := newLine(20, prompt.Options{Verb: "send"})
	if k := line.ShortHelp()[0]; k.Help().Desc != "send" {
		t.Errorf("the first key is %s %s", k.Help().Key, k.Help().Desc)
	}
}

// A line shows an error to the right of a long text, a form below it.
func TestErrorIsVisibleBesideLongText(t *testing.T) {
	long := strings.Repeat("/directory", 12)
	line := newLine(40, prompt.Options{})
	line.SetValue(long)
	line.SetError("no such directory")
	if view := ansi.Strip(line.View()); !strings.HasSuffix(view, "directory   no such directory") {
		t.Errorf("line %q", view)
	}
	theme := themes.Default(true).Styles(themes.Unicode())
	for _, size := range [][2]int{{70, 20}, {70, 5}, {36, 20}, {24, 20}, {22, 4}} {
		f := prompt.NewForm("New job", keys(), theme)
		f.Add("Command", "make", prompt.Options{})
		f.Add("Directory", long, prompt.Options{})
		f.Go("Directory")
		f.SetError("no such directory")
		f.SetSize(size[0], size[1])
		view := ansi.Strip(f.View())
		lines := strings.Split(view, "\n")
		if len(lines) > size[1] || !strings.Contains(view, "no such directory") || !strings.Contains(view, "/directory") {
			t.Errorf("%v: %d lines:\n%s", size, len(lines), view)
			continue
		}
		at := f.Cursor()
		if below := lines[at.Y+1]; !strings.Contains(below, "no such directory") {
			t.Errorf("%v: the cursor is at %+v of\n%s", size, at, view)
		}
		typeKeys(f.Update, "x")
		if view := ansi.Strip(f.View()); strings.Contains(view, "no such") {
			t.Errorf("%v: the error stays after a key:\n%s", size, view)
		}
	}
}
