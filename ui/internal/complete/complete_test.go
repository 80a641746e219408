package complete

import "testing"

func TestLastWord(t *testing.T) {
	type word struct {
		at    int
		text  string
		quote byte
	}
	for line, want := range map[string]word{
		"ls my":            {3, "my", 0},
		`ls my\ d`:         {3, "my d", 0},
		`ls "my d`:         {3, "my d", '"'},
		`ls 'my d`:         {3, "my d", '\''},
		`ls "my d"/s`:      {3, "my d/s", 0},
		"make&&./ru":       {6, "./ru", 0},
		"A=~/x":            {2, "~/x", 0},
		"tar x >out/":      {7, "out/", 0},
		"ls ":              {3, "", 0},
		"echo 'it'\\''s":   {5, "it's", '\''},
		"grep größe ./däm": {13, "./däm", 0},
	} {
		w := LastWord(line)
		if got := (word{w.Start, w.Text, w.Open}); got != want {
			t.Errorf("%q ends in %+v, want %+v", line, got, want)
		}
	}
}

// TestSpelledPathsAreReadBack completes a word and parses it like a shell.
func TestSpelledPathsAreReadBack(t *testing.T) {
	for _, path := range []string{"plain", "my dir/", "it's", `a "b" $c`, `back\slash`, "two;three&four", "~/x y", "(x)#*"} {
		for _, begun := range []string{"cat ", "cat '", `cat "`} {
			w := LastWord(begun)
			line := begun[:w.Start] + Spell(w, path)
			if got := LastWord(line); got.Text != path {
				t.Errorf("%q behind %q is spelt %q, which a shell reads as %q", path, begun, line, got.Text)
			}
		}
	}
}
