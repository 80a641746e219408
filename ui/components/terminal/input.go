package terminal

import (
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/internal/vt"
	"github.com/hobjobs/hob/ui/components/selection"
)

// Update handles keys, pastes and the mouse while the terminal has the focus. All keys go to the
// job; the owner handles its own detach key before. Mouse positions are relative to the view.
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

// jobInput queues input from the user and returns to the live screen.
func (m *Model) jobInput(p []byte) {
	if len(p) == 0 || m.ended {
		return
	}
	m.viewpoint = viewpoint{}
	m.queueInput(p)
}

func (m *Model) press(k tea.Key, action vt.KeyAction) {
	if action == vt.KeyPress && k.IsRepeat {
		action = vt.KeyRepeat
	}
	m.jobInput(m.vt.EncodeKey(m.translateKey(k, action)))
}

// SetDistinctEscape sets whether the user's terminal distinguishes Escape from Alt. If it does not,
// Escape followed quickly by a key looks like Alt and that key, and both are sent to the job as
// received.
func (m *Model) SetDistinctEscape(on bool) { m.distinctEscape = on }

// SetByCluster sets whether the user's terminal counts columns by grapheme cluster (mode 2027).
// If it does not, a cluster that it may count differently is drawn in a simpler form.
func (m *Model) SetByCluster(on bool) { m.byCluster = on }

// Press types a key into the job, even while the user is scrolled back.
func (m *Model) Press(k tea.Key) { m.press(k, vt.KeyPress) }

// scrollBack scrolls the view back by rows, or forward if negative. A full-screen program has no
// scrollback.
func (m *Model) scrollBack(rows int) {
	if m.vt.Modes().Alternate {
		return
	}
	m.back = max(0, min(m.back+rows, m.vt.ScrollbackLen()))
}

// mouseIsJobs reports whether a mouse event goes to the job: the job has enabled mouse events,
// and Shift is not held. Shift selects text in the view instead.
func (m *Model) mouseIsJobs(ev tea.Mouse) bool {
	switch {
	case m.ended, m.back > 0, m.sel.Pressed, ev.Mod.Contains(tea.ModShift):
		return false
	}
	return m.vt.Modes().Mouse != vt.MouseOff
}

