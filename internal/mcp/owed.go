package mcp

import (
	"bytes"
	"encoding/json"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

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
