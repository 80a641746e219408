package proc

import (
	"strconv"
	"syscall"
	"testing"
)

func TestParseSignal(t *testing.T) {
	for _, tc := range []struct {
		text string
		want syscall.Signal
		bad  bool
	}{
		{text: "TERM", want: 15},
		{text: "SIGTERM", want: 15},
		{text: "sigterm", want: 15},
		{text: " hup ", want: 1},
		{text: "15", want: 15},
		{text: "IOT", want: 6},
		{text: "0", bad: true},
		{text: "-9", bad: true},
		{text: "65", bad: true},
		{text: "", bad: true},
		{text: "SIG", bad: true},
		{text: "SIGSIGTERM", bad: true},
		{text: "NOPE", bad: true},
		{text: "RTMIN*3", bad: true},
		{text: "RTMAX+1", bad: true},
	} {
		t.Run(tc.text, func(t *testing.T) {
			got, err := ParseSignal(tc.text)
			if (err != nil) != tc.bad || got != tc.want {
				t.Errorf("%q is %d, %v", tc.text, got, err)
			}
		})
	}
}

func TestSignalNameRoundTrip(t *testing.T) {
	for n := 1; n <= lastSignal; n++ {
		sig := syscall.Signal(n)
		name := SignalName(sig)
		if name == "signal "+strconv.Itoa(n) {
			continue // a gap in the system's numbers
		}
		if got, err := ParseSignal(name); err != nil || got != sig {
			t.Errorf("%d is %q, which parses as %d, %v", n, name, got, err)
		}
	}
	if got := SignalName(syscall.SIGTERM); got != "SIGTERM" {
		t.Errorf("SIGTERM is %q", got)
	}
	if got := SignalName(200); got != "signal 200" {
		t.Errorf("200 is %q", got)
	}
}
