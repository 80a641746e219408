package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxLine bounds one message of a client.
	maxLine = 16 << 20
	// lastBatches is the last version of the protocol with batches.
	lastBatches = "2025-03-26"
)

// Lines is a transport of one message a line. A line that is no message is
// answered with an error, as JSON-RPC has it, and is not the end of the session:
// that of the SDK alone would be. The end of r waits for the answers, for a while.
func Lines(r io.ReadCloser, w io.WriteCloser) mcp.Transport {
	out := &lineWriter{w: w}
	in := &lineReader{c: r, r: bufio.NewReaderSize(r, 64<<10), refuse: out.refuse, owed: &out.owed, closed: make(chan struct{})}
	return &mcp.IOTransport{Reader: in, Writer: out, MaxLineLength: -1}
}

// lineReader passes on the lines that are messages.
type lineReader struct {
	c    io.Closer
	r    *bufio.Reader
	rest []byte // of the line that is being read
	// batches: the version of the protocol has them.
	batches bool
	err     error // after rest
	refuse  func(code int, why string)

	owed   *owed
	ended  sync.Once
	closed chan struct{}
}

func (l *lineReader) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		if l.err != nil {
			l.awaitAnswers()
			return 0, l.err
		}
		l.next()
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// awaitAnswers returns when all calls are answered, or it took too long.
func (l *lineReader) awaitAnswers() {
	select {
	case <-l.owed.nothing():
	case <-time.After(lastAnswers):
	case <-l.closed:
	}
}

func (l *lineReader) Close() error {
	l.ended.Do(func() { close(l.closed) })
	return l.c.Close()
}

// next reads a line, to which rest is set if it is a message.
func (l *lineReader) next() {
	var line []byte
	long := false
	for {
		part, err := l.r.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; !long {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		l.err = err
		break
	}
	line = bytes.TrimSpace(line)
	switch {
	case long:
		l.refuse(jsonrpc.CodeInvalidRequest, "a message of more than 16 MiB")
	case len(line) == 0:
	case !json.Valid(line):
		l.refuse(jsonrpc.CodeParseError, "the line is no JSON")
	case line[0] == '[' && !l.batches:
		l.refuse(jsonrpc.CodeInvalidRequest, "one message a line: this version of the protocol has no batches")
	case !l.known(line):
		l.refuse(jsonrpc.CodeInvalidRequest, "the line is no message of JSON-RPC 2.0")
	default:
		l.rest = append(line, '\n')
	}
}

// known reports whether the SDK takes line for a message, or a batch of them.
func (l *lineReader) known(line []byte) bool {
	all, ok := messages(line)
	if !ok {
		return false
	}
	for _, m := range all {
		if r, ok := m.(*jsonrpc.Request); ok && r.Method == "initialize" {
			var p struct{ ProtocolVersion string }
			l.batches = json.Unmarshal(r.Params, &p) == nil && p.ProtocolVersion <= lastBatches
		}
	}
	l.owed.add(calls(all))
	return true
}

// lineWriter lets the answers about bad lines not come between the parts of
// others.
type lineWriter struct {
	mu   sync.Mutex
	w    io.WriteCloser
	owed owed
}

// Write writes a line, which is how the SDK calls it.
func (l *lineWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	n, err := l.w.Write(p)
	l.mu.Unlock()
	if all, ok := messages(p); ok {
		l.owed.add(-answers(all))
	}
	return n, err
}

func (l *lineWriter) Close() error { return l.w.Close() }

// refuse answers a line whose id, if it has one, nobody knows.
func (l *lineWriter) refuse(code int, why string) {
	answer := map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": why}}
	data, err := json.Marshal(answer)
	if err != nil {
		return // never
	}
	_, _ = l.Write(append(data, '\n')) // who does not read finds out by the next answer
}

// lastAnswers is how long the end of the input is kept from a session that owes
// answers: the SDK sends none after it. A script that writes its calls into a pipe
// gets them; an agent that has gone is waited for no longer than it waits for hob.
const lastAnswers = time.Second

// owed counts the calls that have no answer yet.
type owed struct {
	mu   sync.Mutex
	n    int
	none chan struct{} // closed at n 0; nil while nobody waits for that
}

func (o *owed) add(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.n += n
	if o.n <= 0 && o.none != nil {
		close(o.none)
		o.none = nil
	}
}

// nothing is closed as soon as all calls are answered.
func (o *owed) nothing() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	none := make(chan struct{})
	if o.n <= 0 {
		close(none)
	} else {
		o.none = none
	}
	return none
}

// messages are those of a line, a batch or one; ok is false if the SDK would not
// take it.
func messages(line []byte) (all []jsonrpc.Message, ok bool) {
	line = bytes.TrimSpace(line)
	var parts []json.RawMessage
	if len(line) == 0 || line[0] != '[' {
		parts = append(parts, line)
	} else if json.Unmarshal(line, &parts) != nil || len(parts) == 0 {
		return nil, false
	}
	for _, part := range parts {
		m, err := jsonrpc.DecodeMessage(part)
		if err != nil {
			return nil, false
		}
		all = append(all, m)
	}
	return all, true
}

// calls is how many of the messages want an answer.
func calls(all []jsonrpc.Message) (n int) {
	for _, m := range all {
		if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
			n++
		}
	}
	return n
}

// answers is how many of the messages are one.
func answers(all []jsonrpc.Message) (n int) {
	for _, m := range all {
		if r, ok := m.(*jsonrpc.Response); ok && r.ID.IsValid() {
			n++
		}
	}
	return n
}
