package themes

import "charm.land/lipgloss/v2"

// Glyphs are the signs that hob draws, each one column wide.
type Glyphs struct {
	// Badges.
	Starting, Running, Waiting, Stopping, Done, Failed, Lost, Unreachable string

	Paused    string // the foreground group is stopped
	Survivors string // the job ended and left processes behind
	Unread    string
	Marked    string
	Cursor    string // the bar before the selected row
	Ellipsis  string
	Dot       string // between facts on a line
	More      string // more lines below
	MoreLeft  string // the line goes on to the left
	MoreRight string
	Wrapped   string // before the second row of a wrapped line
	Hit       string // a match, on the edge of the log
	HitInView string // the same within the part that is shown

	Spark        []string // a trace, from none to most
	ProgressDone string
	ProgressLeft string
	ScrollThumb  string
	ScrollTrack  string

	Border lipgloss.Border
	// Where panes share an edge: the ends of a line across the border.
	JoinLeft, JoinRight string
}

// Unicode returns the glyphs for terminals with a common font.
func Unicode() Glyphs {
	return Glyphs{
		Starting: "○", Running: "●", Waiting: "◆", Stopping: "◐",
		Done: "✓", Failed: "✗", Lost: "?", Unreachable: "⚠",

		Paused: "‖", Survivors: "↯", Unread: "◆", Marked: "▪", Cursor: "▌", Ellipsis: "…", Dot: "·",
		More: "↓", MoreLeft: "‹", MoreRight: "›", Wrapped: "↪", Hit: "▐", HitInView: "█",

		Spark:        []string{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
		ProgressDone: "█", ProgressLeft: "░", ScrollThumb: "┃", ScrollTrack: " ",

		Border:   lipgloss.RoundedBorder(),
		JoinLeft: "├", JoinRight: "┤",
	}
}

// ASCII returns the glyphs for --ascii: nothing outside 7 bits.
func ASCII() Glyphs {
	return Glyphs{
		Starting: ".", Running: "*", Waiting: "!", Stopping: "~",
		Done: "+", Failed: "x", Lost: "?", Unreachable: "!",

		Paused: "=", Survivors: "&", Unread: "!", Marked: "#", Cursor: ">", Ellipsis: "~", Dot: "-",
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
