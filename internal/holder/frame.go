package holder

import (
	"encoding/binary"
	"fmt"
	"io"
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
	TypeExit     Type = 0x09 // the job has ended: jobdir.End as JSON

	TypeStop        Type = 0x80 // stops the job; no payload; frozen forever
	TypeAttach      Type = 0x81 // [Attach]
	TypeInput       Type = 0x82 // bytes to type
	TypeKeys        Type = 0x83 // names of keys, a JSON array
	TypePaste       Type = 0x84 // bytes to paste
	TypeEOF         Type = 0x85
	TypeResize      Type = 0x86 // jobdir.Size
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

// Frame is one message.
type Frame struct {
	Type    Type
	Payload []byte
}

// appendFrame appends a frame to b.
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
