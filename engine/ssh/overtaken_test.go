package ssh

import (
	"errors"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
)

// Two looks at a job overlap: the one that found its end is recorded first, then the one that found
// it running. A reader that has seen the end gets all output.
func TestOlderLookDoesNotReplaceTheEnd(t *testing.T) {
	const id = engine.ID("job-22222")
	running := &recipe.Entry{Sizes: map[string]int64{"output.log": 4}}
	ended := &recipe.Entry{Sizes: map[string]int64{"output.log": 8}, Over: true}
	now := time.Now()
	for name, looks := range map[string]func(h *host, o *output) error{
		"in the facts of the host": func(h *host, _ *output) error {
			h.found(id, ended, now)
			h.found(id, running, now.Add(time.Millisecond))
			return nil
		},
		"by the reader's own": func(h *host, o *output) error {
			h.found(id, ended, now)
			return o.take(running, now.Add(time.Millisecond))
		},
		"by the reader's own, taken after the end": func(h *host, o *output) error {
			h.found(id, ended, now)
			return errors.Join(o.take(ended, now), o.take(running, now.Add(time.Millisecond)))
		},
	} {
		h := &host{logs: map[engine.ID]logFacts{id: {readers: 1}}}
		o := &output{r: &Run{h: h, rec: engine.Record{ID: id}}, name: "output.log"}
		if err := looks(h, o); err != nil {
			t.Fatal(err)
		}
		if err := o.refresh(t.Context()); err != nil || o.size != 8 {
			t.Errorf("%s: %d bytes, %v", name, o.size, err)
		}
	}
}
