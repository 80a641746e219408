package holder

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hobjobs/hob/engine/record"
)

func TestFrames(t *testing.T) {
	t.Parallel()
	long := bytes.Repeat([]byte("x"), 3*readStep+1)
	tests := []struct {
		name string
		in   []byte
		want []Frame
		err  error
	}{
		{"nothing", nil, nil, io.EOF},
		{"empty payload", appendFrame(nil, TypeStop, nil), []Frame{{TypeStop, []byte{}}}, io.EOF},
		{"stop as it is for ever", []byte{0x80, 0, 0, 0, 0}, []Frame{{TypeStop, []byte{}}}, io.EOF},
		{"two", appendFrame(appendFrame(nil, TypeInput, []byte("a")), TypeEOF, nil), []Frame{{TypeInput, []byte("a")}, {TypeEOF, []byte{}}}, io.EOF},
		{"long", appendFrame(nil, TypeInput, long), []Frame{{TypeInput, long}}, io.EOF},
		{"cut in the head", []byte{0x82, 0}, nil, io.ErrUnexpectedEOF},
		{"cut in the payload", []byte{0x82, 0, 0, 0, 9, 'a'}, nil, io.ErrUnexpectedEOF},
		{"cut before the payload", []byte{0x82, 0, 0, 0, 9}, nil, io.ErrUnexpectedEOF},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := frameReader{r: bytes.NewReader(tt.in), max: maxInstruction}
			var got []Frame
			var err error
			for {
				var f Frame
				if f, err = r.next(); err != nil {
					break
				}
				got = append(got, Frame{f.Type, bytes.Clone(f.Payload)})
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("frames (-want +got):\n%s", diff)
			}
			if !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
		})
	}
}

func TestFrameTooLong(t *testing.T) {
	t.Parallel()
	head := binary.BigEndian.AppendUint32([]byte{byte(TypeInput)}, maxInstruction+1)
	r := frameReader{r: bytes.NewReader(head), max: maxInstruction}
	if _, err := r.next(); err == nil || errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v", err)
	}
}

// A header with a large length must not cause a large allocation.
func TestFrameMemory(t *testing.T) {
	t.Parallel()
	head := binary.BigEndian.AppendUint32([]byte{byte(TypeSnapshot)}, maxData)
	r := frameReader{r: bytes.NewReader(append(head, 'x')), max: maxData}
	if _, err := r.next(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("error %v", err)
	}
	if cap(r.buf) > 2*readStep {
		t.Errorf("%d bytes were allocated", cap(r.buf))
	}
}

func TestHello(t *testing.T) {
	t.Parallel()
	want := Hello{Min: 1, Max: 7, ID: "a-22222", BootID: "b", PID: 5, Offset: 1 << 40, Size: record.Size{Cols: 80, Rows: 24}, Ended: true}
	got, err := decodeHello(want.encode())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if prefix := want.encode()[:helloPrefix]; !bytes.Equal(prefix, []byte("hob\x00\x00\x01\x00\x07")) {
		t.Errorf("the frozen prefix is %q", prefix)
	}
	for name, p := range map[string][]byte{
		"empty": nil, "short": []byte("hob\x00\x00"), "other": []byte("HTTP/1.1 200 OK\r\n"), "no JSON": []byte("hob\x00\x00\x01\x00\x01"),
	} {
		if _, err := decodeHello(p); err == nil {
			t.Errorf("%s was accepted as a greeting", name)
		}
	}
	for _, tt := range []struct {
		min, max uint16
		want     bool
	}{{1, 1, true}, {1, 9, true}, {2, 9, false}, {0, 0, false}} {
		if got := (Hello{Min: tt.min, Max: tt.max}).Supported(); got != tt.want {
			t.Errorf("protocols %d to %d: %v", tt.min, tt.max, got)
		}
	}
}

func TestViewQueue(t *testing.T) {
	t.Parallel()
	v := &view{last: -1}
	v.output([]byte("ab"), 2)
	v.output([]byte("cd"), 4)
	v.control([]byte("{}"))
	v.output([]byte("ef"), 6)
	r := frameReader{r: bytes.NewReader(v.queue), max: maxData}
	var got []string
	for {
		f, err := r.next()
		if err != nil {
			break
		}
		if f.Type == TypeOutput {
			off, data, err := DecodeOutput(f.Payload)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(data)+"@"+string(rune('0'+off)))
		} else {
			got = append(got, string(f.Payload))
		}
	}
	if diff := cmp.Diff([]string{"abcd@4", "{}", "ef@6"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	v.output(make([]byte, maxQueue), maxQueue+6)
	if !v.desynced || len(v.queue) != 0 {
		t.Errorf("an overflowed queue has %d bytes, desynced %v", len(v.queue), v.desynced)
	}
}

func FuzzFrames(f *testing.F) {
	f.Add(appendFrame(appendFrame(nil, TypeHello, Hello{Min: 1, Max: 1}.encode()), TypeStop, nil))
	f.Add(Snapshot{Offset: 3, Data: []byte("x")}.appendFrame(nil))
	f.Add([]byte{0x82, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, in []byte) {
		r := frameReader{r: bytes.NewReader(in), max: maxInstruction}
		var again []byte
		for {
			fr, err := r.next()
			if err != nil {
				break
			}
			again = appendFrame(again, fr.Type, fr.Payload)
			// No decoder may panic.
			_, _ = decodeHello(fr.Payload)
			_, _ = DecodeSnapshot(fr.Payload)
			_, _, _ = DecodeOutput(fr.Payload)
			answerOf(fr)
		}
		if !bytes.HasPrefix(in, again) {
			t.Errorf("frames of %q encode as %q", in, again)
		}
	})
}
