//go:build unix

package campaign

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
	"github.com/hobjobs/hob/internal/testtool/stage"
)

// TestBadNetworks starts a job on a remote host, types into it, reads it, and stops another: data
// arrives late, in pieces and with pauses, but nothing twice and nothing missing.
func TestBadNetworks(t *testing.T) {
	for name, n := range map[string]network{
		"far away":     {Delay: 80 * time.Millisecond, Piece: 1400},
		"in pieces":    {Delay: time.Millisecond, Piece: 7},
		"losing parts": {Delay: 10 * time.Millisecond, Piece: 512, Loss: 0.02, Wait: 100 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := farEngine(t, n)
			ctx, cancel := context.WithTimeout(t.Context(), 5*stage.Patience) // for all of it
			defer cancel()
			const lines = 3000
			j, err := e.Start(ctx, engine.Spec{
				Host: "box", Stdin: true,
				Script: fmt.Sprintf(`i=0; while [ $i -lt %d ]; do echo line $i; i=$((i+1)); done; read x; echo "got $x"; exit 7`, lines),
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := e.Handle(j.ID).Write(ctx, []byte("what was typed\n")); err != nil {
				t.Fatal(err)
			}
			exit, err := e.Handle(j.ID).Wait(ctx)
			if err != nil || exit.Status != engine.Exited || exit.Code == nil || *exit.Code != 7 {
				t.Errorf("the end: %+v, %v", exit, err)
			}
			var got strings.Builder
			for more := true; more; {
				p, err := e.Handle(j.ID).Poll(ctx, engine.PollOptions{Client: "test"})
				if err != nil {
					t.Fatal(err)
				}
				got.Write(p.Output)
				more = p.More
			}
			var want strings.Builder
			for i := range lines {
				fmt.Fprintf(&want, "line %d\n", i)
			}
			want.WriteString("got what was typed\n")
			if got.String() != want.String() {
				t.Errorf("%d bytes of output, want %d", got.Len(), want.Len())
			}
			stubborn, err := e.Start(ctx, engine.Spec{Host: "box", Script: "trap '' TERM; sleep 1000 & while :; do sleep 0.1; done"})
			if err != nil {
				t.Fatal(err)
			}
			if r, err := e.Handle(stubborn.ID).Stop(ctx, engine.StopOptions{Grace: 100 * time.Millisecond}); err != nil || len(r.Survivors) > 0 {
				t.Errorf("stop: %+v, %v", r, err)
			}
			jobs, err := e.List(ctx, engine.Filter{Host: "box"})
			if err != nil || len(jobs) != 2 || jobs[0].Status != engine.Killed || jobs[1].Status != engine.Exited {
				t.Errorf("in the end there are %+v, %v", jobs, err)
			}
		})
	}
}

// farEngine returns an engine whose host box is behind the network n.
func farEngine(t *testing.T, n network) *engine.Engine {
	t.Helper()
	dirs := map[string]string{}
	for _, name := range []string{"here", "there"} {
		dirs[name] = testtool.TempDir(t)
	}
	s := sshtest.NewServer(t, func(s *sshtest.Server) { s.Env = append(os.Environ(), "HOB_STATE_DIR="+dirs["there"]) })
	p := newProxy(t, s.Addr, n)
	c := sshtest.NewClient(t)
	c.AddHost(t, "box", p.Addr)
	c.Know(t, "", p.Addr, s.HostKeys[0].PublicKey())
	e, err := engine.New(engine.WithStateDir(dirs["here"]), engine.WithClient("test"), engine.WithBackend(ssh.New(ssh.WithConfigFile(c.ConfigFile))))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}
