package themes

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Styles has the glyphs, and a style for each token of a [Palette] that is drawn. The styles have no
// padding, margin or width, because components do their own layout.
type Styles struct {
	Glyphs Glyphs

	Text, Muted, Faint, Accent, Key, Link                             lipgloss.Style
	Running, Waiting, Starting, Stopping, Failed, Done, Lost, Warning lipgloss.Style
	Selection, SelectionBlurred, Match, MatchCurrent                  lipgloss.Style
	Border, BorderFocused, Title, TitleFocused                        lipgloss.Style

	Strong       lipgloss.Style // text in bold
	AccentStrong lipgloss.Style // accent in bold
	PaneFocused  lipgloss.Style // the title of the pane that has the focus
	Cut          lipgloss.Style // where a line continues to the side

	// Names are styles for the names of jobs whose lines are shown together. Each name gets one of them.
	Names [8]lipgloss.Style
}

// Styles returns the styles of the theme with glyphs.
func (t Theme) Styles(g Glyphs) *Styles {
	p := t.Palette
	blurred, focused, cut := p.SelectionBlurred, p.TitleFocused, p.Faint
	if blurred.BG == nil {
		blurred.Underline = false // in the list, a bar marks the row
	}
	focused.Invert, focused.Underline = !focused.Invert, false
	if cut == (Token{}) { // it must differ from the text
		cut.Invert = true
	}
	return &Styles{
		Glyphs: g,
		Text:   p.Text.Style(), Muted: p.Muted.Style(), Faint: p.Faint.Style(),
		Accent: p.Accent.Style(), Key: p.Key.Style(), Link: p.Link.Style(),
		Running: p.Running.Style(), Waiting: p.Waiting.Style(), Starting: p.Starting.Style(), Stopping: p.Stopping.Style(),
		Failed: p.Failed.Style(), Done: p.Done.Style(), Lost: p.Lost.Style(), Warning: p.Warning.Style(),
		Selection: p.Selection.Style(), SelectionBlurred: blurred.Style(),
		Match: p.Match.Style(), MatchCurrent: p.MatchCurrent.Style(),
		Border: p.Border.Style(), BorderFocused: p.BorderFocused.Style(),
		Title: p.Title.Style(), TitleFocused: p.TitleFocused.Style(),
		Strong: p.Text.bold().Style(), AccentStrong: p.Accent.bold().Style(),
		PaneFocused: focused.Style(), Cut: cut.Style(),
		Names: p.names(),
	}
}

// names returns colors of the palette that do not mean a failure, then the same colors in bold.
func (p Palette) names() (all [8]lipgloss.Style) {
	hues := []Token{p.Accent, p.Running, p.Warning, p.Text}
	for i, hue := range hues {
		all[i], all[len(hues)+i] = hue.Style(), hue.bold().Style()
	}
	return all
}

// Glyphs are the symbols that hob draws, each one column wide.
type Glyphs struct {
	// Badges.
	Queued, Starting, Running, Waiting, Restarting, Stopping, Stopped, Done, Failed, Lost, Unreachable string

	Paused    string // the job is stopped by a signal, or a replay is paused
	Playing   string // a replay is playing
	Survivors string // the job ended and left processes behind
	Unread    string
	Marked    string
	Cursor    string // the bar before the selected row
	Ellipsis  string
	Dot       string // between facts on a line
	Times     string // between the columns and rows of a size
	Folded    string // a collapsed group of rows
	Unfolded  string
	SortUp    string // the column that the list is sorted by, smallest first
	SortDown  string
	More      string // more lines below
	MoreLeft  string // the line continues to the left
	MoreRight string
	Wrapped   string // before the second row of a wrapped line
	Hit       string // a match, on the edge of the log
	HitInView string // the same within the visible part

	Spark        []string // a sparkline, from the lowest to the highest
	ProgressDone string
	ProgressLeft string
	ScrollThumb  string
	ScrollTrack  string

	Border lipgloss.Border
	// The ends of a line across the border, between two parts of one frame.
	JoinLeft, JoinRight string
}

// Unicode returns the default glyphs.
func Unicode() Glyphs {
	return Glyphs{
		Queued: "◷", Starting: "○", Running: "●", Waiting: "◆", Restarting: "↻", Stopping: "◐", Stopped: "■",
		Done: "✓", Failed: "✗", Lost: "?", Unreachable: "⚠",

		Paused: "‖", Playing: "▶", Survivors: "↯", Unread: "•", Marked: "▪", Cursor: "▌", Ellipsis: "…", Dot: "·",
		Times: "×", Folded: "▸", Unfolded: "▾", SortUp: "▴", SortDown: "▾",
		More: "↓", MoreLeft: "‹", MoreRight: "›", Wrapped: "↪", Hit: "▐", HitInView: "█",

		Spark:        []string{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
		ProgressDone: "█", ProgressLeft: "░", ScrollThumb: "┃", ScrollTrack: " ",

		Border:   lipgloss.RoundedBorder(),
		JoinLeft: "├", JoinRight: "┤",
	}
}

// Summary returns the summary of a job with the signs that join its parts replaced by these glyphs. Text that the
// job printed is not changed.
func (g *Glyphs) Summary(text string) string {
	unicode := Unicode()
	if g.Dot == unicode.Dot && g.Times == unicode.Times {
		return text
	}
	return strings.NewReplacer(" "+unicode.Dot+" ", " "+g.Dot+" ", unicode.Times+":", g.Times+":").Replace(text)
}

// ASCII returns the glyphs for --ascii: only ASCII characters.
func ASCII() Glyphs {
	return Glyphs{
		Queued: ":", Starting: ".", Running: "*", Waiting: "!", Restarting: "@", Stopping: "~", Stopped: "-",
		Done: "+", Failed: "x", Lost: "?", Unreachable: "%",

		Paused: "=", Playing: ">", Survivors: "&", Unread: "<", Marked: "#", Cursor: ">", Ellipsis: "~", Dot: "-",
		Times: "x", Folded: ">", Unfolded: "v", SortUp: "^", SortDown: "v",
		More: "v", MoreLeft: "<", MoreRight: ">", Wrapped: "\\", Hit: "*", HitInView: "@",

		Spark:        []string{" ", "_", ".", "-", "=", "+", "*", "%", "#"},
		ProgressDone: "#", ProgressLeft: ".", ScrollThumb: "#", ScrollTrack: " ",

		Border: lipgloss.Border{
			Top: "-", Bottom: "-", Left: "|", Right: "|",
			TopLeft: "+", TopRight: "+", BottomLeft: "+", BottomRight: "+",
			MiddleLeft: "+", MiddleRight: "+", Middle: "+", MiddleTop: "+", MiddleBottom: "+",
		},
		JoinLeft: "+", JoinRight: "+",
	}
}
