package program

import (
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui"
)

// Tests of the whole program are in package ui_test, which has the fake engine.

// windowOf returns the model of a program without jobs that does not run.
func windowOf(t *testing.T, o Options) *window {
	t.Helper()
	eng, err := engine.New(engine.WithStateDir(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	w := newWindow(t.Context(), New(eng, o))
	t.Cleanup(func() {
		_ = w.pane.Close()
		_ = eng.Close()
	})
	return w
}

func TestTitleCountsJobs(t *testing.T) {
	on := Means{Title: true}
	all := Notify{Waiting: on, Failed: on, Finished: on}
	count := func(running, waiting, failed, unseen int) (c ui.Counts) {
		c.Running, c.Waiting, c.Failed, c.UnseenDone = running, waiting, failed, unseen
		return c
	}
	for name, tt := range map[string]struct {
		notify Notify
		counts ui.Counts
		want   string
	}{
		"nothing":                 {all, count(0, 0, 0, 0), "hob"},
		"all":                     {all, count(3, 1, 2, 4), "hob: 1 needs input, 2 running, 2 failed, 4 done"},
		"only failures":           {Notify{Failed: on}, count(1, 0, 2, 4), "hob: 1 running, 2 failed"},
		"titles are switched off": {Notify{}, count(3, 1, 2, 4), "hob"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.notify.title(tt.counts); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestAppRingsForUnseenJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Options{Notify: Notify{Failed: Means{Bell: true, Desktop: true}}, Environ: []string{"TERM=xterm"}}
		w := &window{App: &App{o: o}}
		failed := func(id engine.ID, text string) ui.AttentionMsg {
			return ui.AttentionMsg{Job: engine.Job{Request: engine.Request{ID: id}}, Why: ui.WhyFailed, Text: text}
		}
		raw, ok := w.notify(failed("dev-aaaaa", "npm run dev failed (exit 1)"))().(tea.BatchMsg)[0]().(tea.RawMsg)
		if want := "\a\x1b]9;hob: npm run dev failed (exit 1)\a"; !ok || raw.Msg != want {
			t.Errorf("sent %q, want %q", raw.Msg, want)
		}
		if cmd := w.notify(failed("dev-aaaaa", "npm run dev failed (exit 1)")); cmd != nil {
			t.Error("it rang twice within a second")
		}
		if raw, ok := w.notify(failed("test-aaaaa", "make test failed"))().(tea.RawMsg); !ok || raw.Msg != "\x1b]9;hob: make test failed\a" {
			t.Errorf("it also notified of another job that failed at the same time: %q", raw.Msg)
		}
		w.rang = nil
		if cmd := w.notify(ui.AttentionMsg{Why: ui.WhyFinished}); cmd != nil {
			t.Error("it rang for what is switched off")
		}
	})
}

// The terminal reports its number of colors and its background; until then, the environment is
// used.
func TestThemeFollowsTerminal(t *testing.T) {
	for name, tt := range map[string]struct {
		environ []string
		msgs    []tea.Msg
		dark    bool
		own     bool // the theme's own colors, not the terminal's
	}{
		"nothing is known":      {nil, nil, true, true},
		"light by environment":  {[]string{"COLORFGBG=0;15"}, nil, false, true},
		"dark by environment":   {[]string{"COLORFGBG=15;default;0"}, nil, true, true},
		"the terminal is right": {[]string{"COLORFGBG=0;15"}, []tea.Msg{tea.BackgroundColorMsg{Color: lipgloss.Color("#101010")}}, true, true},
		"sixteen colours":       {nil, []tea.Msg{tea.ColorProfileMsg{Profile: colorprofile.ANSI}}, true, false},
		"sixteen on light": {
			nil, []tea.Msg{tea.ColorProfileMsg{Profile: colorprofile.ANSI}, tea.BackgroundColorMsg{Color: lipgloss.Color("#ffffff")}}, false, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			theme := func(isDark bool) themes.Theme {
				named, err := themes.Named("catppuccin", isDark)
				if err != nil {
					t.Error(err)
				}
				return named
			}
			if tt.environ == nil {
				tt.environ = []string{"TERM=xterm"}
			}
			w := windowOf(t, Options{Theme: theme, Environ: tt.environ})
			for _, msg := range tt.msgs {
				w.update(msg)
			}
			if got := w.theme; got.Dark != tt.dark || (got.Background() != nil) != tt.own {
				t.Errorf("it is for dark: %v, and paints %v", got.Dark, got.Background())
			}
		})
	}
}

func TestDesktop(t *testing.T) {
	tests := map[string]struct {
		environ []string
		text    string
		want    string
		kitty   bool // the terminal understands OSC 99
		urgency engine.Urgency
	}{
		"most":              {environ: []string{"TERM=xterm-256color"}, text: "done", want: "\x1b]9;hob: done\a"},
		"foot":              {environ: []string{"TERM=foot"}, text: "done", want: "\x1b]777;notify;hob;done\a"},
		"tmux":              {environ: []string{"TERM=tmux-256color", "TMUX=/tmp/x"}, text: "done", want: "\x1bPtmux;\x1b\x1b]9;hob: done\a\x1b\\"},
		"hostile text":      {environ: nil, text: "a\x1b]52;c;aGk=\ab;c", want: "\x1b]9;hob: ab,c\a"},
		"OSC 99":            {environ: []string{"TERM=foot"}, text: "a; b\x1b\\", want: "\x1b]99;i=id-1:d=0;hob\x1b\\\x1b]99;i=id-1:p=body;a; b\x1b\\", kitty: true},
		"urgent":            {text: "disk full", want: "\x1b]99;i=id-1:u=2:d=0;hob\x1b\\\x1b]99;i=id-1:u=2:p=body;disk full\x1b\\", kitty: true, urgency: engine.UrgencyCritical},
		"not urgent":        {text: "a song", want: "\x1b]99;i=id-1:u=0:d=0;hob\x1b\\\x1b]99;i=id-1:u=0:p=body;a song\x1b\\", kitty: true, urgency: engine.UrgencyLow},
		"urgent, elsewhere": {text: "disk full", want: "\x1b]9;hob: disk full\a", urgency: engine.UrgencyCritical},
		"second wins":       {environ: []string{"TERM=xterm", "TERM=foot"}, text: "x", want: "\x1b]777;notify;hob;x\a"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := windowOf(t, Options{Environ: tt.environ})
			if tt.kitty {
				w.update(uv.UnknownOscEvent("\x1b]99;i=hob:p=?;p=title,body\x1b\\"))
			}
			if got := w.desktop("id-1", "hob", tt.text, tt.urgency); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestFloodGate(t *testing.T) {
	now := time.Unix(0, 0)
	g := &floodGate{now: func() time.Time { return now }}
	count := func(msg tea.Msg) int {
		n := 0
		for range 100 {
			now = now.Add(time.Millisecond)
			if g.filter(nil, msg) != nil {
				n++
			}
		}
		return n
	}
	for name, tt := range map[string]struct {
		msg  tea.Msg
		most int
	}{
		"wheel":  {tea.MouseWheelMsg{}, 7},
		"motion": {tea.MouseMotionMsg{}, 7},
	} {
		if n := count(tt.msg); n == 0 || n > tt.most {
			t.Errorf("%s: %d of 100 in 100 ms got through", name, n)
		}
	}
	if n := count(tea.KeyPressMsg{Code: 'x'}); n != 100 {
		t.Errorf("%d of 100 keys got through", n)
	}
}

func TestDrawnSize(t *testing.T) {
	for name, tt := range map[string]struct{ window, want tea.WindowSizeMsg }{
		"usual":      {tea.WindowSizeMsg{Width: 240, Height: 67}, tea.WindowSizeMsg{Width: 240, Height: 67}},
		"4K":         {tea.WindowSizeMsg{Width: 640, Height: 180}, tea.WindowSizeMsg{Width: 640, Height: 180}},
		"4K turned":  {tea.WindowSizeMsg{Width: 320, Height: 400}, tea.WindowSizeMsg{Width: 320, Height: 400}},
		"unknown":    {tea.WindowSizeMsg{}, tea.WindowSizeMsg{}},
		"many lines": {tea.WindowSizeMsg{Width: 80, Height: 65535}, tea.WindowSizeMsg{Width: 80, Height: 400}},
		"wide":       {tea.WindowSizeMsg{Width: 65535, Height: 24}, tea.WindowSizeMsg{Width: 640, Height: 24}},
		"both":       {tea.WindowSizeMsg{Width: 65535, Height: 65535}, tea.WindowSizeMsg{Width: 640, Height: 204}},
	} {
		if got := (&floodGate{now: time.Now}).filter(nil, tt.window); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}
