//go:build unix

package mcp_test

import (
	"testing"
)

// A job that another process ends and clears while it is waited for is answered with
// how it ended, whatever was waited for.
func TestWaitForAJobThatIsRemoved(t *testing.T) {
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
			// If the job is removed before the call looks for it, there is nothing to wait for.
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
