package engine_test

import (
	"context"
	"net"
	"strconv"
	"testing"

	"github.com/hobjobs/hob/engine"
)

func TestAutoPort(t *testing.T) {
	e, f := withFake(t)
	spec := engine.Spec{Port: engine.AutoPort, Name: "web", Dir: t.TempDir()}
	first := start(t, e, spec)
	if first.Port < 20_000 || first.Port > 29_999 || f.Job(first.ID).Launch.Spec.Port != first.Port {
		t.Errorf("the port is %d, the backend got %d", first.Port, f.Job(first.ID).Launch.Spec.Port)
	}
	if second := start(t, e, spec); second.Port == first.Port || second.Port < 20_000 {
		t.Errorf("a job beside the one with port %d got %d", first.Port, second.Port)
	}
}

// A copy beside a running job cannot use the same port, even if the job does not listen yet.
func TestRestartWithAPort(t *testing.T) {
	for name, tt := range map[string]struct {
		keep, ended, used bool
		another           bool
	}{
		"in the place of a running job": {},
		"beside a running job":          {keep: true, another: true},
		"after the job has ended":       {ended: true},
		"after another server took it":  {keep: true, ended: true, used: true, another: true},
	} {
		t.Run(name, func(t *testing.T) {
			e, f := withFake(t)
			l, port := listen(t)
			if !tt.used {
				l.Close()
			}
			old := start(t, e, engine.Spec{Port: port})
			if tt.ended {
				f.Job(old.ID).Exit(0)
			}
			j, err := e.Handle(old.ID).Restart(t.Context(), engine.RestartOptions{Keep: tt.keep})
			if err != nil {
				t.Fatal(err)
			}
			if (j.Port != port) != tt.another || j.Port <= 0 {
				t.Errorf("the port was %d, the new job has %d", port, j.Port)
			}
		})
	}
}

// listen returns a listener on a free port, which is closed at the end of the test.
func listen(t *testing.T) (net.Listener, int) {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	_, text, _ := net.SplitHostPort(l.Addr().String())
	port, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return l, port
}
