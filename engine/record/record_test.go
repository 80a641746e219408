package record_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
)

func TestMillisecondsJSON(t *testing.T) {
	for d, want := range map[time.Duration]record.Milliseconds{
		0: 0, 499 * time.Microsecond: 0, 500 * time.Microsecond: 1, 90 * time.Second: 90_000, -time.Second: -1000,
	} {
		if got := record.InMilliseconds(d); got != want {
			t.Errorf("%v is %d, want %d", d, got, want)
		}
	}
	if got := record.Milliseconds(1500).Duration(); got != 1500*time.Millisecond {
		t.Errorf("1500 is %v", got)
	}
}

// A later version may write an end with fewer fields; it is still an end.
func TestExitKnownByAnyField(t *testing.T) {
	code := 0
	for name, e := range map[string]record.Exit{
		"status": {Status: record.Lost}, "code": {Code: &code}, "time": {At: time.Unix(1, 0)},
	} {
		if !e.Known() {
			t.Errorf("an end with a %s is none", name)
		}
	}
	var s record.State
	if err := json.Unmarshal([]byte(`{"version":1,"machine":"m"}`), &s); err != nil || s.Exit.Known() {
		t.Errorf("a job that runs has the end %+v, %v", s.Exit, err)
	}
}

func TestInputWritable(t *testing.T) {
	for in, want := range map[record.Input]bool{
		record.InputPTY: true, record.InputTTY: true, record.InputPipe: true, record.InputHook: true,
		record.InputInherited: false, record.InputNull: false, "": false,
	} {
		if in.Writable() != want {
			t.Errorf("%q: writable %v, want %v", in, in.Writable(), want)
		}
	}
}
