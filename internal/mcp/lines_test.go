package mcp_test

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/hobjobs/hob/internal/mcp"
)

// What is no message is answered, and the ones behind it are read.
func TestALineThatIsNoMessageIsNotTheEnd(t *testing.T) {
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

func TestBatchesOfOldClientsArePassedOn(t *testing.T) {
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
