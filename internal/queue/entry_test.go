package queue

import "testing"

// Programs of other versions read and write the same files.
func TestEntryNames(t *testing.T) {
	for name, want := range map[string]Entry{
		"d0001099511627776-a-22222":         {After, firstSeq, "a-22222"},
		"w0001099511627771-x":               {Waiting, firstSeq - 5, "x"},
		"r0001099511751232-make-test-9z8y7": {Running, firstSeq + 123456, "make-test-9z8y7"},
		"n0000000000000001-a":               {Now, 1, "a"},
		"k0000000000000001-a":               {Canceled, 1, "a"},
	} {
		got, ok := ParseEntry(name)
		if !ok || got != want || want.Name() != name {
			t.Errorf("%s: read as %+v, %v; %+v is written as %s", name, got, ok, want, want.Name())
		}
	}
}

func TestOtherFilesAreNoEntries(t *testing.T) {
	for _, name := range []string{
		"", "w", ".changed", "README", "x0000000000000001-a", "w00000000000000x1-a", "w+000000000000001-a",
		"w0000000000000001-", "w0000000000000001", "w000000000000001-a", "w00000000000000001-a",
	} {
		if e, ok := ParseEntry(name); ok {
			t.Errorf("%q is read as %+v", name, e)
		}
	}
}

func TestSettings(t *testing.T) {
	for text, want := range map[string]Settings{
		"":                         {Slots: 1},
		"4 0 0\n":                  {Slots: 4},
		"2 1 3\n":                  {Slots: 2, Paused: true, Configured: 3},
		"0 0 0\n":                  {Slots: 1},
		"x":                        {Slots: 1},
		"-3 0 0":                   {Slots: 1},
		"99999999999999999999 1 1": {Slots: 1},
		"3 1 2 and more":           {Slots: 3, Paused: true, Configured: 2},
	} {
		if got := parseSettings(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
	for _, s := range []Settings{{Slots: 4}, {Slots: 2, Paused: true, Configured: 3}} {
		if got := parseSettings(s.text()); got != s {
			t.Errorf("%+v is written as %q and read as %+v", s, s.text(), got)
		}
	}
}
