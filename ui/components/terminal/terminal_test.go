package terminal

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/selection"
)

func start(t *testing.T, cols, rows int, stream string) *Model {
	t.Helper()
	theme, err := themes.Named("none", true)
	if err != nil {
		t.Fatal(err)
	}
	m := New(theme.Styles(themes.Unicode()))
	m.SetSize(cols, rows)
	m.SetFocus(true)
	m.Feed(engine.TerminalChunk{Reset: true, Size: engine.Size{Cols: cols, Rows: rows}, Data: []byte(stream), Control: true})
	return m
}

func feed(m *Model, s string) { m.Feed(engine.TerminalChunk{Data: []byte(s), Control: true}) }

// screen returns the text of the view and checks that the view has its exact size.
func screen(t *testing.T, m *Model) []string {
	t.Helper()
	rows := strings.Split(m.View(), "\n")
	if len(rows) != m.h {
		t.Fatalf("%d rows, want %d", len(rows), m.h)
	}
	for i, r := range rows {
		if got := ansi.StringWidth(r); got != m.w {
			t.Fatalf("row %d is %d columns wide, want %d: %q", i, got, m.w, r)
		}
		rows[i] = strings.TrimRight(ansi.Strip(r), " ")
	}
	return rows
}

func want(t *testing.T, m *Model, text string) {
	t.Helper()
	if got := strings.Join(screen(t, m), "|"); got != text {
		t.Errorf("screen %q, want %q", got, text)
	}
}

func lines(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "%d\r\n", i)
	}
	return b.String()
}

func TestStreamIsShownAfterTheSnapshot(t *testing.T) {
	m := start(t, 10, 3, "one\r\n")
	want(t, m, "one||")
	feed(m, "\x1b[31mtwo\x1b[m")
	want(t, m, "one|two|")
	if v := m.View(); !strings.Contains(v, "\x1b[31mtwo\x1b[m") {
		t.Errorf("colour is gone: %q", v)
	}
	m.Feed(engine.TerminalChunk{Reset: true, Size: engine.Size{Cols: 10, Rows: 3}, Data: []byte("new")})
	want(t, m, "new||")
}

func TestSynchronizedUpdateIsShownAtOnce(t *testing.T) {
	m := start(t, 10, 2, "before")
	m.View()
	feed(m, "\x1b[?2026h\x1b[2J\x1b[Hhalf")
	want(t, m, "before|")
	feed(m, " done\x1b[?2026l")
	want(t, m, "half done|")
}

func TestEveryKeyReachesTheJob(t *testing.T) {
	m := start(t, 10, 3, "")
	tests := []struct {
		name string
		key  tea.Key
		want string
	}{
		{"letter", tea.Key{Code: 'a', Text: "a"}, "a"},
		{"upper case", tea.Key{Code: 'a', ShiftedCode: 'A', Text: "A", Mod: tea.ModShift}, "A"},
		{"ctrl c", tea.Key{Code: 'c', Mod: tea.ModCtrl}, "\x03"},
		{"ctrl z", tea.Key{Code: 'z', Mod: tea.ModCtrl}, "\x1a"},
		{"escape", tea.Key{Code: tea.KeyEscape}, "\x1b"},
		{"enter", tea.Key{Code: tea.KeyEnter}, "\r"},
		{"backspace", tea.Key{Code: tea.KeyBackspace}, "\x7f"},
		{"space", tea.Key{Code: tea.KeySpace, Text: " "}, " "},
		{"up", tea.Key{Code: tea.KeyUp}, "\x1b[A"},
		{"alt x", tea.Key{Code: 'x', Mod: tea.ModAlt}, "\x1bx"},
		{"f5", tea.Key{Code: tea.KeyF5}, "\x1b[15~"},
		{"umlaut", tea.Key{Code: 'ü', Text: "ü"}, "ü"},
		{"input method", tea.Key{Code: tea.KeyExtended, Text: "日本"}, "日本"},
	}
	for _, tt := range tests {
		m.Update(tea.KeyPressMsg(tt.key))
		if got := string(m.TakeInput()); got != tt.want {
			t.Errorf("%s types %q, want %q", tt.name, got, tt.want)
		}
	}
	feed(m, "\x1b[?1h")
	m.Update(tea.KeyPressMsg{Code: tea.KeyUp})
	if got := string(m.TakeInput()); got != "\x1bOA" {
		t.Errorf("up with application cursor keys types %q", got)
	}
}