func (m *Model) sendMouse(ev tea.Mouse, action vt.MouseAction) bool {
	if !m.mouseIsJobs(ev) {
		return false
	}
	m.queueInput(m.vt.EncodeMouse(vt.Mouse{
		X:      ev.X + m.firstCol(),
		Y:      ev.Y + m.firstRow(),
		Button: translateButton(ev.Button),
		Action: action,
		Mods:   translateMods(ev.Mod),
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
		m.scrollBack(selection.WheelRows)
	case tea.MouseWheelDown:
		m.scrollBack(-selection.WheelRows)
	}
}

func (m *Model) pointAt(ev tea.Mouse) point {
	return point{Line: m.absLine(clamp(ev.Y, m.h)), X: m.firstCol() + clamp(ev.X, m.w)}
}

func (m *Model) click(ev tea.Mouse) {
	if m.sendMouse(ev, vt.MouseDown) || ev.Button != tea.MouseLeft {
		return
	}
	p := m.pointAt(ev)
	switch m.clicked.Press(p, m.clock()) {
	case 1:
		m.sel = selected{Range: selection.Range[int]{From: p, To: p, Pressed: true}}
	case 2:
		m.selectWord(p)
	case 3:
		m.selectLine(p)
	}
}

func (m *Model) move(ev tea.Mouse) {
	if m.sendMouse(ev, vt.MouseMove) || !m.sel.Pressed {
		return
	}
	m.sel.Extend(m.pointAt(ev))
	if ev.Y < 0 {
		m.scrollBack(1)
	} else if ev.Y >= m.h {
		m.scrollBack(-1)
	}
}

func (m *Model) release(ev tea.Mouse) tea.Cmd {
	if m.sendMouse(ev, vt.MouseUp) {
		return nil
	}
	// The pointer may have moved since the last reported motion.
	at := m.pointAt(ev)
	if moved := m.sel.On || at != m.sel.From; moved && m.sel.Pressed {
		m.sel.Extend(at)
	}
	m.sel.Pressed = false
	if !m.sel.On {
		return nil
	}
	m.sel.done = true
	text := m.selectedText()
	if text == "" {
		return nil
	}
	return func() tea.Msg { return selection.CopyMsg{Text: text} }
}

// translateKey converts a key of the user's terminal to one of the emulator.
func (m *Model) translateKey(k tea.Key, action vt.KeyAction) vt.Key {
	out := vt.Key{
		Code:    k.Code,
		Shifted: k.ShiftedCode,
		Base:    k.BaseCode,
		Text:    k.Text,
		Mods:    translateMods(k.Mod),
		Action:  action,
	}
	out.Ambiguous = out.Mods&vt.Alt != 0 && !m.distinctEscape
	if k.Code == tea.KeyExtended { // several characters at once, for example from an input method
		out.Code = 0
		return out
	}
	if code, ok := namedKey(k.Code); ok {
		out.Code = code
	}
	return out
}

func translateMods(mod tea.KeyMod) vt.Mods {
	var out vt.Mods
	for _, p := range [...]struct {
		from tea.KeyMod
		to   vt.Mods
	}{
		{tea.ModShift, vt.Shift},
		{tea.ModAlt, vt.Alt},
		{tea.ModCtrl, vt.Ctrl},
		{tea.ModSuper, vt.Super},
		{tea.ModHyper, vt.Hyper},
		{tea.ModMeta, vt.Meta},
		{tea.ModCapsLock, vt.CapsLock},
		{tea.ModNumLock, vt.NumLock},
	} {
		if mod&p.from != 0 {
			out |= p.to
		}
	}
	return out
}

// namedKey returns the emulator's code of a key that types no character.
func namedKey(code rune) (rune, bool) {
	for _, r := range [...]struct{ first, last, to rune }{
		{tea.KeyF1, tea.KeyF20, vt.KeyF1},
		{tea.KeyKp0, tea.KeyKp9, vt.KeyKP0},
		{tea.KeyCapsLock, tea.KeyMenu, vt.KeyCapsLock},
		{tea.KeyLeftSuper, tea.KeyLeftMeta, vt.KeyLeftSuper},
		{tea.KeyRightSuper, tea.KeyRightMeta, vt.KeyRightSuper},
	} {
		if code >= r.first && code <= r.last {
			return r.to + code - r.first, true
		}
	}
	switch code {
	case tea.KeyUp, tea.KeyKpUp:
		return vt.KeyUp, true
	case tea.KeyDown, tea.KeyKpDown:
		return vt.KeyDown, true
	case tea.KeyRight, tea.KeyKpRight:
		return vt.KeyRight, true
	case tea.KeyLeft, tea.KeyKpLeft:
		return vt.KeyLeft, true
	case tea.KeyHome, tea.KeyFind, tea.KeyKpHome:
		return vt.KeyHome, true
	case tea.KeyEnd, tea.KeySelect, tea.KeyKpEnd:
		return vt.KeyEnd, true
	case tea.KeyInsert, tea.KeyKpInsert:
		return vt.KeyInsert, true
	case tea.KeyDelete, tea.KeyKpDelete:
		return vt.KeyDelete, true
	case tea.KeyPgUp, tea.KeyKpPgUp:
		return vt.KeyPageUp, true
	case tea.KeyPgDown, tea.KeyKpPgDown:
		return vt.KeyPageDown, true
	case tea.KeyBegin, tea.KeyKpBegin:
		return vt.KeyBegin, true
	case tea.KeyKpEnter:
		return vt.KeyKPEnter, true
	case tea.KeyKpEqual:
		return vt.KeyKPEqual, true
	case tea.KeyKpMultiply:
		return vt.KeyKPMultiply, true
	case tea.KeyKpPlus:
		return vt.KeyKPAdd, true
	case tea.KeyKpComma, tea.KeyKpSep:
		return vt.KeyKPSeparator, true
	case tea.KeyKpMinus:
		return vt.KeyKPSubtract, true
	case tea.KeyKpDecimal:
		return vt.KeyKPDecimal, true
	case tea.KeyKpDivide:
		return vt.KeyKPDivide, true
	case tea.KeyLeftShift:
		return vt.KeyLeftShift, true
	case tea.KeyLeftAlt:
		return vt.KeyLeftAlt, true
	case tea.KeyLeftCtrl:
		return vt.KeyLeftCtrl, true
	case tea.KeyRightShift:
		return vt.KeyRightShift, true
	case tea.KeyRightAlt:
		return vt.KeyRightAlt, true
	case tea.KeyRightCtrl:
		return vt.KeyRightCtrl, true
	}
	return 0, false
}

// translateButton converts a button. Both sides use the same numbers.
func translateButton(b tea.MouseButton) vt.MouseButton {
	if b > tea.MouseForward {
		return vt.MouseNone
	}
	return vt.MouseButton(b)
}
