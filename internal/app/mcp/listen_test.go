//go:build unix

package mcp_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// answered is the server's response to a request, without the SDK's client in between, which neither
// sends nor keeps what it does not know.
type answered struct {
	ID    int
	Error struct {
		Code int
		Data struct {
			RequiredCapabilities struct {
				Extensions map[string]struct{}
			}
		}
	}
	Result map[string]json.RawMessage
}

// ask sends one request to a new server, with the capabilities that a client declares in it.
func (h *home) ask(method, params string, capabilities string) answered {
	h.t.Helper()
	request := `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":{` + params + `,"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"` + firstWithTasks + `",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"tester","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":` + capabilities + `}}}` + "\n"
	server := exec.Command(os.Args[0])
	server.Dir, server.Stderr = h.project, os.Stderr
	server.Env = append(h.env, roleVariable+"=hob mcp")
	server.Stdin = strings.NewReader(request)
	out, err := server.Output()
	if err != nil {
		h.t.Fatalf("%v: %s", err, out)
	}
	for line := range bytes.Lines(out) {
		var got answered
		if err := json.Unmarshal(line, &got); err != nil {
			h.t.Fatalf("%v in %s", err, line)
		}
		if got.ID == 7 {
			return got
		}
	}
	h.t.Fatalf("no response in %q", out)
	return answered{}
}

func TestListenToTasksNeedsTheExtension(t *testing.T) {
	t.Parallel()
	const without, with = `{"elicitation":{}}`, `{"extensions":{"` + tasksExtension + `":{}}}`
	for name, tt := range map[string]struct {
		notifications, capabilities string
		refused                     bool
	}{
		"tasks":                     {`{"taskIds":["sleep-xxxxx"]}`, without, true},
		"tasks and resources":       {`{"taskIds":["sleep-xxxxx"],"toolsListChanged":true}`, without, true},
		"a malformed list":          {`{"taskIds":"sleep-xxxxx"}`, without, true},
		"no capabilities at all":    {`{"taskIds":["sleep-xxxxx"]}`, `{}`, true},
		"nothing":                   {`{}`, without, false},
		"no task":                   {`{"taskIds":[]}`, without, false},
		"null":                      {`{"taskIds":null}`, without, false},
		"tasks, and it is declared": {`{"taskIds":["sleep-xxxxx"]}`, with, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := newHome(t).ask("subscriptions/listen", `"notifications":`+tt.notifications, tt.capabilities)
			if !tt.refused {
				if got.Error.Code != 0 || string(got.Result["resultType"]) != `"complete"` {
					t.Errorf("%+v", got)
				}
				return
			}
			_, named := got.Error.Data.RequiredCapabilities.Extensions[tasksExtension]
			if got.Error.Code != -32021 || !named {
				t.Errorf("%+v", got)
			}
		})
	}
}