// Most terminals send Escape and a key typed soon after it together, just like Alt.
func TestEscapeBeforeKey(t *testing.T) {
	for distinct, want := range map[bool][]string{
		false: {"\x1b:", "\x1bZ", "\x1b\r", "\x1b\x17", "\x1b[27;5;105~"},
		true:  {"\x1b[27;3;58~", "\x1b[27;4;90~", "\x1b[27;3;13~", "\x1b[27;7;119~", "\x1b[27;5;105~"},
	} {
		m := start(t, 10, 3, "\x1b[>4;2m")
		m.SetDistinctEscape(distinct)
		for i, k := range []tea.Key{
			{Code: ':', Mod: tea.ModAlt},
			{Code: 'z', ShiftedCode: 'Z', Mod: tea.ModAlt | tea.ModShift},
			{Code: tea.KeyEnter, Mod: tea.ModAlt},
			{Code: 'w', Mod: tea.ModAlt | tea.ModCtrl},
			{Code: 'i', Mod: tea.ModCtrl},
		} {
			m.Update(tea.KeyPressMsg(k))
			if got := string(m.TakeInput()); got != want[i] {
				t.Errorf("distinct %v: %s types %q, want %q", distinct, k, got, want[i])
			}
		}
	}
}

func TestPasteIsBracketedOnRequest(t *testing.T) {
	m := start(t, 10, 3, "\x1b[?2004h")
	m.Update(tea.PasteMsg{Content: "a\nb\x1b[201~"})
	if got := string(m.TakeInput()); got != "\x1b[200~a\rb[201~\x1b[201~" {
		t.Errorf("paste types %q", got)
	}
}

func TestNoInputWithoutFocus(t *testing.T) {
	m := start(t, 10, 3, "")
	m.SetFocus(false)
	m.Update(tea.KeyPressMsg{Code: 'a', Text: "a"})
	m.Update(tea.PasteMsg{Content: "x"})
	if got := m.TakeInput(); len(got) != 0 {
		t.Errorf("typed %q", got)
	}
}

func TestFocusIsReportedOnRequest(t *testing.T) {
	m := start(t, 10, 3, "\x1b[?1004h")
	m.SetFocus(false)
	m.SetFocus(true)
	if got := string(m.TakeInput()); got != "\x1b[O\x1b[I" {
		t.Errorf("focus reports %q", got)
	}
}

