package local

import (
	"bytes"
	"os"
	"strconv"
)

const (
	// oomAhead is by how much more than its holder a job counts when the kernel
	// looks for somebody to end because memory has run out: five hundredths of the
	// memory there is, so that a small job is taken rather than a holder that is a
	// little larger. Its end is recorded then, and nothing else is hung up.
	oomAhead = 50
	oomMost  = 1000
)

// countForMore has the leader, and what it starts from now on, ended before its holder
// when there is no memory. Nobody has to be root to raise the value.
func (j *job) countForMore() {
	own, err := os.ReadFile("/proc/self/oom_score_adj")
	if err != nil {
		return
	}
	n, err := strconv.Atoi(string(bytes.TrimSpace(own)))
	if err != nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.reaped {
		return
	}
	// A program that gives other rights does not let itself be touched.
	_ = os.WriteFile("/proc/"+strconv.Itoa(j.pid)+"/oom_score_adj", strconv.AppendInt(nil, int64(min(n+oomAhead, oomMost)), 10), 0)
}
