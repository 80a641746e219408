package engine_test

import (
	"sync"
	"testing"

	"github.com/hobjobs/hob/engine"
)

// Subscriptions to one job that begin together each take the job up, and all but
// one let go of it again, while others come and go.
func TestSubscriptionsOfOneJobAtOnce(t *testing.T) {
	e, _ := withFake(t)
	other := start(t, e, engine.Spec{})
	subscribe(t, e, engine.Filter{IDs: []engine.ID{other.ID}}) // what the others join is there
	for range 200 {
		j := start(t, e, engine.Spec{})
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				s := e.Subscribe(engine.Filter{IDs: []engine.ID{j.ID}})
				defer s.Close()
				if _, err := s.Next(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
}
