package spelling

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"zoom", "stop", "kill", "wrap", "background", "send-line", "panes.stop"}
	for name, want := range map[string]string{
		"foo": "", "bar": "", "x": "", "": "", "quit": "", "paint": "", "zoo": "zoom", "zom": "zoom", "stpo": "stop", "sotp": "stop",
		"backgruond": "background", "sendline": "send-line", "pane.stop": "panes.stop", "foreground": "",
	} {
		if got := Nearest(name, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}
