//go:build unix

package mcp_test

import (
	"testing"
)

// If another process ends and clears a job while a call waits for it, the answer has the job's
// end, for any condition.
func TestWaitForRemovedJob(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	a := h.agent("tester")
	for name, tt := range map[string]struct {
		until string
		met   bool
	}{
		"end":   {"exit", true},
		"quiet": {"quiet:1h", true},
		"line":  {"never", false},
		"port":  {"port:" + freePort(t), false},
	} {
		t.Run(name, func(t *testing.T) {
			var r reply
			// If the job is removed before the call finds it, the call fails at once.
			for begun := false; !begun; begun = r.Error == nil || r.Error.Code != "not_found" {
				id := a.bash(params{"command": "sleep 1000", "background": true}).SessionID
				removed := make(chan struct{})
				go func() {
					defer close(removed)
					h.hob("remove " + id)
				}()
				r = a.call("process", params{"action": "wait", "sessionId": id, "until": tt.until, "timeout": 600000})
				<-removed
			}
			if r.Status != "failed" || r.Reason != "kill" || r.Met == nil || *r.Met != tt.met {
				t.Errorf("answer: %s", r.json)
			}
		})
	}
}
