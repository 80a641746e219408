// Package programstatus parses and stores the reports of programs about their own status, which they send with OSC
// 7501, the Program Status Protocol (revision 0.4).
//
// A report is a list of pairs, "state=blocked:kind=permission:app=claude-code". [Parse] reads one. A [Store]
// holds the newest report on each task of the programs of one terminal. Neither returns an error: a malformed
// report changes nothing.
package programstatus

import (
	"encoding/base64"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hobjobs/hob/engine/record"
)

// The limits of the protocol, in bytes.
const (
	maxReport       = 4096 - len("7501;") // what is between "ESC ]" and the end of the sequence
	maxName         = 32                  // of an app, and of a segment of an ID
	maxID           = 128
	maxSegments     = 8
	maxTitle        = 192
	maxEncodedTitle = 256
	maxMessage      = 2048
	// maxEncodedMessage is what base64 makes of maxMessage.
	maxEncodedMessage = 2732
)

// What names and values consist of.
const (
	nameCharacters  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-"
	valueCharacters = nameCharacters + ",/="
)

// A Report is one report: a record, or if Clear is set, that the program withdraws its records.
type Report struct {
	record.ProgramReport
	// Clear withdraws the record ID and all below it, or without ID all records of the terminal.
	Clear bool
	// Group is the foreground process group of the terminal when the report was read; 0: not known. Parse does not
	// set it.
	Group int
}

// Parse reads a report, which is what follows "7501;" in the sequence. ok is false if the report must be ignored.
// Texts are cleaned. The time is not set.
func Parse(body string) (r Report, ok bool) {
	if len(body) > maxReport {
		return Report{}, false
	}
	f := fieldsOf(body)
	if r.ID, ok = idOf(f.id); !ok {
		return Report{}, false
	}
	if r.Title, ok = textOf(f.title, maxEncodedTitle, maxTitle); !ok {
		return Report{}, false
	}
	if r.Message, ok = textOf(f.message, maxEncodedMessage, maxMessage); !ok {
		return Report{}, false
	}
	r.State = record.ProgramState(f.state)
	switch r.State {
	case record.ProgramIdle, record.ProgramDone, record.ProgramError:
	case record.ProgramWorking:
		r.Percent = percentOf(f.progress)
	case record.ProgramBlocked:
		r.Percent = percentOf(f.progress)
		r.Kind = kindOf(f.kind)
	case "clear":
		return Report{ProgramReport: record.ProgramReport{ID: r.ID}, Clear: true}, true
	default:
		return Report{}, false
	}
	if isName(f.app) {
		r.App = f.app
	}
	return r, true
}

// fields are the values of a report by their keys.
type fields struct {
	state    string
	id       *string // nil: not given
	kind     string
	progress string
	app      string
	title    string
	message  string
}

// fieldsOf returns the fields of the well-formed pairs of a report. If a key is there twice, the last pair counts.
func fieldsOf(body string) (f fields) {
	for pair := range strings.SplitSeq(body, ":") {
		key, value, found := strings.Cut(pair, "=")
		key, value = strings.Trim(key, " \t"), strings.Trim(value, " \t")
		if !found || !consistsOf(value, valueCharacters) {
			continue
		}
		switch key {
		case "state":
			f.state = value
		case "id":
			f.id = &value
		case "kind":
			f.kind = value
		case "progress":
			f.progress = value
		case "app":
			f.app = value
		case "title":
			f.title = value
		case "msg":
			f.message = value
		}
	}
	return f
}

// isName reports whether s has the form of an app and of a segment of an ID.
func isName(s string) bool {
	hasLength := s != "" && len(s) <= maxName
	return hasLength && consistsOf(s, nameCharacters)
}

func consistsOf(s, characters string) bool { return strings.Trim(s, characters) == "" }

// idOf returns the ID of a report. A malformed one is not that of the root: ok is false.
func idOf(given *string) (id string, ok bool) {
	if given == nil {
		return "", true
	}
	id = *given
	if len(id) > maxID || strings.Count(id, "/") >= maxSegments {
		return "", false
	}
	for segment := range strings.SplitSeq(id, "/") {
		if !isName(segment) {
			return "", false
		}
	}
	return id, true
}

// textOf decodes a text. ok is false if it is too long or is not one line of plain text.
func textOf(encoded string, maxEncoded, maxDecoded int) (text string, ok bool) {
	if len(encoded) > maxEncoded {
		return "", false
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil || len(raw) > maxDecoded || !utf8.Valid(raw) {
		return "", false
	}
	text = string(raw)
	if strings.ContainsFunc(text, unicode.IsControl) {
		return "", false
	}
	return strings.Map(visible, text), true
}

// visible removes characters that are invisible or change the direction of text, as the protocol requires.
func visible(r rune) rune {
	switch {
	case r == 0x061c, r == 0xfeff,
		between(r, 0x200b, 0x200f), // zero width, marks of direction
		between(r, 0x202a, 0x202e), // embedding and override of direction
		between(r, 0x2060, 0x2064), // invisible operators
		between(r, 0x2066, 0x2069): // isolates
		return -1
	}
	return r
}

func between(r, first, last rune) bool { return first <= r && r <= last }

// percentOf returns the percentage, or nil if it is not one.
func percentOf(value string) *int {
	n, err := strconv.ParseUint(value, 10, 8)
	if err != nil || n > 100 {
		return nil
	}
	percent := int(n)
	return &percent
}

func kindOf(value string) record.ProgramKind {
	switch kind := record.ProgramKind(value); kind {
	case record.NeedsPermission, record.NeedsAnswer, record.NeedsSecret:
		return kind
	default:
		return record.NeedsUnknown
	}
}
