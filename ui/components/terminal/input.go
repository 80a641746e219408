package terminal

import (
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/internal/vt"
)

// wheelRows is how far one notch of the wheel scrolls back.
const wheelRows = 3

// Update takes keys, pastes and the mouse while the job has the keyboard. Every
// key is the job's; the owner keeps its leave key to itself. Places of mouse
// messages are relative to the view.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	if !m.focus {
		return nil
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if cmd, taken := m.readKey(tea.Key(msg)); taken {
			return cmd
		}
		m.press(tea.Key(msg), vt.KeyPress)
	case tea.KeyReleaseMsg:
		m.press(tea.Key(msg), vt.KeyRelease)
	case tea.PasteMsg:
		m.jobInput(m.vt.EncodePaste([]byte(msg.Content)))
	case tea.MouseWheelMsg:
		m.wheel(tea.Mouse(msg))
	case tea.MouseClickMsg:
		m.click(tea.Mouse(msg))
	case tea.MouseMotionMsg:
		m.move(tea.Mouse(msg))
	case tea.MouseReleaseMsg:
		return m.release(tea.Mouse(msg))
	}
	return nil
}

// jobInput is input that a person made: it brings the live screen back.
func (m *Model) jobInput(p []byte) {
	if len(p) == 0 || m.ended {
		return
	}
	m.back, m.sel, m.reading = 0, selection{}, reading{}
	m.queueInput(p)
}

func (m *Model) press(k tea.Key, action vt.KeyAction) {
	if action == vt.KeyPress && k.IsRepeat {
		action = vt.KeyRepeat
	}
	m.jobInput(m.vt.EncodeKey(m.translateKey(k, action)))
}

// SetTellsEscape says whether the person's terminal reports Escape and Alt apart.
// Else Escape and a key soon after it look like Alt and that key, and go to the
// job as they came.
func (m *Model) SetTellsEscape(tells bool) { m.tellsEscape = tells }

// SetByCluster says whether the person's terminal counts columns by grapheme cluster
// (mode 2027). Else a cluster that it may count otherwise is drawn in a simpler form.
func (m *Model) SetByCluster(on bool) { m.byCluster, m.drawn.ok = on, false }

// Press types a key as if the person had pressed it, whatever they read.
func (m *Model) Press(k tea.Key) { m.press(k, vt.KeyPress) }

// ScrollBack moves the view back by rows into what has scrolled away, forward
// if negative. A full-screen program has nothing to scroll back to.
func (m *Model) ScrollBack(rows int) {
	if m.vt.Modes().Alternate {
		return
	}
	m.back = max(0, min(m.back+rows, m.vt.ScrollbackLen()))
}

// mouseIsJobs reports whether a mouse event goes to the job: it asked for the
// mouse, and Shift is not held, which is how people reach past a program.
func (m *Model) mouseIsJobs(ev tea.Mouse) bool {
	return !m.ended && m.back == 0 && !m.sel.pressed && m.WantsMouse() && ev.Mod&tea.ModShift == 0
}

func (m *Model) sendMouse(ev tea.Mouse, action vt.MouseAction) bool {
	if !m.mouseIsJobs(ev) {
		return false
	}
	m.queueInput(m.vt.EncodeMouse(vt.Mouse{
		X: ev.X + m.firstCol(), Y: ev.Y + m.firstRow(), Button: translateButton(ev.Button), Action: action, Mods: translateMods(ev.Mod),
	}))
	return true
}

func (m *Model) wheel(ev tea.Mouse) {
	if m.sendMouse(ev, vt.MouseDown) {
		return
	}
	if m.vt.Modes().Alternate && !m.ended {
		m.queueInput(m.vt.EncodeMouse(vt.Mouse{X: ev.X + m.firstCol(), Y: ev.Y + m.firstRow(), Button: translateButton(ev.Button)}))
		return
	}
	switch ev.Button {
	case tea.MouseWheelUp:
		m.ScrollBack(wheelRows)
	case tea.MouseWheelDown:
		m.ScrollBack(-wheelRows)
	}
}

func (m *Model) pointAt(ev tea.Mouse) point {
	return point{m.absLine(max(0, min(ev.Y, m.h-1))), m.firstCol() + max(0, min(ev.X, m.w-1))}
}

func (m *Model) click(ev tea.Mouse) {
	if m.sendMouse(ev, vt.MouseDown) || ev.Button != tea.MouseLeft {
		return
	}
	p := m.pointAt(ev)
	switch m.clicked.Press(p, m.clock()) {
	case 1:
		m.sel = selection{from: p, to: p, pressed: true}
	case 2:
		m.selectWord(p)
	case 3:
		m.selectLine(p)
	}
}

func (m *Model) move(ev tea.Mouse) {
	if m.sendMouse(ev, vt.MouseMove) || !m.sel.pressed {
		return
	}
	m.sel.to, m.sel.on = m.pointAt(ev), true
	if ev.Y < 0 {
		m.ScrollBack(1)
	} else if ev.Y >= m.h {
		m.ScrollBack(-1)
	}
}

func (m *Model) release(ev tea.Mouse) tea.Cmd {
	if m.sendMouse(ev, vt.MouseUp) {
		return nil
	}
	// The pointer may have moved since the last motion that was reported.
	if m.sel.pressed && (m.sel.on || m.pointAt(ev) != m.sel.from) {
		m.sel.to, m.sel.on = m.pointAt(ev), true
	}
	m.sel.pressed = false
	if !m.sel.on {
		return nil
	}
	m.sel.done = true
	text := m.selectedText()
	if text == "" {
		return nil
	}
	return func() tea.Msg { return CopyMsg{Text: text} }
}
