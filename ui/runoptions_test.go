package ui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/record"
)

func TestApplyOptions(t *testing.T) {
	t.Setenv("HOB_TEST_TOKEN", "s3cret")
	terminal := func(s engine.Spec) engine.Spec { s.PTY, s.Stdin = true, true; return s }
	tests := map[string]struct {
		host  string
		text  string
		want  engine.Spec
		wrong string
	}{
		"nothing":           {text: "", want: terminal(engine.Spec{})},
		"a name":            {text: `-n "my web"`, want: terminal(engine.Spec{Name: "my web"})},
		"a value behind =":  {text: "--timeout=90s --name=web", want: terminal(engine.Spec{Name: "web", Timeout: 90 * time.Second})},
		"variables":         {text: "-e PORT=80 --env 'A=b c' -e HOB_TEST_TOKEN", want: terminal(engine.Spec{Env: map[string]string{"PORT": "80", "A": "b c", "HOB_TEST_TOKEN": "s3cret"}})},
		"a port":            {text: "--port 3000", want: terminal(engine.Spec{Port: 3000})},
		"a free port":       {text: "--port auto", want: terminal(engine.Spec{Port: engine.AutoPort})},
		"no terminal":       {text: "--no-pty", want: engine.Spec{}},
		"a pipe, any order": {text: "--stdin --no-pty", want: engine.Spec{Stdin: true}},
		"two streams":       {text: "--split", want: engine.Spec{Split: true}},
		"size and cap":      {text: "--size 100x30 --log-limit 4MiB --notify", want: terminal(engine.Spec{Size: engine.Size{Cols: 100, Rows: 30}, LogLimit: 4 << 20, Notify: true})},

		"on a host":                      {host: "web1", want: engine.Spec{Host: "web1", Stdin: true}},
		"on a host, a terminal":          {host: "web1", text: "--pty", want: terminal(engine.Spec{Host: "web1"})},
		"on a host, no input":            {host: "web1", text: "--no-pty", want: engine.Spec{Host: "web1"}},
		"on a host, two streams, a pipe": {host: "web1", text: "--split --stdin", want: engine.Spec{Host: "web1", Split: true, Stdin: true}},

		"bad port":         {text: "--port web", wrong: "invalid port"},
		"unknown":          {text: "--nmae web", wrong: "unknown option --nmae"},
		"a bare word":      {text: "web", wrong: "unknown option web"},
		"value missing":    {text: "--timeout", wrong: "--timeout needs a value"},
		"value too much":   {text: "--split=yes", wrong: "--split takes no value"},
		"bad duration":     {text: "--timeout 10", wrong: "unit"},
		"bad size":         {text: "--size 0x70000", wrong: "invalid size"},
		"cap too small":    {text: "--log-limit 1KiB", wrong: "at least 2MiB"},
		"variable not set": {text: "-e HOB_TEST_NOT_SET", wrong: "HOB_TEST_NOT_SET needs a value"},
		"open quote":       {text: `-n "web`, wrong: "quote"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := engine.Spec{Host: tt.host}
			_, err := applyOptions(&got, tt.text)
			if tt.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wrong) {
					t.Fatalf("error %v, want %q", err, tt.wrong)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The options of a job, parsed again, give the same request.
func TestOptionsRoundTrip(t *testing.T) {
	t.Setenv("TOKEN", "x")
	j := engine.Job{Request: engine.Request{Name: "it's mine", Port: 3000, Restart: "on-failure:3", Script: "make", Kind: engine.KindFile, Stdin: engine.InputPipe, Timeout: record.InMilliseconds(90 * time.Second), EnvNames: []string{"TOKEN"}, Notify: true}}
	var got engine.Spec
	if _, err := applyOptions(&got, optionsOf(j)); err != nil {
		t.Fatal(err)
	}
	want := engine.Spec{Name: "it's mine", Port: 3000, Restart: "on-failure:3", Stdin: true, Timeout: 90 * time.Second, Env: map[string]string{"TOKEN": "x"}, Notify: true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: %s", optionsOf(j), diff)
	}
}

// A name that was derived from the command follows the edited command.
func TestOptionsOmitDerivedName(t *testing.T) {
	j := engine.Job{Request: engine.Request{Name: "make test", Script: "make test", Kind: engine.KindPTY}}
	if got := optionsOf(j); got != "" {
		t.Errorf("options %q", got)
	}
}

func TestOfferOptions(t *testing.T) {
	var all []string
	for _, o := range editableOptions() {
		offer := "--split --" + o.Name
		if o.Value != "" {
			offer += " "
		}
		all = append(all, offer)
	}
	for before, want := range map[string][]string{
		"--na":       {"--name "},
		"--no-":      {"--no-pty"},
		"--split --": all,
		"--name we":  nil,
		"--split":    nil,
	} {
		if diff := cmp.Diff(want, offerOptions(before)); diff != "" {
			t.Errorf("%q: %s", before, diff)
		}
	}
}

func TestJobWithOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 100, 30, three())
		s.press("n")
		s.write("ls")
		s.press("shift+tab")
		s.write("--nope")
		s.press("enter")
		s.sees("unknown option --nope")
		s.press("ctrl+u")
		s.write("--timeout 5m --no-pty")
		s.press("enter")
		s.calledLast(`start "ls" in "/home/me/src" on ""`)
		if got := s.eng.spec; got.Timeout != 5*time.Minute || got.PTY {
			t.Errorf("started with %+v", got)
		}
	})
}

func TestScriptKeepsLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		eng.jobs[0].Script, eng.jobs[0].Command = "echo a\necho b", nil
		s := newHarness(t, 100, 30, eng)
		s.press("e")
		s.sees("echo a↵echo b")
		s.write("c")
		s.press("enter")
		s.calledLast(`restart dev-aaaaa as "echo a\necho bc" in "/home/me/src" on ""`)
	})
}

func TestLogViewOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three(), WithLogView(LogView{Stay: true, LineNumbers: true}))
		s.sees("1 listening on")
		if s.pane.output.log.Following() {
			t.Error("the log is followed")
		}
	})
}