func TestScrolledBackViewDoesNotMove(t *testing.T) {
	m := start(t, 10, 3, lines(1, 20))
	want(t, m, "19|20|")
	m.Update(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	want(t, m, "16|17|18")
	feed(m, lines(21, 25))
	want(t, m, "16|17|18")
	if m.Cursor() != nil {
		t.Error("the cursor shows although the live screen does not")
	}
	m.Update(tea.KeyPressMsg{Code: tea.KeyPgUp, Mod: tea.ModShift})
	want(t, m, "14|15|16")
	m.scrollBack(1000)
	want(t, m, "1|2|3")
	m.Update(tea.KeyPressMsg{Code: 'x', Text: "x"})
	want(t, m, "24|25|")
}

// The scrollback is full, so the oldest rows are discarded while the user reads.
func TestScrolledBackViewStaysInFullScrollback(t *testing.T) {
	m := start(t, 80, 5, "")
	next := 0
	flood := func(n int) {
		var b strings.Builder
		for range n {
			next++
			fmt.Fprintf(&b, "%d %s\r\n", next, strings.Repeat("x", 60))
		}
		feed(m, b.String())
	}
	flood(scrollbackBytes / 60)
	m.scrollBack(10)
	keys(m, tea.KeyPgUp, tea.KeyHome, tea.KeyUp)
	before := m.View()
	marked := m.selectedText()
	for range 20 {
		full := m.vt.ScrollbackLen()
		flood(300)
		if m.View() != before || m.selectedText() != marked {
			t.Fatalf("%d rows on (the scrollback went from %d to %d) the view moved", next, full, m.vt.ScrollbackLen())
		}
	}
}

func TestMouseGoesToJobOnRequest(t *testing.T) {
	m := start(t, 20, 5, "\x1b[?1000h\x1b[?1006h")
	m.Update(tea.MouseClickMsg{X: 2, Y: 3, Button: tea.MouseLeft})
	m.Update(tea.MouseReleaseMsg{X: 2, Y: 3, Button: tea.MouseLeft})
	m.Update(tea.MouseWheelMsg{X: 2, Y: 3, Button: tea.MouseWheelUp})
	if got, want := string(m.TakeInput()), "\x1b[<0;3;4M\x1b[<0;3;4m\x1b[<64;3;4M"; got != want {
		t.Errorf("mouse types %q, want %q", got, want)
	}
	m.Update(tea.MouseClickMsg{X: 2, Y: 3, Button: tea.MouseLeft, Mod: tea.ModShift})
	if got := m.TakeInput(); len(got) != 0 {
		t.Errorf("a click with Shift is the person's, but types %q", got)
	}
}

func TestWheelSendsArrowKeysInFullScreenProgram(t *testing.T) {
	m := start(t, 20, 5, "\x1b[?1049h\x1b[?1007h")
	m.Update(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	if got := string(m.TakeInput()); got != "\x1b[B\x1b[B\x1b[B" {
		t.Errorf("wheel types %q", got)
	}
}

func TestSelection(t *testing.T) {
	copied := func(cmd tea.Cmd) string {
		if cmd == nil {
			return ""
		}
		msg, _ := cmd().(selection.CopyMsg)
		return msg.Text
	}
	m := start(t, 12, 3, "hello world and more\r\nnext")
	m.Update(tea.MouseClickMsg{X: 6, Y: 0, Button: tea.MouseLeft})
	m.Update(tea.MouseMotionMsg{X: 1, Y: 2, Button: tea.MouseLeft})
	if got := copied(m.Update(tea.MouseReleaseMsg{X: 1, Y: 2, Button: tea.MouseLeft})); got != "world and more\nne" {
		t.Errorf("dragging copies %q", got)
	}
	m.Update(tea.MouseClickMsg{X: 7, Y: 0, Button: tea.MouseLeft})
	m.Update(tea.MouseReleaseMsg{X: 7, Y: 0, Button: tea.MouseLeft})
	m.Update(tea.MouseClickMsg{X: 7, Y: 0, Button: tea.MouseLeft})
	if got := copied(m.Update(tea.MouseReleaseMsg{X: 7, Y: 0, Button: tea.MouseLeft})); got != "world" {
		t.Errorf("a double click copies %q", got)
	}
	m.Update(tea.MouseClickMsg{X: 7, Y: 0, Button: tea.MouseLeft})
	if got := copied(m.Update(tea.MouseReleaseMsg{X: 7, Y: 0, Button: tea.MouseLeft})); got != "hello world and more" {
		t.Errorf("a triple click copies %q", got)
	}
	screen(t, m)
	m = start(t, 12, 3, "a漢字カナb")
	m.Update(tea.MouseClickMsg{X: 2, Y: 0, Button: tea.MouseLeft})
	m.Update(tea.MouseMotionMsg{X: 5, Y: 0, Button: tea.MouseLeft})
	if got := copied(m.Update(tea.MouseReleaseMsg{X: 5, Y: 0, Button: tea.MouseLeft})); got != "漢字カ" {
		t.Errorf("dragging from half a wide character to half another copies %q", got)
	}
	screen(t, m)
}

// clickTimes clicks repeatedly on one position and returns the copied text.
func clickTimes(m *Model, times, x, y int) (copied string) {
	for range times {
		m.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
		copied = ""
		if cmd := m.Update(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft}); cmd != nil {
			if msg, ok := cmd().(selection.CopyMsg); ok {
				copied = msg.Text
			}
		}
	}
	return copied
}

func TestMultiClickSelectsWrappedLines(t *testing.T) {
	const word = "/usr/share/doc/a-long-path"
	tests := map[string]struct {
		stream     string
		back, x, y int
		word, line string
	}{
		"in the middle":         {"see " + word + " there\r\nnext", 0, 3, 1, word, "see " + word + " there"},
		"in its first row":      {"see " + word + " there\r\nnext", 0, 6, 0, word, "see " + word + " there"},
		"in its last row":       {"see " + word + " there\r\nnext", 0, 2, 3, "there", "see " + word + " there"},
		"beside a full line":    {"0123456789\r\nabc", 0, 1, 1, "abc", "abc"},
		"half scrolled away":    {"see " + word + " there\r\n1\r\n2\r\n3\r\n4", 2, 3, 1, word, "see " + word + " there"},
		"the alternate screen":  {"see " + word + word + word + "\x1b[?1049h\x1b[Hnew", 0, 1, 0, "new", "new"},
		"over the edge, wide":   {"012345 漢漢漢 x", 0, 1, 1, "漢漢漢", "012345 漢漢漢 x"},
		"a wide one at the end": {"012345678漢字\r\nnext", 0, 2, 1, "012345678漢字", "012345678漢字"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m := start(t, 10, 6, tt.stream)
			m.scrollBack(tt.back)
			if got := clickTimes(m, 2, tt.x, tt.y); got != tt.word {
				t.Errorf("a double click copies %q, want %q", got, tt.word)
			}
			m.clicked = selection.Clicks{}
			if got := clickTimes(m, 3, tt.x, tt.y); got != tt.line {
				t.Errorf("a triple click copies %q, want %q", got, tt.line)
			}
			screen(t, m)
		})
	}
}

