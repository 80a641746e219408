package terminal

import (
	"time"

	"github.com/hobjobs/hob/internal/vt"
)

// holdLimit is how long a synchronised update may keep the screen before it: a
// job that never ends one must not freeze the view.
const holdLimit = 150 * time.Millisecond

// holding is what stays on screen during a synchronised update of the job.
type holding struct {
	since  time.Time // the update began, or was last shown half done; zero outside of one
	cursor vt.Cursor // of the frame drawn
}

// noteSynchronized keeps the time at which an update began.
func (m *Model) noteSynchronized() {
	switch on := m.vt.Modes().Synchronized; {
	case !on:
		m.held.since = time.Time{}
	case m.held.since.IsZero():
		m.held.since = m.clock()
	}
}

// holds reports whether the frame drawn is still the one to show: the job is
// changing the screen and the person did not.
func (m *Model) holds() bool {
	return m.drawn.ok && m.vt.Modes().Synchronized && m.back == m.drawn.back && m.sel == m.drawn.sel &&
		m.clock().Sub(m.held.since) < holdLimit
}
