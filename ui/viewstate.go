package ui

import "github.com/hobjobs/hob/ui/components/detail"

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
}

func (v *view) empty() bool { return v.w == 0 || v.h == 0 }

// quits reports whether the quit key quits; otherwise it goes back.
func (v *view) quits() bool { return !v.zoomed && v.focus == areaList }

// form returns how much of the detail is shown: all of it if the detail has the room, and only the reason if the log has
// it, because the border of the log has the state of the job.
func (v *view) form() detail.Form {
	switch v.given {
	case areaDetail:
		return detail.Full
	case areaLog:
		return detail.Reason
	case areaList, areaNone:
	}
	return detail.Brief
}
