package holder

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine/record"
)

// Type identifies the kind of a frame. Types with the high bit set are instructions: a holder
// answers an unknown one with an error. The others are data: a receiver skips unknown ones.
type Type uint8

// The types. Numbers are never reused.
const (
	TypeHello    Type = 0x01 // the holder's first frame; see [Hello]
	TypeOK       Type = 0x02 // an instruction succeeded: its result as JSON, or nothing
	TypeError    Type = 0x03 // an instruction failed: [Failure] as JSON
	TypeSnapshot Type = 0x04 // the terminal at an offset: offset u64, columns u16, rows u16, bytes
	TypeOutput   Type = 0x05 // output: offset of its end u64, bytes
	TypeFacts    Type = 0x06 // [Facts] as JSON
	TypeDesync   Type = 0x07 // output was dropped for this client: offset u64; a snapshot follows
	TypeControl  Type = 0x08 // the controlling client, and the size: [Control] as JSON
	TypeExit     Type = 0x09 // the job has ended: [record.Exit] as JSON

	TypeStop        Type = 0x80 // stops the job; no payload; frozen forever
	TypeAttach      Type = 0x81 // [Attach]
	TypeInput       Type = 0x82 // bytes to type
	TypeKeys        Type = 0x83 // names of keys, a JSON array
	TypePaste       Type = 0x84 // bytes to paste
	TypeEOF         Type = 0x85
	TypeResize      Type = 0x86 // [record.Size]
	TypeSignal      Type = 0x87 // [Signal]
	TypeKill        Type = 0x88 // [Kill]
	TypeBackground  Type = 0x89
	TypeSubscribe   Type = 0x8a
	TypeScreen      Type = 0x8b // answered with [Screen]
	TypeTakeControl Type = 0x8c
	TypeStatus      Type = 0x8d // answered with [Facts]
	TypeTerminal    Type = 0x8e // [TerminalFacts], by an attached client
)

// Instruction reports whether frames of this type require an answer.
func (t Type) Instruction() bool { return t&0x80 != 0 }

const (
	headerSize = 5
	// maxInstruction is the longest payload that a holder reads.
	maxInstruction = 256 << 10
	// maxData is the longest payload that a client reads: a snapshot with its
	// scrollback.
	maxData = 32 << 20
	// readStep limits how much memory is allocated before that part of a payload is received.
	readStep = 64 << 10
)

type Frame struct {
	Type    Type
	Payload []byte
}

func appendFrame(b []byte, t Type, payload []byte) []byte {
	b = append(b, byte(t))
	b = binary.BigEndian.AppendUint32(b, uint32(len(payload)))
	return append(b, payload...)
}

// frameReader reads frames whose payload is at most max bytes.
type frameReader struct {
	r   io.Reader
	max int
	buf []byte
}

// next returns the next frame. Its payload is valid until the next call. At the end of the stream the
// error is io.EOF, within a frame io.ErrUnexpectedEOF.
func (f *frameReader) next() (Frame, error) {
	var head [headerSize]byte
	if _, err := io.ReadFull(f.r, head[:]); err != nil {
		return Frame{}, err
	}
	t := Type(head[0])
	size := int64(binary.BigEndian.Uint32(head[1:]))
	if size > int64(f.max) {
		return Frame{}, fmt.Errorf("frame %#02x is too long: %d bytes, at most %d", uint8(t), size, f.max)
	}
	f.buf = f.buf[:0]
	for left := int(size); left > 0; {
		n := min(left, readStep)
		at := len(f.buf)
		f.buf = append(f.buf, make([]byte, n)...)
		if _, err := io.ReadFull(f.r, f.buf[at:]); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return Frame{}, err
		}
		left -= n
	}
	return Frame{Type: t, Payload: f.buf}, nil
}

// shrink frees the memory of a long frame.
func (f *frameReader) shrink() {
	if cap(f.buf) > readStep {
		f.buf = nil
	}
}

// Protocol is the version of the protocol that this program implements, and ProtocolMin the oldest
// that it supports. They change only if a change cannot be made with a new type or a new field.
const (
	Protocol    = 1
	ProtocolMin = 1
)

// helloMagic begins every greeting of any version: magic, lowest and highest protocol as u16, then
// JSON. Frozen forever.
const helloMagic = "hob\x00"

const helloPrefix = len(helloMagic) + 4

// Hello is the holder's greeting.
type Hello struct {
	Min, Max uint16      `json:"-"`
	ID       string      `json:"id"`
	BootID   string      `json:"boot_id"`
	PID      int         `json:"pid"`
	Offset   int64       `json:"offset"`
	Size     record.Size `json:"size"`
	Ended    bool        `json:"ended,omitempty"`
}

