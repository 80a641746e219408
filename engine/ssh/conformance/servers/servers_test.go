//go:build unix

package servers_test

import (
	"os"
	"testing"

	"github.com/hobjobs/hob/engine/enginetest"
	"github.com/hobjobs/hob/engine/ssh/internal/hosttest"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

func TestMain(m *testing.M) { os.Exit(testtool.RunWithoutLeaks(m)) }

func TestConformanceOverSshd(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	t.Parallel()
	enginetest.Run(t, func(t *testing.T) enginetest.Config {
		c := sshtest.NewClient(t)
		c.AddHost(t, "box", sshtest.Sshd(t, c, hosttest.Env(t)))
		return hosttest.OnHost(c, "box")
	})
}

func TestConformanceOverDropbear(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	t.Parallel()
	enginetest.Run(t, func(t *testing.T) enginetest.Config {
		c := sshtest.NewClient(t)
		c.AddHost(t, "box", sshtest.DropbearServer(t, c, nil))
		return hosttest.OnHost(c, "box")
	})
}
