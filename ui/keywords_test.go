package ui

import (
	"testing"
	"testing/synctest"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/keymap"
)

// TestMessagesNameBoundKeys rebinds the keys that messages mention.
func TestMessagesNameBoundKeys(t *testing.T) {
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
		"clear of a running job": {[]string{"c"}, "npm run dev is still running · s stop · D stop and clear"},
		"clear":                  {[]string{"j", "c"}, "Cleared make test · U to undo"},
		"clear of two":           {[]string{"j", "c", "G", "c"}, "Cleared 2 jobs · U to undo"},
		"Ctrl+C":                 {[]string{"ctrl+c"}, "Ctrl+C again to quit. Jobs keep running."},
		"no search":              {[]string{"enter", "n"}, "No search yet: press Ctrl+F"},
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
			s.press("2")
			s.sees("input     A attach")
			s.seesNot("needs input · A attach") // the detail is on screen and shows it
		})
	})
	t.Run("no jobs", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			eng := three()
			s := newHarness(t, 160, 30, eng, WithKeys(keys))
			for _, j := range eng.jobs {
				s.facts(engine.Event{Kind: engine.EventRemoved, Job: j})
			}
			s.sees("Press + to start one")
		})
	})
}