func (h Hello) encode() []byte {
	b := []byte(helloMagic)
	b = binary.BigEndian.AppendUint16(b, h.Min)
	b = binary.BigEndian.AppendUint16(b, h.Max)
	data, _ := json.Marshal(h) // plain fields: cannot fail
	return append(b, data...)
}

func decodeHello(p []byte) (Hello, error) {
	if len(p) < helloPrefix || string(p[:len(helloMagic)]) != helloMagic {
		return Hello{}, errors.New("invalid greeting: not a holder")
	}
	var h Hello
	if err := json.Unmarshal(p[helloPrefix:], &h); err != nil {
		return Hello{}, fmt.Errorf("read the holder's greeting: %w", err)
	}
	h.Min = binary.BigEndian.Uint16(p[len(helloMagic):])
	h.Max = binary.BigEndian.Uint16(p[len(helloMagic)+2:])
	return h, nil
}

// Supported reports whether this program supports the holder's protocol. Any holder can be stopped.
func (h Hello) Supported() bool { return h.Min <= Protocol && h.Max >= ProtocolMin }

// Code is the kind of a failure, for programs.
type Code string

const (
	CodeUnknown      Code = "unknown_instruction"
	CodeInvalid      Code = "invalid"
	CodeNoInput      Code = "no_input"
	CodeEnded        Code = "ended"
	CodeUnsupported  Code = "unsupported"
	CodeNotControl   Code = "not_in_control"
	CodeFailed       Code = "failed"
	CodeUnresponsive Code = "unresponsive"
	CodeFull         Code = "full"
)

// Failure is the reason why an instruction was not carried out.
type Failure struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Taken   int    `json:"taken,omitempty"` // bytes of input that the job took before
}

// Error returns the condition of the code and the message, unless they are the same.
func (f *Failure) Error() string {
	kind := f.Unwrap()
	switch {
	case kind == nil:
		return f.Message
	case strings.TrimPrefix(f.Message, "the ") == kind.Error():
		return kind.Error()
	}
	return kind.Error() + ": " + f.Message
}

// Is implements errors.Is by comparing codes.
func (f *Failure) Is(target error) bool {
	t, ok := target.(*Failure)
	return ok && t.Code == f.Code
}

// Unwrap returns the condition of package record for the code, nil if it has none.
func (f *Failure) Unwrap() error {
	for _, c := range conditions {
		if c.code == f.Code {
			return c.err
		}
	}
	return nil
}

// conditions are the conditions of package record by code.
var conditions = []struct {
	code Code
	err  error
}{
	{CodeNoInput, record.ErrNoInput},
	{CodeEnded, record.ErrNotRunning},
	{CodeUnsupported, record.ErrUnsupported},
	{CodeUnknown, record.ErrUnsupported},
	{CodeInvalid, record.ErrInvalid},
	{CodeNotControl, record.ErrNotControl},
}

// FailureOf returns err as a holder sends it.
func FailureOf(err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	for _, c := range conditions {
		if errors.Is(err, c.err) {
			return &Failure{Code: c.code, Message: strings.TrimPrefix(err.Error(), c.err.Error()+": ")}
		}
	}
	return &Failure{Code: CodeFailed, Message: err.Error()}
}

// TerminalFacts are the known facts of the controlling client's terminal.
type TerminalFacts struct {
	Foreground    *[3]uint8 `json:"foreground,omitempty"`
	Background    *[3]uint8 `json:"background,omitempty"`
	CellWidth     int       `json:"cell_width,omitempty"`
	CellHeight    int       `json:"cell_height,omitempty"`
	KittyKeyboard bool      `json:"kitty_keyboard,omitempty"`
}

// Attach requests the job's terminal.
type Attach struct {
	Control bool          `json:"control"` // takes the keyboard and decides the size, if no client has control yet
	Take    bool          `json:"take,omitempty"`
	Client  string        `json:"client"`
	Size    record.Size   `json:"size,omitzero"`
	Facts   TerminalFacts `json:"facts,omitzero"`
	// Scrollback is the number of bytes of the log from which the first snapshot restores the text
	// above the screen.
	Scrollback int `json:"scrollback,omitempty"`
	// From is the offset up to which the client already has the stream. If that is the current
	// offset, no snapshot is sent. Negative or absent means that it has nothing.
	From *int64 `json:"from,omitempty"`
}

// Subscribe requests facts. Sent again on the same connection, it changes the pace.
type Subscribe struct {
	// Shows means that the client shows the job to a user, so that no other notification of the end
	// is needed.
	Shows bool `json:"shows,omitempty"`
	// PaceMS is the minimum time between two frames of facts that are not urgent, within the limits
	// of the holder.
	PaceMS int64 `json:"pace_ms,omitempty"`
}

