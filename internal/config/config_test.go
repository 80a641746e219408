package config

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/internal/notifyevent"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
)

// environ returns an environment with only these variables.
const day = 24 * time.Hour

func environ(pairs ...string) Environ {
	return func(name string) (string, bool) {
		for _, p := range pairs {
			if k, v, _ := strings.Cut(p, "="); k == name {
				return v, true
			}
		}
		return "", false
	}
}

// load reads a document as the user's file.
func load(t *testing.T, document string, env ...string) *Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	return LoadFrom(path, environ(env...))
}

func TestWriteTOML(t *testing.T) {
	for _, tt := range []struct {
		name, path string
		env        []string
	}{
		{"default", "nowhere/config.toml", nil},
		{"full", "testdata/full.toml", []string{"HOB_YIELD_MS=500", "PI_BASH_JOB_TTL_MS=60000"}},
		{"broken", "testdata/broken.toml", []string{"HOB_YIELD_MS=5", "HOB_TIMEOUT_SEC=soon"}},
		{"no_color", "nowhere/config.toml", []string{"NO_COLOR=1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := LoadFrom(tt.path, environ(tt.env...)).WriteTOML(&out); err != nil {
				t.Fatal(err)
			}
			golden.RequireEqual(t, out.Bytes())
		})
	}
}

// The output of hob config is a configuration file with the same settings.
func TestWriteTOMLReadsBack(t *testing.T) {
	for _, path := range []string{"nowhere", "testdata/full.toml", "testdata/broken.toml"} {
		t.Run(path, func(t *testing.T) {
			first := LoadFrom(path, environ("HOB_MAX_OUTPUT_CHARS=5000"))
			var out bytes.Buffer
			if err := first.WriteTOML(&out); err != nil {
				t.Fatal(err)
			}
			again := load(t, out.String())
			if err := problemsOf(again); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(values(first), values(again)); diff != "" {
				t.Errorf("(-first +again):\n%s", diff)
			}
			if diff := cmp.Diff(fmt.Sprint(first.Keymap().Actions()), fmt.Sprint(again.Keymap().Actions())); diff != "" {
				t.Errorf("keys (-first +again):\n%s", diff)
			}
		})
	}
}

func values(c *Config) map[string]string {
	all := map[string]string{}
	for _, s := range c.settings {
		all[s.name] = s.toTOML()
	}
	return all
}

func TestFile(t *testing.T) {
	c := LoadFrom("testdata/full.toml", environ())
	if err := problemsOf(c); err != nil {
		t.Fatal(err)
	}
	type parts struct {
		Run    Run
		Log    Log
		Keep   Keep
		Notify Notify
		Agent  Agent
		UI     UI
		Theme  Theme
		Hosts  map[string]Host
	}
	want := parts{
		Run:  Run{AfterBackground: "shell", Size: Size{100, 30}, Grace: 90 * time.Second},
		Log:  Log{Limit: 64 * units.MiB, Follow: true, Wrap: true},
		Keep: Keep{Finished: 14 * day, Jobs: 20, Bytes: units.GiB},
		Notify: Notify{
			Command: []string{"sh", "-c", `notify-send "$@"`, "hob"},
			Waiting: Means{Bell: true}, Failed: Means{Bell: true, OSC: true, Title: true},

			Events:        notifyevent.Defaults(),
			ProgramStatus: true,
		},
		Agent: Agent{Timeout: 30 * time.Minute, TTL: 7 * day, MaxOutputChars: 200_000, Aliases: true},
		UI:    UI{Mouse: true, Pager: "less -R"},
		Theme: Theme{Name: "catppuccin", Mode: "light", Tokens: map[string]string{"running": "bold #008800"}},
		Hosts: map[string]Host{
			"gpu2":         {Transport: "auto", ConnectTimeout: 10 * time.Second, Holder: "ask"},
			"web1.example": {Transport: "openssh", StateDir: "/srv/hob", ConnectTimeout: 10 * time.Second, Holder: "ask"},
		},
	}
	got := parts{c.Run, c.Log, c.Keep, c.Notify, c.Agent, c.UI, c.Theme, c.Hosts}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	keys := c.Keymap()
	if diff := cmp.Diff([]string{"ctrl+g"}, keys.Terminal.Leave.Keys()); diff != "" {
		t.Errorf("leave: %s", diff)
	}
	if keys.Panes.Suspend.Enabled() {
		t.Error("suspend is not disabled")
	}

	theme := c.BuildTheme(true)
	if theme.Dark || theme.Name != "catppuccin" {
		t.Errorf("theme.mode = light does not win: %s, dark %v", theme.Name, theme.Dark)
	}
	if want := (themes.Token{FG: lipgloss.Color("#008800"), Bold: true}); theme.Palette.Running != want {
		t.Errorf("running is %+v", theme.Palette.Running)
	}
	if h := c.Host("elsewhere"); !reflect.DeepEqual(h, defaultHost()) {
		t.Errorf("a host that is not named has %+v", h)
	}
}

