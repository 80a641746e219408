package engine_test

import (
	"context"
	"slices"
	"testing"

	"github.com/hobjobs/hob/engine"
)

func TestTokenMakesStartIdempotent(t *testing.T) {
	e, _ := withFake(t)
	a := start(t, e, engine.Spec{}, engine.WithToken("t1"))
	b := start(t, e, engine.Spec{}, engine.WithToken("t1"))
	c := start(t, e, engine.Spec{}, engine.WithToken("t2"))
	if a.ID != b.ID || a.ID == c.ID {
		t.Errorf("ids %s %s %s", a.ID, b.ID, c.ID)
	}
}

// observed is a fake backend that records which jobs it was asked to observe.
type observed struct {
	*fakeBackend
	about []engine.ID
}

func (a *observed) Observe(ctx context.Context, rs []engine.Record) (map[engine.ID]engine.State, error) {
	for _, r := range rs {
		a.about = append(a.about, r.ID)
	}
	return a.fakeBackend.Observe(ctx, rs)
}

// A start with a token must not wait for the hosts of other jobs.
func TestTokenObservesNoOtherJob(t *testing.T) {
	host := &observed{fakeBackend: fakeHost()}
	e := open(t, engine.WithBackend(host))
	first := start(t, e, engine.Spec{Host: "web1"}, engine.WithToken("t1"))
	host.about = nil
	start(t, e, engine.Spec{Host: "web1"}, engine.WithToken("t2"))
	if slices.Contains(host.about, first.ID) {
		t.Error("a start with a new token asked how another job stands")
	}
	host.about = nil
	if again := start(t, e, engine.Spec{Host: "web1"}, engine.WithToken("t1")); again.ID != first.ID {
		t.Errorf("started %s again as %s", first.ID, again.ID)
	}
	if !slices.Equal(host.about, []engine.ID{first.ID}) {
		t.Errorf("asked about %v, want only %s", host.about, first.ID)
	}
}

// Resolving the name of a local job must not wait for the host of another job.
func TestResolveObservesNoOtherJob(t *testing.T) {
	host := &observed{fakeBackend: fakeHost()}
	here := newFake("")
	e := open(t, engine.WithBackend(here), engine.WithBackend(host), ticking())
	far := start(t, e, engine.Spec{Name: "far", Host: "web1"})
	near := start(t, e, engine.Spec{Name: "near"})
	host.about = nil
	for _, ref := range []string{"@", "near", string(near.ID)[:len(near.ID)-1], string(near.ID)} {
		if j, err := e.Find(t.Context(), ref, engine.Act); err != nil || j.ID != near.ID {
			t.Errorf("%q is %s, %v; want %s", ref, j.ID, err, near.ID)
		}
	}
	if len(host.about) != 0 {
		t.Errorf("asked the host about %v", host.about)
	}
	if _, err := e.Find(t.Context(), "far", engine.Act); err != nil || !slices.Equal(host.about, []engine.ID{far.ID}) {
		t.Errorf("asked about %v, err %v; want %s", host.about, err, far.ID)
	}
}
