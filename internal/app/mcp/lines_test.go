package mcp_test

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/hobjobs/hob/internal/app/mcp"
)

// An invalid message gets an error, and later messages are still read.
func TestInvalidMessageDoesNotEndSession(t *testing.T) {
	const good = `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	for name, tt := range map[string]struct {
		line string
		code int
	}{
		"no JSON":        {"{bad", jsonrpc.CodeParseError},
		"two in a line":  {good + good, jsonrpc.CodeParseError},
		"a number":       {"5", jsonrpc.CodeInvalidRequest},
		"no method":      {`{"jsonrpc":"2.0"}`, jsonrpc.CodeInvalidRequest},
		"other protocol": {`{"jsonrpc":"1.0","id":1,"method":"ping"}`, jsonrpc.CodeInvalidRequest},
		"a batch":        {"[" + good + "]", jsonrpc.CodeInvalidRequest},
		"no batch":       {"[]", jsonrpc.CodeInvalidRequest},
		"too long":       {`{"a":"` + strings.Repeat("x", 17<<20) + `"}`, jsonrpc.CodeInvalidRequest},
		"empty":          {" \r", 0},
	} {
		t.Run(name, func(t *testing.T) {
			answers, out := io.Pipe()
			conn, err := mcp.Lines(io.NopCloser(strings.NewReader(tt.line+"\n"+good+"\n")), out).Connect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			answer := make(chan string, 1)
			go func() {
				line, _ := bufio.NewReader(answers).ReadString('\n')
				answer <- line
			}()
			msg, err := conn.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if r, ok := msg.(*jsonrpc.Request); !ok || r.Method != "ping" {
				t.Errorf("the next message is %#v", msg)
			}
			if tt.code == 0 {
				return
			}
			var got struct {
				JSONRPC string
				ID      *int
				Error   struct{ Code int }
			}
			if err := json.Unmarshal([]byte(<-answer), &got); err != nil || got.JSONRPC != "2.0" || got.ID != nil || got.Error.Code != tt.code {
				t.Errorf("the answer is %+v, %v", got, err)
			}
		})
	}
}

func TestBatchesOfOldClientsAreAccepted(t *testing.T) {
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}
[{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","id":3,"method":"tools/list"}]
`
	_, out := io.Pipe()
	conn, err := mcp.Lines(io.NopCloser(strings.NewReader(in)), out).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, want := range []string{"initialize", "ping", "tools/list"} {
		msg, err := conn.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if r, ok := msg.(*jsonrpc.Request); !ok || r.Method != want {
			t.Errorf("%#v, want %s", msg, want)
		}
	}
}

// A client that writes calls into a pipe and closes it gets the answers: the end of input is
// handled after them. The wait for a missing answer is short.
func TestEndOfInputWaitsForAnswers(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}` + "\n"
	for name, tt := range map[string]struct {
		in     string
		answer bool
		took   time.Duration
	}{
		"answered":        {ping, true, 0},
		"never answered":  {ping, false, time.Second},
		"nothing to tell": {`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n", false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out := writeNop{io.Discard}
				conn, err := mcp.Receipts(mcp.Lines(io.NopCloser(strings.NewReader(tt.in)), out)).Connect(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				msg, err := conn.Read(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				ended := make(chan error, 1)
				go func() {
					_, err := conn.Read(t.Context())
					ended <- err
				}()
				if tt.answer {
					synctest.Wait()
					if len(ended) > 0 {
						t.Error("the input ended before its call was answered")
					}
					r := &jsonrpc.Response{ID: msg.(*jsonrpc.Request).ID, Result: json.RawMessage("{}")}
					if err := conn.Write(t.Context(), r); err != nil {
						t.Fatal(err)
					}
				}
				if err := <-ended; err != io.EOF { //nolint:errorlint // as it is
					t.Errorf("the input ends with %v", err)
				}
				if took := time.Since(began); took != tt.took {
					t.Errorf("it ended after %v, want %v", took, tt.took)
				}
			})
		})
	}
}

// writeNop is a writer that need not be closed.
type writeNop struct{ io.Writer }

func (writeNop) Close() error { return nil }
