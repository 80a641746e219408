package holder

import "testing"

func TestTurnsAreGivenBack(t *testing.T) {
	for i := range 2 * maxTurns {
		over := begin(t.Context())
		over()
		over()
		if n := len(turns); n != 0 {
			t.Fatalf("%d turns are taken after %d watches have begun, want none", n, i+1)
		}
	}
}
