package localjob

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine/record"
)

// A launcher and a holder may be of different versions.
func TestLaunchFormatIsStable(t *testing.T) {
	code := 127
	var text strings.Builder
	add := func(v any) {
		data, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(data, '\n'))
	}
	for _, c := range []Config{
		{
			Launch: Version, Build: "b", Dir: "/jobs/x-1", Env: variables{"A=1", "B=caf\xe9\n", "C="},
			Set: []string{"A", "B"}, RuntimeDir: "/run/user/1", Passed: []int{0, 3, 63}, Notify: `say "$1" <&-`,
		},
		{},
		{Launch: 1, Dir: "/tmp/caf\xe9", Env: variables{}, Set: []string{}, Passed: []int{}},
	} {
		add(c)
	}
	for _, r := range []Reply{
		{},
		{State: &record.State{Machine: "m<", StartedAt: time.Date(2026, 11, 22, 1, 2, 3, 456, time.FixedZone("", -5400))}},
		{State: &record.State{Exit: record.Exit{Status: "failed", Code: &code, Error: "x: command not found"}}},
		{Error: "which", Unknown: true},
		{Error: "a\xff", State: &record.State{}},
	} {
		add(r)
	}
	golden.RequireEqual(t, text.String())
}

func TestLaunchRoundTrip(t *testing.T) {
	full := Config{
		Launch: Version, Build: "b", Dir: "/jobs/x-1", Env: variables{"A=1", "B=caf\xe9\n", "C="},
		Set: []string{"A"}, RuntimeDir: "/run/user/1", Passed: []int{0, 3, 63}, Notify: `say "$1" <&-`,
	}
	for name, c := range map[string]Config{"full": full, "least": {Launch: 1, Dir: "/x"}} {
		t.Run(name, func(t *testing.T) {
			data, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			var got Config
			if err := json.Unmarshal(data, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	var later Config
	err := json.Unmarshal([]byte(`{"launch": 99, "more": {}, "dir": "/x", "env": "QT0xAA=="}`), &later)
	if diff := cmp.Diff(Config{Launch: 99, Dir: "/x", Env: variables{"A=1"}}, later); diff != "" || err != nil {
		t.Errorf("of a later version: %v\n%s", err, diff)
	}
	if err := json.Unmarshal([]byte(`{"launch":2,"env":"not base64"}`), &later); err == nil {
		t.Errorf("an environment that cannot be read is %v", later.Env)
	}
}

func TestReplyRoundTrip(t *testing.T) {
	code := 127
	for name, r := range map[string]Reply{
		"runs":    {State: &record.State{Machine: "m", Session: 5}},
		"failed":  {State: &record.State{Exit: record.Exit{Status: "failed", Code: &code, Error: "x: command not found"}}},
		"error":   {Error: "no room"},
		"unknown": {Error: "which", Unknown: true},
		"nothing": {},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			var got Reply
			err = json.Unmarshal(data, &got)
			if diff := cmp.Diff(r, got); diff != "" || err != nil {
				t.Errorf("read: %v\n%s", err, diff)
			}
		})
	}
	var later Reply
	err := json.Unmarshal([]byte(`{"state":{"machine":"m"},"more":{}}`), &later)
	if err != nil || later.State == nil || later.State.Machine != "m" {
		t.Errorf("of a later version: %+v, %v", later, err)
	}
	if err := json.Unmarshal([]byte("panic: something"), &later); err == nil {
		t.Error("a trace is an answer")
	}
}
