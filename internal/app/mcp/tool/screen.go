package tool

import (
	"context"
	"fmt"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/mcp/plain"
	"github.com/hobjobs/hob/internal/cells"
)

// screen describes a terminal's screen, except for its text.
type screen struct {
	Cols      int    `json:"cols"`
	Rows      int    `json:"rows"`
	CursorX   int    `json:"cursorX"`
	CursorY   int    `json:"cursorY"`
	Title     string `json:"title,omitempty"`
	Alternate bool   `json:"alternate"`
}

// screen returns a terminal's screen as text.
func (t *Tools) screen(ctx context.Context, j engine.Job, _ ProcessArgs) (*Answer, error) {
	if !j.HasTerminal() {
		return nil, &Failure{
			code:    "unsupported",
			id:      j.ID,
			Message: fmt.Sprintf("%s has no screen: it was started without a terminal", j.ID),
			Hint:    Call("log", j.ID) + ` shows its output; bash with "pty":true gives a command a terminal`,
		}
	}
	s, err := t.Eng.Handle(j.ID).Screen(ctx)
	if err != nil {
		return nil, Failed(j, "show the screen of", err)
	}
	ans := About(j, time.Now())
	ans.Body.head = cells.Visible(s.Text)
	ans.Screen = &screen{
		Cols:      s.Size.Cols,
		Rows:      s.Size.Rows,
		CursorX:   s.CursorX,
		CursorY:   s.CursorY,
		Title:     plain.OneLine(s.Title, 200),
		Alternate: s.Alternate,
	}
	ans.Next = Call("send-keys", j.ID, "keys", []string{"Enter"})
	if j.Status.Finished() {
		ans.Next = ""
	}
	return ans, nil
}
