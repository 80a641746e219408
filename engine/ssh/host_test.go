package ssh

import (
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/testtool"
)

// patient is how long tests wait for an answer of a host: enough for a slow machine.
const patient = 30 * time.Second

// remoteEnv is the environment of commands on a host whose state directory is
// not that of the engine under test.
func remoteEnv(t *testing.T) []string {
	t.Helper()
	return []string{"HOB_STATE_DIR=" + testtool.TempDir(t)}
}

// here is the backend where jobs are started on this machine as another one does over
// SSH, but without a connection: what looks after them is the same.
type here struct{ *Backend }

func (here) Serves(string) bool { return true }

func newHere() engine.Backend { return here{New(WithPatience(patient))} }
