//go:build linux

package local_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
)

func TestSpareHolder(t *testing.T) {
	t.Parallel()
	spare := local.Ahead()
	defer spare.Close()
	p := newPlace(t, local.WithSpare(spare))
	for range 2 { // the second one finds the spare taken
		s := p.start(t, engine.Spec{Script: "echo hi; sleep 1000", PTY: true})
		s.printed(t, "hi")
		line, err := os.ReadFile("/proc/" + strconv.Itoa(s.state(t).Holder.PID) + "/cmdline")
		if err != nil {
			t.Fatal(err)
		}
		args := strings.Split(string(line), "\x00")
		if args[0] != "hob-holder" || strings.TrimSpace(args[1]) != string(s.rec.ID) {
			t.Errorf("command line %q, want that of %s", args, s.rec.ID)
		}
		eventually(t, "short name", func() bool {
			comm, err := os.ReadFile("/proc/" + strconv.Itoa(s.state(t).Holder.PID) + "/comm")
			return err == nil && string(comm) == "hob-holder\n"
		})
	}
}

func TestSpareHolderThatIsNotNeeded(t *testing.T) {
	t.Parallel()
	spare := local.Ahead()
	for range 2 {
		if err := spare.Close(); err != nil {
			t.Error(err)
		}
	}
}