// Control names the client that has control.
type Control struct {
	Controller string      `json:"controller"` // empty: none
	You        bool        `json:"you"`
	Size       record.Size `json:"size"`
	Offset     int64       `json:"offset"`
}

type Signal struct {
	Name string `json:"name"`
	By   string `json:"by,omitempty"`
}

// Kill requests the end of the whole process tree, as described by [record.StopOptions].
type Kill struct {
	// GraceMS is the time until SIGKILL: negative means at once, 0 the job's own grace period.
	GraceMS     int64         `json:"grace_ms"`
	KeepDaemons bool          `json:"keep_daemons,omitempty"`
	By          string        `json:"by"`
	Reason      record.Reason `json:"reason"` // kill or timeout
}

func killOf(o record.StopOptions) Kill {
	k := Kill{
		KeepDaemons: o.KeepDaemons,
		By:          o.By,
		Reason:      cmp.Or(o.Reason, record.ReasonKill),
	}
	switch {
	case o.Grace < 0:
		k.GraceMS = -1
	case o.Grace > 0:
		k.GraceMS = max(1, o.Grace.Milliseconds())
	}
	return k
}

func (k Kill) options() record.StopOptions {
	return record.StopOptions{
		Grace:       time.Duration(k.GraceMS) * time.Millisecond,
		KeepDaemons: k.KeepDaemons,
		By:          k.By,
		Reason:      cmp.Or(k.Reason, record.ReasonKill),
	}
}

// KillReport is the result of Kill, as described by [record.StopReport].
type KillReport struct {
	// TookMS is rounded up: 0 means that no process had to be ended.
	TookMS    int64            `json:"took_ms"`
	Escalated bool             `json:"escalated,omitempty"`
	Survivors []record.Process `json:"survivors,omitempty"`
}

func reportOf(r record.StopReport) KillReport {
	took := (r.Took + time.Millisecond - 1).Milliseconds()
	return KillReport{
		TookMS:    took,
		Escalated: r.Escalated,
		Survivors: r.Survivors,
	}
}

func (k KillReport) report() record.StopReport {
	return record.StopReport{
		Took:      time.Duration(k.TookMS) * time.Millisecond,
		Escalated: k.Escalated,
		Survivors: k.Survivors,
	}
}

// Facts are the facts of a running job. The first frame for a subscriber is complete. Later ones omit
// the state if it has not changed.
type Facts struct {
	Output  int64         `json:"output"`
	Dropped int64         `json:"dropped,omitempty"`
	Bells   int           `json:"bells,omitempty"`
	Note    *record.Note  `json:"note,omitempty"` // a notification not sent before
	State   *record.State `json:"state,omitempty"`
	// Unrecorded is the end of the job while it cannot be recorded. State has no end then.
	Unrecorded *record.Unrecorded `json:"unrecorded,omitempty"`
	// DiskSince is since when the holder has waited for one write to its disk, if that takes long.
	DiskSince time.Time `json:"disk_since,omitzero"`
}

// Snapshot is the complete state of a terminal at an offset of its stream.
type Snapshot struct {
	Offset int64
	Size   record.Size
	Data   []byte
}

const snapshotPrefix = 12

func (s Snapshot) appendFrame(b []byte) []byte {
	b = append(b, byte(TypeSnapshot))
	b = binary.BigEndian.AppendUint32(b, uint32(snapshotPrefix+len(s.Data)))
	b = binary.BigEndian.AppendUint64(b, uint64(s.Offset))
	b = binary.BigEndian.AppendUint16(b, uint16(s.Size.Cols))
	b = binary.BigEndian.AppendUint16(b, uint16(s.Size.Rows))
	return append(b, s.Data...)
}

// DecodeSnapshot decodes the payload of a snapshot. The result refers to p.
func DecodeSnapshot(p []byte) (Snapshot, error) {
	if len(p) < snapshotPrefix {
		return Snapshot{}, errors.New("short snapshot")
	}
	return Snapshot{
		Offset: int64(binary.BigEndian.Uint64(p)),
		Size:   record.Size{Cols: int(binary.BigEndian.Uint16(p[8:])), Rows: int(binary.BigEndian.Uint16(p[10:]))},
		Data:   p[snapshotPrefix:],
	}, nil
}

const offsetSize = 8

// DecodeOutput decodes the payload of output. data refers to p. off is the offset of the end of data.
func DecodeOutput(p []byte) (off int64, data []byte, err error) {
	if len(p) < offsetSize {
		return 0, nil, errors.New("short frame: no offset")
	}
	return int64(binary.BigEndian.Uint64(p)), p[offsetSize:], nil
}

// encodeJSON encodes types of this package, which cannot fail.
func encodeJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return data
}
