package vt

import (
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Notification is a notification that a program requests of its terminal.
type Notification struct {
	Title   string
	Body    string
	Urgency Urgency
}

// Urgency is how urgent a notification is. Only OSC 99 says that.
type Urgency int

const (
	Normal Urgency = iota
	Low
	Critical
)

func (t *Terminal) notify(n Notification) {
	if t.handler.Notify != nil {
		n.Title, n.Body = PlainLine(n.Title, maxTitle), PlainLine(n.Body, maxTitle)
		t.handler.Notify(n)
	}
}

// oscNotify is OSC 9: a notification, or with 9;4 a progress report.
func (t *Terminal) oscNotify(s string) {
	command, rest, hasArgs := strings.Cut(s, ";")
	n, err := strconv.Atoi(command)
	switch {
	case !hasArgs:
		t.notify(Notification{Body: s})
	case command == "4":
		t.progress(strings.Split(rest, ";"))
	case err == nil && within(n, 1, 12): // other commands of the same number
	default:
		t.notify(Notification{Body: s})
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
type notification struct {
	id string
	Notification
}

// add takes in a part, which is OSC 99, a notification of kitty: "metadata;payload" with pairs such as "i=1:d=0:p=title".
// It returns the notification if that is complete, or the reply to a query. Icons, buttons, sounds and actions are
// ignored.
func (n *notification) add(s string) (complete Notification, reply []byte) {
	metadata, payload, _ := strings.Cut(s, ";")
	m, ok := notificationOf(metadata)
	switch {
	case !ok:
		return complete, nil
	case m.part == "?":
		return complete, []byte("\x1b]99;i=" + m.id + ":p=?;p=title,body:u=0,1,2\x1b\\")
	case n.id != m.id:
		*n = notification{id: m.id}
	}
	if m.encoded {
		raw, _ := base64.RawStdEncoding.DecodeString(strings.TrimRight(payload, "=")) // what precedes an error is enough
		payload = string(raw)
	}
	if m.urgency != Normal {
		n.Urgency = m.urgency
	}
	switch m.part {
	case "title":
		n.Title = appendUpTo(n.Title, payload, maxTitle)
	case "body":
		n.Body = appendUpTo(n.Body, payload, maxTitle)
	case "close":
		*n = notification{}
		return complete, nil
	}
	if !m.last {
		return complete, nil
	}
	if complete = n.Notification; complete.Body == "" {
		complete.Title, complete.Body = "", complete.Title
	}
	*n = notification{}
	return complete, nil
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
	urgency Urgency
	replies bool // the terminal would report to the program what becomes of the notification
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
		case "u":
			m.urgency = map[string]Urgency{"0": Low, "2": Critical}[value]
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
