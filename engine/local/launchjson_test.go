package local

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/internal/jobdir"
)

// Holder and launcher may be of different versions: what one writes by hand the
// other may read by encoding/json, and what it does not know is left to that.
func TestLaunchIsJSON(t *testing.T) {
	full := launchConfig{
		Launch: launchVersion, Build: "b", Dir: "/jobs/x-1", Env: variables{"A=1", "B=caf\xe9\n", "C="},
		Set: []string{"A"}, RuntimeDir: "/run/user/1", Lent: []int{0, 3, 63}, Notify: `say "$1" <&-`,
	}
	for name, c := range map[string]launchConfig{"full": full, "least": {Launch: 1, Dir: "/x"}} {
		t.Run(name, func(t *testing.T) {
			data, err := c.text()
			if err != nil {
				t.Fatal(err)
			}
			var byField launchConfig
			if err := json.Unmarshal(data, &byField); err != nil {
				t.Fatal(err)
			}
			byHand, err := parseLaunch(data)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c, byField); diff != "" {
				t.Errorf("encoding/json reads:\n%s", diff)
			}
			if diff := cmp.Diff(c, byHand); diff != "" {
				t.Errorf("it reads:\n%s", diff)
			}
		})
	}
	later, err := parseLaunch([]byte(`{"launch": 99, "more": {}, "dir": "/x", "env": "QT0xAA=="}`))
	if diff := cmp.Diff(launchConfig{Launch: 99, Dir: "/x", Env: variables{"A=1"}}, later); diff != "" || err != nil {
		t.Errorf("of a later version: %v\n%s", err, diff)
	}
	if c, err := parseLaunch([]byte(`{"launch":2,"env":"not base64"}`)); err == nil {
		t.Errorf("an environment that cannot be read is %v", c.Env)
	}
}

func TestReplyIsJSON(t *testing.T) {
	code := 127
	for name, r := range map[string]launchReply{
		"runs":    {State: &jobdir.State{Machine: "m", Session: 5}},
		"failed":  {State: &jobdir.State{End: &jobdir.End{Status: "failed", Code: &code, Error: "x: command not found"}}},
		"error":   {Error: "no room"},
		"unknown": {Error: "which", Unknown: true},
		"nothing": {},
	} {
		t.Run(name, func(t *testing.T) {
			want, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			data, err := r.text()
			if diff := cmp.Diff(string(want), string(data)); diff != "" || err != nil {
				t.Errorf("%v\n%s", err, diff)
			}
			got, err := parseReply(string(data))
			if diff := cmp.Diff(r, got); diff != "" || err != nil {
				t.Errorf("read: %v\n%s", err, diff)
			}
		})
	}
	later, err := parseReply(`{"state":{"machine":"m"},"more":{}}`)
	if err != nil || later.State == nil || later.State.Machine != "m" {
		t.Errorf("of a later version: %+v, %v", later, err)
	}
	if _, err := parseReply("panic: something"); err == nil {
		t.Error("a trace is an answer")
	}
}
