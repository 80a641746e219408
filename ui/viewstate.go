package ui

// view is what the user has arranged: the size of the pane, which part has the focus, and where each
// part is. Sizes come from the host, keys and clicks move the focus, and [Pane.arrange] computes the rest. What
// draws or decides whether an action is possible reads it.
type view struct {
	w, h    int
	x, y    int  // position in the host's window
	focused bool // the pane receives keys
	focus   area
	given   area // the part that has the room: the focused one, but nothing moves under a pressed mouse button
	zoomed  bool
	lay     layout
	laid    int // number of lines of the detail in the current layout
}

func (v *view) empty() bool { return v.w == 0 || v.h == 0 }

// quits reports whether the quit key quits; otherwise it goes back.
func (v *view) quits() bool { return !v.zoomed && v.focus == areaList }
