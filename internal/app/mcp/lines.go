package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxLine is the maximum size of one message of a client.
	maxLine = 16 << 20
	// lastBatches is the last version of the protocol that has batches.
	lastBatches = "2025-03-26"
)

// Lines is a transport with one message a line. It answers an invalid line with an error, as
// JSON-RPC requires; the transport of the SDK would end the session instead.
func Lines(r io.ReadCloser, w io.WriteCloser) mcp.Transport {
	out := &lineWriter{WriteCloser: w}
	in := &lineReader{Closer: r, r: bufio.NewReaderSize(r, 64<<10), refuse: out.refuse}
	return &mcp.IOTransport{Reader: in, Writer: out, MaxLineLength: -1}
}

// lineReader forwards the lines that are valid messages.
type lineReader struct {
	io.Closer
	r       *bufio.Reader
	rest    []byte // of the line that is being read
	batches bool   // the negotiated version of the protocol has batches
	err     error  // after rest
	refuse  func(code int, why string)
}

func (l *lineReader) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		if l.err != nil {
			return 0, l.err
		}
		l.next()
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next reads a line and sets rest to it if it is a message.
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
		l.refuse(jsonrpc.CodeParseError, "the line is not JSON")
	case line[0] == '[' && !l.batches:
		l.refuse(jsonrpc.CodeInvalidRequest, "one message a line: this version of the protocol has no batches")
	case !l.known(line):
		l.refuse(jsonrpc.CodeInvalidRequest, "the line is not a JSON-RPC 2.0 message")
	default:
		l.rest = append(line, '\n')
	}
}

// known reports whether the SDK accepts line as a message or a batch of messages.
func (l *lineReader) known(line []byte) bool {
	var parts []json.RawMessage
	if line[0] != '[' {
		parts = append(parts, line)
	} else if json.Unmarshal(line, &parts) != nil {
		return false
	}
	for _, part := range parts {
		msg, err := jsonrpc.DecodeMessage(part)
		if err != nil {
			return false
		}
		if r, ok := msg.(*jsonrpc.Request); ok && r.Method == "initialize" {
			var p struct{ ProtocolVersion string }
			l.batches = json.Unmarshal(r.Params, &p) == nil && p.ProtocolVersion <= lastBatches
		}
	}
	return len(parts) > 0
}

// lineWriter serializes the SDK's messages and the answers to invalid lines.
type lineWriter struct {
	io.WriteCloser
	mu sync.Mutex
}

// Write writes a line, which is how the SDK calls it.
func (l *lineWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.WriteCloser.Write(p)
}

// refuse answers an invalid line. Its id, if it has one, is not known.
func (l *lineWriter) refuse(code int, why string) {
	line := fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`+"\n", code, why)
	_, _ = l.Write([]byte(line)) // a broken pipe is reported by the next answer
}