func TestEndedJobGetsNoInput(t *testing.T) {
	m := start(t, 10, 3, "bye")
	code := 3
	m.Feed(engine.TerminalChunk{Exit: &engine.Exit{Status: engine.Exited, Code: &code}})
	m.Update(tea.KeyPressMsg{Code: 'a', Text: "a"})
	if got := m.TakeInput(); len(got) != 0 {
		t.Errorf("typed %q", got)
	}
	want(t, m, "bye||")
}

func TestEverySizeIsExact(t *testing.T) {
	for _, size := range [][2]int{{0, 0}, {1, 1}, {2, 1}, {5, 3}, {100, 40}} {
		m := start(t, 20, 6, lines(1, 30)+"漢字漢字漢字漢字漢字\x1b[1mbold")
		m.SetSize(size[0], size[1])
		if size[0] == 0 {
			if got := m.View(); got != "" {
				t.Errorf("view of no size: %q", got)
			}
			continue
		}
		screen(t, m)
		m.scrollBack(7)
		screen(t, m)
	}
}

func TestCursorFollowsTheJob(t *testing.T) {
	m := start(t, 10, 4, "ab\r\nc\x1b[6 q")
	c := m.Cursor()
	if c == nil || c.X != 1 || c.Y != 1 || c.Shape != tea.CursorBar || c.Blink {
		t.Errorf("cursor %+v, want a steady bar at 1,1", c)
	}
	feed(m, "\x1b[?25l")
	if c := m.Cursor(); c != nil {
		t.Errorf("hidden cursor shows at %+v", c.Position)
	}
}

func TestLargerScreenIsCroppedAroundCursor(t *testing.T) {
	large := func(stream string) *Model {
		m := start(t, 4, 2, "")
		m.Feed(engine.TerminalChunk{Reset: true, Size: engine.Size{Cols: 8, Rows: 4}, Data: []byte(stream), Control: true})
		return m
	}
	const text = "abcdefgh\r\n12345678\r\nABCDEFGH\r\n界界界界"
	want(t, large(text+"\x1b[1;1H"), "abcd|1234")
	want(t, large(text+"\x1b[3;7H"), "4567|DEFG")
	want(t, large(text+"\x1b[4;4H"), "ABCD|界界")
	want(t, large(text+"\x1b[4;5H"), "BCDE| 界") // the edge cuts a wide character
	want(t, large(text+"\x1b[3;7H\x1b[?25l"), "abcd|1234")

	m := large(text + "\x1b[3;7H")
	if c := m.Cursor(); c == nil || c.X != 3 || c.Y != 1 {
		t.Errorf("cursor %+v", c)
	}
	m.Update(tea.MouseClickMsg{X: 1, Y: 0, Button: tea.MouseLeft})
	m.Update(tea.MouseMotionMsg{X: 2, Y: 0, Button: tea.MouseLeft})
	want(t, m, "4567|DEFG")
	if msg, ok := m.Update(tea.MouseReleaseMsg{X: 2, Y: 0, Button: tea.MouseLeft})().(selection.CopyMsg); !ok || msg.Text != "56" {
		t.Errorf("copied %q", msg.Text)
	}
}

// A character whose width a terminal may count differently must not shift the following text.
// Copying returns what the job wrote.
func TestCharactersOfAmbiguousWidth(t *testing.T) {
	for _, text := range []string{"⚠\ufe0f", "1\ufe0f\u20e3", "👩\u200d💻", "👍🏽", "🇩🇪", "e\u0301"} {
		m := start(t, 8, 1, text+"|")
		line := m.View()
		if c, w := ansi.StringWidth(line), ansi.StringWidthWc(line); c != 8 || w != 8 {
			t.Errorf("%q: %d columns by cluster, %d by code point: %q", text, c, w, line)
		}
		m.SetByCluster(true)
		if line := m.View(); !strings.Contains(line, text+"|") || ansi.StringWidth(line) != 8 {
			t.Errorf("%q on a terminal that counts by cluster: %q", text, line)
		}
		m.Update(tea.MouseClickMsg{X: 0, Y: 0, Button: tea.MouseLeft})
		cmd := m.Update(tea.MouseReleaseMsg{X: 2, Y: 0, Button: tea.MouseLeft})
		if cmd == nil {
			t.Fatalf("%q: nothing was copied", text)
		}
		if got, ok := cmd().(selection.CopyMsg); !ok || !strings.HasPrefix(got.Text, text) {
			t.Errorf("copied %q, want %q first", got.Text, text)
		}
	}
}
