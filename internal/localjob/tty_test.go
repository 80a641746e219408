//go:build linux || darwin

package localjob

import (
	"testing"

	"github.com/hobjobs/hob/engine/record"
)

func TestTTYMode(t *testing.T) {
	tty, err := openTTY(record.Size{Cols: 80, Rows: 24})
	if err != nil {
		t.Fatal(err)
	}
	defer tty.close()
	if mode, err := tty.mode(); err != nil || mode != (inputMode{canonical: true, echo: true}) {
		t.Errorf("mode %+v, %v", mode, err)
	}
	if !tty.interrupts([]byte("a\x03")) || tty.interrupts([]byte("a")) {
		t.Error("Ctrl+C is not recognized")
	}
	if err := tty.echoOff(); err != nil {
		t.Fatal(err)
	}
	if mode, err := tty.mode(); err != nil || mode != (inputMode{canonical: true}) {
		t.Errorf("mode without echo %+v, %v", mode, err)
	}
}
