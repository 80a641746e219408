package record

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// ProgramState is the state that a program reports.
type ProgramState string

// The states of the Program Status Protocol (OSC 7501).
const (
	ProgramIdle    ProgramState = "idle"    // at rest
	ProgramWorking ProgramState = "working" // busy
	ProgramDone    ProgramState = "done"    // has a result that the user has not seen
	ProgramBlocked ProgramState = "blocked" // needs the user: see ProgramReport.Kind
	ProgramError   ProgramState = "error"   // failed, and stopped
)

// ProgramKind is what a blocked program needs.
type ProgramKind string

// The kinds. A program that is blocked need not report one.
const (
	NeedsUnknown    ProgramKind = ""
	NeedsPermission ProgramKind = "permission"
	NeedsAnswer     ProgramKind = "question"
	NeedsSecret     ProgramKind = "auth" // a password or a login
)

// ProgramReport is the report of a program in a job's terminal about itself, or about one of its tasks. Every text is the
// program's own and proves nothing. The texts are free of control characters and of characters that cannot be
// seen; messages may contain private commands and paths, as the log does.
type ProgramReport struct {
	// ID is the path of the task that the report is about, "" for the program itself. Segments are separated
	// by slashes; "a/b" is a part of "a".
	ID      string       `json:"id"`
	State   ProgramState `json:"state"`
	Kind    ProgramKind  `json:"kind,omitempty"`    // only of a blocked program
	App     string       `json:"app,omitempty"`     // name of the program; of a task: that of its nearest ancestor
	Title   string       `json:"title,omitempty"`   // what it works on, at most 192 bytes
	Message string       `json:"message,omitempty"` // one line, at most 2,048 bytes
	Percent *int         `json:"percent,omitempty"` // 0 to 100, of a working or blocked program; nil: not reported
	At      time.Time    `json:"at"`                // when it was read
}

// Program has the reports of the programs in a job's terminal: the most urgent one, and all of them. Blocked is more
// urgent than error, then done, working and idle. Among equals the program's report on itself comes first, then
// the newest.
type Program struct {
	ProgramReport
	Reports []ProgramReport `json:"records"` // in the order of a tree: parents before their parts
}

// NewProgram returns a Program with these reports, or nil if there are none. It sorts them.
func NewProgram(reports []ProgramReport) *Program {
	if len(reports) == 0 {
		return nil
	}
	slices.SortStableFunc(reports, func(a, b ProgramReport) int {
		return slices.Compare(strings.Split(a.ID, "/"), strings.Split(b.ID, "/"))
	})
	return &Program{
		ProgramReport: slices.MaxFunc(reports, ProgramReport.Compare),
		Reports:       reports,
	}
}

// WithinReport reports whether the report id is that of the ancestor, or on a part of it.
func WithinReport(id, ancestor string) bool {
	return ancestor == "" || id == ancestor || strings.HasPrefix(id, ancestor+"/")
}

// Compare is positive if r is more urgent than other, which is about another task.
func (r ProgramReport) Compare(other ProgramReport) int {
	switch d := cmp.Compare(r.State.urgency(), other.State.urgency()); {
	case d != 0:
		return d
	case r.ID == "":
		return 1
	case other.ID == "":
		return -1
	}
	return r.At.Compare(other.At)
}

func (s ProgramState) urgency() int {
	switch s {
	case ProgramBlocked:
		return 4
	case ProgramError:
		return 3
	case ProgramDone:
		return 2
	case ProgramWorking:
		return 1
	case ProgramIdle:
	}
	return 0
}

// Ended reports whether the state remains when the program has ended: as its last word.
func (s ProgramState) Ended() bool { return s == ProgramDone || s == ProgramError }

const (
	// maxFinalReports limits the reports that are kept after the end of a job. Together with maxBrief, the longest
	// message of one in bytes, it keeps the record of the end within the space that is reserved for it.
	maxFinalReports = 8
	maxBrief        = 256
)

// Says reports whether the most urgent report has this state. A nil p has no report.
func (p *Program) Says(state ProgramState) bool { return p != nil && p.State == state }

// FinalReports returns the reports of p that still apply when the program has ended: the most urgent ones about what it
// has done and about what has failed; nil if there are none. p is not changed.
func (p *Program) FinalReports() *Program {
	if p == nil {
		return nil
	}
	var left []ProgramReport
	for _, r := range p.Brief().Reports {
		if r.State.Ended() {
			left = append(left, r)
		}
	}
	slices.SortStableFunc(left, func(a, b ProgramReport) int { return b.Compare(a) })
	return NewProgram(left[:min(len(left), maxFinalReports)])
}

// Brief returns p with at most 256 bytes of each message, for lists of jobs. p, which may be nil, is not changed.
func (p *Program) Brief() *Program {
	if p == nil {
		return nil
	}
	reports := slices.Clone(p.Reports)
	for i := range reports {
		reports[i].Message = cut(reports[i].Message, maxBrief)
	}
	return NewProgram(reports)
}

// cut returns the beginning of text with whole characters, at most limit bytes.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "")
}

// ProgramChange is a change of the state that a program reports, without its texts: they may be private, and
// histories are kept for long.
type ProgramChange struct {
	From ProgramState `json:"from"` // empty: there was no report
	To   ProgramState `json:"to"`   // empty: there is no report any more
	Kind ProgramKind  `json:"kind,omitempty"`
	App  string       `json:"app,omitempty"`
}

// ChangeOf returns how now differs from before in state, kind or app; ok is false if it does not. Either may be nil.
func ChangeOf(before, now *Program) (c ProgramChange, ok bool) {
	var was, is ProgramReport
	if before != nil {
		was = before.ProgramReport
	}
	if now != nil {
		is = now.ProgramReport
	}
	return was.ChangeTo(is)
}

// ChangeTo returns how is differs from r in state, kind or app; ok is false if it does not.
func (r ProgramReport) ChangeTo(is ProgramReport) (c ProgramChange, ok bool) {
	same := r.State == is.State && r.Kind == is.Kind && r.App == is.App
	return ProgramChange{
		From: r.State,
		To:   is.State,
		Kind: is.Kind,
		App:  is.App,
	}, !same
}
