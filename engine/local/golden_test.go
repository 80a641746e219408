package local

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"github.com/hobjobs/hob/internal/jobdir"
)

// A launcher and a holder may be of different editions.
func TestLaunchStaysAsItIs(t *testing.T) {
	code := 127
	var text strings.Builder
	add := func(data []byte, err error) {
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(data, '\n'))
	}
	for _, c := range []launchConfig{
		{
			Launch: launchVersion, Build: "b", Dir: "/jobs/x-1", Env: variables{"A=1", "B=caf\xe9\n", "C="},
			Set: []string{"A", "B"}, RuntimeDir: "/run/user/1", Lent: []int{0, 3, 63}, Notify: `say "$1" <&-`,
		},
		{},
		{Launch: 1, Dir: "/tmp/caf\xe9", Env: variables{}, Set: []string{}, Lent: []int{}},
	} {
		add(c.text())
	}
	for _, r := range []launchReply{
		{},
		{State: &jobdir.State{Machine: "m<", StartedAt: time.Date(2026, 11, 22, 1, 2, 3, 456, time.FixedZone("", -5400))}},
		{State: &jobdir.State{End: &jobdir.End{Status: "failed", Code: &code, Error: "x: command not found"}}},
		{Error: "which", Unknown: true},
		{Error: "a\xff", State: &jobdir.State{}},
	} {
		add(r.text())
	}
	golden.RequireEqual(t, text.String())
}
