// Package dialog asks one question with a few answers, the safe one first, or
// shows a short menu.
//
// A dialog never does the deed: the answer that was taken is read by who asked.
package dialog