// Each problem has its line and names valid values. The setting keeps its previous value.
func TestProblems(t *testing.T) {
	for _, tt := range []struct {
		name, document string
		want           []string // "line: name: part of the message"
	}{
		{"syntax", "[run]\ngrace = 5s\n", []string{"2: : "}},
		{"a name twice", "[run]\ngrace = \"5s\"\ngrace = \"6s\"\n", []string{"3: : "}},
		{"unknown section", "\n[rnu]\n", []string{`2: rnu: did you mean [run]?`}},
		{"unknown section like no other", "[frobnicate]\n", []string{"1: frobnicate: valid sections are run, log"}},
		{"unknown setting", "[run]\n\ngrase = \"5s\"", []string{`3: run.grase: did you mean "grace"?`}},
		{"unknown setting like no other", "[keep]\nfrobnicate = 1", []string{"2: keep.frobnicate: valid names are finished, jobs, bytes"}},
		{"outside of its section", "grace = \"5s\"", []string{"1: grace: below [run]"}},
		{"a section that is a value", "run = 5", []string{"1: run: use [run]"}},
		{"dotted", "run.grase = \"5s\"", []string{`1: run.grase: did you mean "grace"?`}},
		{"inline table", "\nrun = { grace = \"5s\", siez = \"1x1\" }", []string{`2: run.siez: did you mean "size"?`}},
		{"array of tables", "[[run]]\ngrace = \"5s\"", []string{"1: run: use [run]"}},
		{"wrong type", "[run]\ngrace = 5\n[log]\nwrap = 1\n[keep]\njobs = \"5\"\n", []string{
			"2: run.grace: must be a string, not a whole number",
			"4: log.wrap: must be true or false, not a whole number",
			"6: keep.jobs: must be a whole number, not a string",
		}},
		{"duration without unit", "[run]\ngrace = \"5\"", []string{"2: run.grace: needs a unit"}},
		{"out of bounds", "[run]\ngrace = \"2h\"\nsize = \"1001x5\"\n[log]\nlimit = \"1MiB\"\n[agent]\nyield_ms = 5\nttl_ms = 59999", []string{
			"2: run.grace: not between 0s and 1h", "3: run.size: not between 1x1", "5: log.limit: below the minimum of 2MiB",
			"7: agent.yield_ms: not between 10 and 120000, or 0", "8: agent.ttl_ms: not between 60000",
		}},
		{"not one of the choices", "[run]\nafter_background = \"desktop\"", []string{"2: run.after_background: use panes, shell"}},
		{"notify", "[notify]\nfailed = [\"bell\", \"horn\"]\ncommand = [1]", []string{
			"2: notify.failed: use bell, osc, title", "3: notify.command: list of strings",
		}},
		{"no such command", "[notify]\ncommand = [\"no-such-command\", \"-a\"]", []string{
			`2: notify.command: there is no command "no-such-command"`,
		}},
		{"relative command", "[notify]\n\ncommand = [\"./tell\"]", []string{
			`3: notify.command: "./tell" is no absolute path, and the command runs in /`,
		}},
		{"unknown event", "[notify]\n\nevents = [\"failed\", \"finished\"]", []string{
			`3: notify.events: unknown event "finished"; use failed, ended, needs_input, blocked, error, done, unhealthy`,
		}},
		{"events as text", "[notify]\nevents = \"failed\"", []string{"2: notify.events: list of strings, not a string"}},
		{"theme", "[theme]\nname = \"solarised\"\nruning = \"red\"\nfailed = 5\nlost = \"rde\"", []string{
			"2: theme.name: use terminal, dark", `3: theme.runing: did you mean "running"?`,
			"4: theme.failed: must be a string", "5: theme.lost: unknown color or attribute",
		}},
		{"hosts", "[hosts]\nweb1 = 5\n[hosts.web2]\nport = 22", []string{
			"2: hosts.web1: use [hosts.web1]", "4: hosts.web2.port: valid names are transport",
		}},
		{"keys", "[keys]\nstopp = \"s\"\nstop = 5\nkill = \"nokey\"\nleave = \"b\"", []string{
			`2: keys.stopp: did you mean "stop"?`, "3: keys.stop: must be a string or a list",
			`4: keys.kill: unknown key "nokey"`, "5: keys.leave: typed as text",
		}},
		{"double binding with a default", "[keys]\n\nkill = \"t\"", []string{"3: keys.kill: key t is bound twice: jobs.tail and panes.kill"}},
		{"double binding of two overrides", "[keys]\nwrap = \"S\"\nlog.timestamps = \"shift+s\"", []string{
			"2: keys.wrap: key S is bound twice: log.wrap and log.timestamps", "3: keys.log.timestamps: key S is bound twice:",
		}},
		{"swapped keys are fine", "[keys]\nstop = \"X\"\nkill = \"x\"", nil},
		{"half of a swap", "[keys]\nstop = \"X\"\nkill = [\"x\", \"nokey\"]", []string{
			"2: keys.stop: key X is bound twice: panes.stop and panes.kill", `3: keys.kill: unknown key "nokey"`,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := load(t, tt.document)
			if len(c.Problems) != len(tt.want) {
				t.Fatalf("problems: %v; want %d", problemsOf(c), len(tt.want))
			}
			for i, p := range c.Problems {
				part := strings.SplitN(tt.want[i], ": ", 3)
				got := fmt.Sprintf("%d: %s", p.Line, p.Name)
				if got != part[0]+": "+part[1] || !strings.Contains(p.Message, part[2]) {
					t.Errorf("got %s: %s\nwant %s", got, p.Message, tt.want[i])
				}
				if prefix := fmt.Sprintf("%s:%d: ", c.Path, p.Line); !strings.HasPrefix(p.Error(), prefix) {
					t.Errorf("%q does not begin with %q", p.Error(), prefix)
				}
			}
			if tt.want == nil {
				return
			}
			if diff := cmp.Diff(values(LoadFrom("", environ())), withoutHosts(values(c))); diff != "" {
				t.Errorf("a refused value is in effect (-default +got):\n%s", diff)
			}
			if diff := cmp.Diff(fmt.Sprint(keymap.Default().Actions()), fmt.Sprint(c.Keymap().Actions())); diff != "" {
				t.Errorf("a refused key is in effect:\n%s", diff)
			}
		})
	}
}

