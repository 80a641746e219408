//go:build unix

package ssh

import (
	"fmt"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/enginetest"
	"github.com/hobjobs/hob/internal/sshtest"
)

// A job's output stays on its host until a reader requests it, and then only the requested part is
// transferred.
func TestUnreadOutputIsNotTransferred(t *testing.T) {
	t.Parallel()
	for _, manner := range []sshtest.Manner{sshtest.OpenSSH, sshtest.Dropbear} {
		t.Run(string(manner), func(t *testing.T) {
			r := newRig(t, func(s *sshtest.Server) { s.Manner = manner })
			const size, little = 64 << 20, 2 << 20
			j := r.start(fmt.Sprintf("head -c %d /dev/zero", size))
			r.wait(j.ID)
			if got, err := r.e.Handle(j.ID).Facts(r.ctx()); err != nil || got.Output != size {
				t.Fatalf("it printed %d bytes, %v", got.Output, err)
			}
			before := r.s.Sent()
			if before > little {
				t.Errorf("%d bytes were transferred for an unread log", before)
			}
			n, _, err := enginetest.ReadStream(r.ctx(), r.e.Handle(j.ID), engine.StreamOutput, make([]byte, 1000), size-1000)
			if came := r.s.Sent() - before; n != 1000 || err != nil || came > little {
				t.Errorf("%d bytes were transferred for %d, %v", came, n, err)
			}
		})
	}
}
