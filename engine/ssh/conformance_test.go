package ssh

import (
	"context"
	"os"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/enginetest"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
)

// remoteState is the state directory of a host: another one than that of the
// engine under test.
func remoteState(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "hobhost")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func TestConformanceOverLocalShell(t *testing.T) {
	enginetest.Run(t, func(t *testing.T) enginetest.Config {
		env := append(os.Environ(), "HOB_STATE_DIR="+remoteState(t))
		return enginetest.Config{
			Host: "box",
			New: func() engine.Backend {
				return New(withTransports(func(context.Context, string) (shell.Transport, error) {
					return shell.NewLocal("sh", env), nil
				}))
			},
		}
	})
}
