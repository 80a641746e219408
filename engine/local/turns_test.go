package local

import "testing"

func TestTurnsAreGivenBack(t *testing.T) {
	b := New()
	for i := range 2 * maxTurns {
		over := b.begin(t.Context())
		over()
		over()
		if n := len(b.turns); n != 0 {
			t.Fatalf("%d turns are taken after %d watches have begun, want none", n, i+1)
		}
	}
}
