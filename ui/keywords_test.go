package ui

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/keymap"
)

// TestWordsNameTheKeysThatAreBound gives other keys to what messages speak of.
func TestWordsNameTheKeysThatAreBound(t *testing.T) {
	keys, err := keymap.Default().Apply(keymap.Overrides{
		"stop": {"s"}, "jobs.remove": {"D"}, "jobs.attach": {"A"}, "send-line": {}, "new": {"+"}, "undo": {"U"}, "quit": {"Q"}, "log.search": {"ctrl+f"},
	})
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		keys []string
		want string
	}{
		"clear of a running job": {[]string{"c"}, "it is still running: s stops it, D removes it"},
		"clear":                  {[]string{"j", "c"}, "cleared make test; U takes it back"},
		"clear of two":           {[]string{"j", "c", "G", "c"}, "U takes them back"},
		"Ctrl+C":                 {[]string{"ctrl+c"}, "Q leaves, jobs keep running; Ctrl+C again leaves now"},
		"no search":              {[]string{"enter", "n"}, "nothing to search for: Ctrl+F searches"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newHarness(t, 160, 30, three(), WithKeys(keys))
				s.press(tt.keys...)
				s.sees(tt.want)
			})
		})
	}
	t.Run("a job that waits", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			eng := three()
			s := newHarness(t, 160, 30, eng, WithKeys(keys))
			j := eng.jobs[0]
			j.Waiting = true
			s.facts(engine.Event{Kind: engine.EventWaiting, Job: j})
			if n := strings.Count(s.screen(), "for input: A attaches "); n != 2 {
				t.Errorf("%d times how it gets its input, want it in detail and message:\n%s", n, s.screen())
			}
		})
	})
	t.Run("no jobs", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			eng := three()
			s := newHarness(t, 160, 30, eng, WithKeys(keys))
			for _, j := range eng.jobs {
				s.facts(engine.Event{Kind: engine.EventRemoved, Job: j})
			}
			s.sees("+ runs one")
		})
	})
}
