package cli

import (
	"os"
	"testing"

	"github.com/hobjobs/hob/engine"
)

// The answers may be split between reads at any byte.
func TestTerminalAnswersAreRemovedFromInput(t *testing.T) {
	const (
		answers = "\x1b]10;rgb:0000/0000/0000\x1b\\\x1b]11;rgb:ffff/fefe/fdfd\a\x1b[?0u\x1b]7501;?\a\x1b[?62;c"
		keys    = "ab\x1b[A\x1b]1x\x1bOP\x1b[?x\x1b[?25h"
	)
	light := engine.TerminalFacts{Background: [3]uint8{0xff, 0xfe, 0xfd}, HaveColors: true, KittyKeyboard: true}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for cut := range len(keys + answers) {
		o, err := askOwnTerminal(null, true)
		if err != nil {
			t.Fatal(err)
		}
		all := []byte(keys[:8] + answers + keys[8:])
		first, known := o.typed(all[:cut])
		got := string(first)
		rest, now := o.typed(all[cut:])
		got += string(rest)
		if !known && !now || got != keys || o.reported() != light || !o.keepsReports() {
			t.Errorf("cut at %d: typed %q, want %q; all answered: %v; reported %+v", cut, got, keys, known || now, o.reported())
		}
	}
}

func TestEscapeKeyIsReleasedWithoutAnswer(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	o, err := askOwnTerminal(null, true)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := o.typed([]byte("x\x1b")); string(got) != "x" {
		t.Errorf("typed %q before the terminal had time to answer", got)
	}
	if got, known := o.flush(); string(got) != "\x1b" || known {
		t.Errorf("typed %q, answered: %v", got, known)
	}
	if got, _ := o.typed([]byte("\x1b")); string(got) != "\x1b" {
		t.Errorf("typed %q after that", got)
	}
	if got, known := o.typed([]byte("\x1b[?6cx")); string(got) != "x" || !known {
		t.Errorf("typed %q when the answer came late, answered: %v", got, known)
	}
}
