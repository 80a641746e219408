package engine

import (
	"strings"
	"testing"
)

func statuses() []Status { return []Status{Starting, Running, Stopping, Exited, Killed, Failed, Lost} }

func TestStepsOfAJob(t *testing.T) {
	legal := map[Status]string{
		Starting: "running stopping exited killed failed lost",
		Running:  "stopping exited killed failed lost",
		Stopping: "running exited killed failed lost",
	}
	for _, from := range statuses() {
		for _, to := range statuses() {
			err := checkStep(from, to)
			want := from == to || strings.Contains(legal[from], string(to))
			if (err == nil) != want {
				t.Errorf("%s to %s: %v", from, to, err)
			}
			if err != nil && (!strings.Contains(err.Error(), string(from)) || !strings.Contains(err.Error(), string(to))) {
				t.Errorf("%v does not name both", err)
			}
		}
		if from.Finished() && len(steps(from)) > 0 {
			t.Errorf("something follows %s", from)
		}
	}
}

func TestNothingChangesAnEnd(t *testing.T) {
	code := 0
	j := Job{Status: Exited, Exit: Exit{Status: Exited, Code: &code}}
	got := observed(j, Observation{Status: Lost, Exit: Exit{Status: Lost}})
	if got.Status != Exited || got.Exit.Code == nil {
		t.Errorf("became %+v", got)
	}
}

func TestLastRunes(t *testing.T) {
	for _, c := range []struct {
		s    string
		n    int
		want string
	}{
		{"abc", 2, "bc"}, {"abc", 9, "abc"}, {"", 3, ""}, {"aé日😀", 2, "日😀"}, {"abc", 0, ""},
	} {
		got := lastRunes(c.s, c.n)
		if got != c.want {
			t.Errorf("lastRunes(%q, %d) = %q, want %q", c.s, c.n, got, c.want)
		}
	}
}
