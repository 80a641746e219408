package vt

import (
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf8"
)

func (t *Terminal) notify(title, body string) {
	if t.handler.Notify != nil {
		t.handler.Notify(PlainLine(title, maxTitle), PlainLine(body, maxTitle))
	}
}

// oscNotify is OSC 9: a notification, or with 9;4 a progress report.
func (t *Terminal) oscNotify(s string) {
	command, rest, hasArgs := strings.Cut(s, ";")
	n, err := strconv.Atoi(command)
	switch {
	case !hasArgs:
		t.notify("", s)
	case command == "4":
		t.progress(strings.Split(rest, ";"))
	case err == nil && within(n, 1, 12): // other commands of the same number
	default:
		t.notify("", s)
	}
}

// progress reports the state and the percentage in the arguments of OSC 9;4.
func (t *Terminal) progress(args []string) {
	state, err := strconv.Atoi(args[0])
	known := err == nil && within(state, 0, int(ProgressPaused))
	if !known || t.handler.Progress == nil {
		return
	}
	percent := 0
	if len(args) > 1 {
		percent, _ = strconv.Atoi(args[1])
	}
	t.handler.Progress(Progress(state), clamp(percent, 0, 100))
}

// notification has the parts of a notification that is not complete.
type notification struct{ id, title, body string }

// add takes in a part, which is OSC 99, a notification of kitty: "metadata;payload" with pairs such as "i=1:d=0:p=title".
// It returns the notification if that is complete, or the reply to a query. Icons, buttons, sounds and actions are
// ignored.
func (n *notification) add(s string) (title, body string, reply []byte) {
	metadata, payload, _ := strings.Cut(s, ";")
	m, ok := notificationOf(metadata)
	switch {
	case !ok:
		return "", "", nil
	case m.part == "?":
		return "", "", []byte("\x1b]99;i=" + m.id + ":p=?;p=title,body\x1b\\")
	case n.id != m.id:
		*n = notification{id: m.id}
	}
	if m.encoded {
		raw, _ := base64.RawStdEncoding.DecodeString(strings.TrimRight(payload, "=")) // what precedes an error is enough
		payload = string(raw)
	}
	switch m.part {
	case "title":
		n.title = appendUpTo(n.title, payload, maxTitle)
	case "body":
		n.body = appendUpTo(n.body, payload, maxTitle)
	case "close":
		*n = notification{}
		return "", "", nil
	}
	if !m.last {
		return "", "", nil
	}
	if title, body = n.title, n.body; body == "" {
		title, body = "", title
	}
	*n = notification{}
	return title, body, nil
}

// appendUpTo appends text to s, which gets at most limit bytes and those of one character.
func appendUpTo(s, text string, limit int) string {
	return s + text[:min(len(text), max(0, limit+utf8.UTFMax-len(s)))]
}

// metadata describes a part of a notification.
type metadata struct {
	id      string
	part    string // "title", "body", "close", "?" for the query, or another one
	encoded bool   // the payload is in base64
	last    bool   // no other part follows
	replies bool   // the terminal would report to the program what becomes of the notification
}

// notificationOf parses the metadata of OSC 99; ok is false if its ID is malformed.
func notificationOf(s string) (m metadata, ok bool) {
	m = metadata{part: "title", last: true}
	for pair := range strings.SplitSeq(s, ":") {
		key, value, _ := strings.Cut(pair, "=")
		switch key {
		case "i":
			m.id = value
		case "p":
			m.part = value
		case "e":
			m.encoded = value == "1"
		case "d":
			m.last = value != "0"
		case "a":
			m.replies = m.replies || strings.Contains(value, "report")
		case "c":
			m.replies = m.replies || value == "1"
		}
	}
	return m, len(m.id) <= maxNotificationID && strings.Trim(m.id, notificationID) == ""
}

const maxNotificationID = 128

// notificationID are the characters of an ID.
const notificationID = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+."

// passesNotification reports whether a part of a notification may reach the user's terminal: one that makes it answer
// may not.
func passesNotification(s string) bool {
	meta, _, _ := strings.Cut(s, ";")
	m, ok := notificationOf(meta)
	if !ok || m.replies {
		return false
	}
	return m.part == "title" || m.part == "body" || m.part == "close"
}
