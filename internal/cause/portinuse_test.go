package cause_test

import (
	"testing"

	"github.com/hobjobs/hob/internal/cause"
)

func TestPortInUseIn(t *testing.T) {
	for summary, want := range map[string]int{
		"port 5173 is in use":        5173,
		"port 5173 is in use by web": 0,
		"port is in use":             0,
		"port x is in use":           0,
		"port 5173":                  0,
		"5173 is in use":             0,
		"":                           0,
	} {
		if port, ok := cause.PortInUseIn(summary); ok != (want > 0) || ok && port != want {
			t.Errorf("%q: %d, %v", summary, port, ok)
		}
	}
	if text, _ := cause.Summary([]string{"listen tcp :5173: bind: address already in use"}, 1); text != "port 5173 is in use" {
		t.Errorf("the summary is %q", text)
	}
}
