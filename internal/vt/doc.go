// Package vt is a terminal emulator without a user interface: bytes of an
// application go in, a screen of cells comes out.
//
//	t := vt.New(80, 24, vt.WithScrollback(4<<20), vt.WithReply(toPTY))
//	t.Write(output)                     // never fails, any cutting is the same
//	for y := range 24 {
//		for _, c := range t.Row(y) {    // valid until the next Write or Resize
//			draw(t.CellText(c), c.Width(), t.Style(c), t.Link(c))
//		}
//	}
//
// # Overview
//
// Feeding: [New], [Terminal.Write], [Terminal.Resize] (which reflows the main
// screen), [Terminal.SetFacts] (what queries are answered with). What the
// application wants beside drawing, a [Handler] is told.
//
// Reading: [Terminal.Size], [Terminal.Cursor], [Terminal.Title],
// [Terminal.Modes], [Terminal.Row], [Terminal.Wrapped],
// [Terminal.LineSize], [Terminal.ScrollbackLen], [Terminal.ScrollbackRow],
// [Terminal.ScrollbackRows], [Terminal.CellText], [Terminal.Style],
// [Terminal.Link], [Terminal.Palette]. What changed:
// [Terminal.Generation], [Terminal.RowGeneration]. As text: [Terminal.Text],
// [Terminal.ANSI], [Terminal.RowANSI], [Terminal.AppendANSI],
// [Style.AppendSGR], and [Terminal.MainText], [Terminal.MainANSI] for the main
// screen with its scrollback whatever is shown now.
//
// Handing over: [Terminal.Snapshot] is a byte string that brings a fresh
// Terminal, or a person's own terminal, into the same state; [ModeReset]
// brings a person's terminal back to a sane one.
//
// Typing: [Terminal.EncodeKey], [Terminal.EncodeMouse],
// [Terminal.EncodePaste], [Terminal.EncodeFocus] give the bytes that the
// application expects in its present modes; [ParseKey] and [ParseKeys] read
// tmux's names.
//
// Streams: [Filter] takes out of a stream what would make a terminal answer;
// [Strip] and [Stripper] take out every escape sequence; [Width] and [RuneWidth] are
// the one width that counts in this program.
//
// # Rules
//
// A Terminal is not safe for concurrent use: its owner serialises. It starts no
// goroutine and reads no clock. Handlers and the reply function are called
// inside Write, Resize and SetFacts and must not call back into the Terminal.
// Only one party should answer the queries of an application; every other
// Terminal has no reply function. Memory is bounded by the size and the limit of
// the scrollback, whatever the stream says.
//
// # What is right
//
// The model is xterm as a VT420, with what newer terminals added. Where xterm
// and tmux differ, testdata/differences.txt says so: it lists every screen of the
// corpus (recorded programs, made again by testdata/record) that is not the one
// that tmux shows, and why. Text is counted by code point unless the application
// sets mode 2027, then by grapheme cluster; a character that U+FE0F makes an emoji is
// wide either way. The text of a cell is as wide as the cell.
package vt
