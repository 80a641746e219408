//go:build linux || darwin

package local_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/enginetest"
	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	enginetest.Run(t, func(*testing.T) enginetest.Config {
		return enginetest.Config{
			New: func() engine.Backend { return local.New() },
			KillHolder: func(t *testing.T, j engine.Job) {
				st, err := jobdir.ReadState(filepath.Dir(j.OutputPath))
				if err != nil {
					t.Fatal(err)
				}
				if err := proc.Signal(st.Holder, syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
			},
		}
	})
}

func TestConformanceInProcess(t *testing.T) {
	t.Parallel()
	enginetest.Run(t, func(*testing.T) enginetest.Config {
		return enginetest.Config{
			New:            func() engine.Backend { return local.New(local.InProcess()) },
			EndsWithEngine: true,
		}
	})
}
