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

func TestSeparate(t *testing.T) {
	for name, want := range map[string]string{
		"Undo": "undo", "ClearFinished": "clear-finished", "CopyID": "copy-id", "IDOfJob": "id-of-job", "PTYSize": "pty-size", "": "", "X": "x",
	} {
		if got := Separate(name, '-'); got != want {
			t.Errorf("Separate(%q) = %q, want %q", name, got, want)
		}
	}
}
