package joblist_test

import (
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/joblist"
)

// The list keeps its order while a filter is typed, so the selection goes to the best match.
func TestFilterSelectsTheBestMatch(t *testing.T) {
	jobs := []string{"j15", "j25", "web", "bewerb", "j5", "serve web"} // the newest first
	for _, tt := range []struct{ from, filter, want string }{
		{"web", "j5", "j5"},
		{"j15", "J5", "j5"},
		{"j5", "web", "web"},
		{"j5", "serve", "serve web"},
		{"j15", "wb", "web"},
		{"web", "j", "j15"},             // all match equally well: the first
		{"j25", "j", "j25"},             // … unless one of them was selected
		{"web", "status:exited", "web"}, // not a word to match
		{"j5", "", "j5"},
		{"j15", "port=80", "bewerb"}, // in the command only
	} {
		list := newList(60, 20, themes.Unicode())
		for i, name := range jobs {
			j := ranUntil(name, time.Duration(i+1)*time.Minute, 0)
			j.Command = []string{"run"}
			if name == "bewerb" {
				j.Command = []string{"serve", "port=8080"}
			}
			list.Put(joblist.Row{Job: j})
		}
		list.Select(engine.ID(tt.from))
		list.SetFilter(tt.filter)
		if j, _ := list.Selected(); string(j.ID) != tt.want {
			t.Errorf("%q from %s selects %s, want %s", tt.filter, tt.from, j.ID, tt.want)
		}
		list.Update(press("j"))
		moved, _ := list.Selected()
		list.Put(joblist.Row{Job: ranUntil("another j5 web", time.Second, 0)})
		if j, _ := list.Selected(); j.ID != moved.ID {
			t.Errorf("%q: another job moved the selection from %s to %s", tt.filter, moved.ID, j.ID)
		}
	}
}
