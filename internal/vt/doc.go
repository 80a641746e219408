// Package vt is a terminal emulator without a user interface. It interprets the
// output of an application and maintains a screen of cells.
//
//	t := vt.New(80, 24, vt.WithScrollback(4<<20), vt.WithReply(toPTY))
//	t.Write(output)                     // never fails; output may be split anywhere
//	for y := range 24 {
//		for _, c := range t.Row(y) {    // valid until the next Write or Resize
//			draw(t.CellText(c), c.Width(), t.Style(c), t.Link(c))
//		}
//	}
//
// # Overview
//
// Input: [New], [Terminal.Write], [Terminal.Resize] (which reflows the main
// screen), [Terminal.SetFacts] (for replies to queries). A [Handler] is called for
// requests of the application other than drawing.
//
// State: [Terminal.Size], [Terminal.Cursor], [Terminal.Title],
// [Terminal.Modes], [Terminal.Row], [Terminal.Wrapped],
// [Terminal.LineSize], [Terminal.ScrollbackLen], [Terminal.ScrollbackRow],
// [Terminal.ScrollbackRows], [Terminal.CellText], [Terminal.Style],
// [Terminal.Link], [Terminal.Palette]. As text: [Terminal.Text],
// [Terminal.ANSI], [Terminal.AppendANSI],
// [Style.AppendSGR]. [Terminal.MainANSI] returns the main screen with its scrollback
// even while the alternate screen is shown.
//
// Replication: [Terminal.Snapshot] returns a byte string that brings a new
// Terminal, or the user's terminal, into the same state. [Filter.ModeReset]
// restores the user's terminal.
//
// Typing: [Terminal.EncodeKey], [Terminal.EncodeMouse], [Terminal.EncodePaste] and
// [Terminal.EncodeFocus] return the bytes that the application expects in its
// current modes. [ParseKey] and [ParseKeys] parse tmux's names of keys.
//
// Streams: [Filter] removes queries from a stream, so that a terminal does not
// reply. [Strip] and [Stripper] remove all escape sequences. [Width] and [RuneWidth]
// return the width of text in columns.
//
// # Rules
//
// A Terminal is not safe for concurrent use. It starts no goroutines and reads no
// clocks. Handlers and the reply function are called during Write, Resize and
// SetFacts, and must not call methods of the Terminal. Only one Terminal should
// reply to the queries of an application; all others have no reply function.
// Memory is bounded by the size and the limit of the scrollback for any input.
//
// # Conformance
//
// The model is xterm as a VT420, with extensions of newer terminals. The corpus
// has recorded programs, recorded by TestRecordCorpus, and the screens that tmux
// shows for them. testdata/differences.txt lists all screens that differ from tmux, with
// the reason. The width of text is computed by code point, or by grapheme cluster
// if the application sets mode 2027. An emoji with U+FE0F is always wide. The text
// of a cell is as wide as the cell.
package vt
