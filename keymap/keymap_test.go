package keymap

import "testing"

func TestDefaultHasNoDoubleBinding(t *testing.T) {
	for _, c := range Default().Conflicts() {
		t.Error(c)
	}
}
