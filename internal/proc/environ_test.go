package proc

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHasVariable(t *testing.T) {
	for _, tc := range []struct {
		name, env string
		want      bool
	}{
		{"alone", "HOB_JOB_ID=a-1\x00", true},
		{"first", "HOB_JOB_ID=a-1\x00B=2\x00", true},
		{"last, not ended", "B=2\x00HOB_JOB_ID=a-1", true},
		{"longer value", "HOB_JOB_ID=a-12\x00", false},
		{"longer name", "XHOB_JOB_ID=a-1\x00", false},
		{"inside a value", "X=HOB_JOB_ID=a-1\x00", false},
		{"the second of two", "HOB_JOB_ID=a-12\x00HOB_JOB_ID=a-1\x00", true},
		{"behind a near miss", "X=HOB_JOB_ID=a-1\x00HOB_JOB_ID=a-1\x00", true},
		{"empty", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := hasVariable([]byte(tc.env), JobVariable, "a-1"); got != tc.want {
				t.Errorf("%q: %v", tc.env, got)
			}
		})
	}
}

func FuzzHasVariable(f *testing.F) {
	f.Add("A=1\x00B=2\x00")
	f.Add("XA=1\x00A=11\x00A=1")
	f.Fuzz(func(t *testing.T, env string) {
		want := false
		for word := range strings.SplitSeq(env, "\x00") {
			want = want || word == "A=1"
		}
		if got := hasVariable([]byte(env), "A", "1"); got != want {
			t.Errorf("%q: %v, want %v", env, got, want)
		}
	})
}

func TestParseArguments(t *testing.T) {
	count := func(n uint32, rest string) []byte {
		return append(binary.NativeEndian.AppendUint32(nil, n), rest...)
	}
	for _, tc := range []struct {
		name string
		data []byte
		argv []string
		env  string
		bad  bool
	}{
		{name: "usual", data: count(2, "/bin/sh\x00\x00\x00sh\x00-i\x00A=1\x00B=2\x00"), argv: []string{"sh", "-i"}, env: "A=1\x00B=2\x00"},
		{name: "no environment", data: count(1, "/bin/sh\x00sh\x00"), argv: []string{"sh"}},
		{name: "no arguments", data: count(0, "/bin/sh\x00\x00A=1\x00"), env: "A=1\x00"},
		{name: "empty argument", data: count(3, "/bin/sh\x00sh\x00\x00x\x00"), argv: []string{"sh", "", "x"}},
		{name: "short", data: []byte{1}, bad: true},
		{name: "fewer than counted", data: count(9, "/bin/sh\x00sh\x00-i\x00"), bad: true},
		{name: "absurd count", data: count(1<<31, "/bin/sh\x00sh\x00"), bad: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, ok := parseArguments(tc.data)
			if ok == tc.bad {
				t.Fatalf("ok %v", ok)
			}
			if tc.bad {
				return
			}
			if diff := cmp.Diff(tc.argv, got.argv); diff != "" {
				t.Error(diff)
			}
			if string(got.env) != tc.env {
				t.Errorf("environment %q", got.env)
			}
		})
	}
}

func FuzzParseArguments(f *testing.F) {
	f.Add([]byte("\x01\x00\x00\x00/bin/sh\x00\x00sh\x00A=1\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if a, ok := parseArguments(data); ok && !bytes.HasSuffix(data, a.env) {
			t.Errorf("environment %q is not the end of %q", a.env, data)
		}
	})
}