func withoutHosts(values map[string]string) map[string]string {
	for name := range values {
		if strings.HasPrefix(name, "hosts.") {
			delete(values, name)
		}
	}
	return values
}

// Editors on Windows write a byte order mark and end lines with CR LF.
func TestFileFromWindows(t *testing.T) {
	c := load(t, "\xef\xbb\xbf[run]\r\nafter_background = \"shell\"\r\n")
	if err := problemsOf(c); err != nil || c.Run.AfterBackground != "shell" {
		t.Errorf("%v, %+v", err, c.Run)
	}
}

func TestValidValuesBesideInvalidOnes(t *testing.T) {
	c := load(t, "[run]\ngrase = \"1s\"\ngrace = \"2s\"\n[keys]\nstopp = \"s\"\nsort = \"O\"\n")
	if c.Run.Grace != 2*time.Second {
		t.Errorf("grace is %v", c.Run.Grace)
	}
	if got := c.Keymap().Jobs.Sort.Keys(); got[0] != "O" {
		t.Errorf("sort is %v", got)
	}
}

func TestNotifyEvents(t *testing.T) {
	for text, want := range map[string][]notifyevent.Event{
		"":                               notifyevent.Defaults(),
		`events = []`:                    {},
		`events = ["blocked", "failed"]`: {notifyevent.Blocked, notifyevent.Failed},
	} {
		if diff := cmp.Diff(want, load(t, "[notify]\n"+text).Notify.Events); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", text, diff)
		}
	}
}

func TestNotifyCommandAsWords(t *testing.T) {
	c := load(t, "[notify]\ncommand = [\"go\", \"-a\", \"hob\"]")
	if diff := cmp.Diff([]string{"go", "-a", "hob"}, c.Notify.Command); diff != "" {
		t.Error(diff)
	}
	if c := load(t, "[notify]\ncommand = \"\""); c.Notify.Command != nil {
		t.Errorf("an empty command is %q", c.Notify.Command)
	}
}

// problemsOf returns the problems of a file as one error, or nil.
func problemsOf(c *Config) error {
	errs := make([]error, len(c.Problems))
	for i, p := range c.Problems {
		errs[i] = p
	}
	return errors.Join(errs...)
}
