package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
)

func TestExplain(t *testing.T) {
	ambiguous := &engine.AmbiguousError{Ref: "web", Candidates: []engine.Job{
		{
			Request: engine.Request{ID: "web-aaaaa", Name: "web", CreatedAt: time.Now(), Labels: map[string]string{"group": "shop"}},
			State:   engine.State{Status: engine.Running},
		},
		{
			Request: engine.Request{ID: "web-bbbbb", Name: "web", CreatedAt: time.Now(), Dir: "/srv/site", Host: "web1"},
			State:   engine.State{Status: engine.Exited},
		},
	}}
	for name, c := range map[string]struct {
		err  error
		exit int
		code string
	}{
		"anything":        {errors.New("disk full"), 1, "failed"},
		"usage":           {usagef("h", "m"), 2, "usage"},
		"invalid":         {fmt.Errorf("start: %w", engine.ErrInvalid), 2, "usage"},
		"ambiguous":       {ambiguous, 2, "ambiguous"},
		"no such job":     {&engine.Error{Op: "get", Err: engine.ErrNotFound}, 3, "not_found"},
		"not running":     {engine.ErrNotRunning, 4, "not_running"},
		"running":         {engine.ErrRunning, 4, "running"},
		"no input":        {engine.ErrNoInput, 4, "no_input"},
		"elsewhere":       {engine.ErrElsewhere, 4, "elsewhere"},
		"unreachable":     {engine.ErrUnreachable, 5, "unreachable"},
		"state directory": {engine.ErrStateDir, 1, "state_root"},
		"hob's own":       {hobFailed(errors.New("x")), 125, "failed"},
		"several":         {errors.Join(engine.ErrNotRunning, errors.New("x")), 4, "not_running"},
		"hob, missing":    {hobFailed(engine.ErrNotFound), 125, "not_found"},
	} {
		t.Run(name, func(t *testing.T) {
			f := explain(c.err)
			if f.exit != c.exit || f.code != c.code {
				t.Errorf("explain(%v) = %d %s, want %d %s", c.err, f.exit, f.code, c.exit, c.code)
			}
		})
	}
	for want, err := range map[string]error{
		"ulimit -n":   &engine.Error{Op: "start", Err: &fs.PathError{Op: "start the job's holder", Path: "/proc/self/exe", Err: syscall.EMFILE}},
		"mount /proc": &engine.Error{Op: "start", Err: &fs.PathError{Op: "start the job's holder", Path: "/proc/self/exe", Err: syscall.ENOENT}},
	} {
		if hint := explain(err).hint; !strings.Contains(hint, want) {
			t.Errorf("explain(%v) hints %q", err, hint)
		}
	}
	want := "use an ID, or the letters at its end:\n  web-aaaaa  running    0s ago  shop/web\n  web-bbbbb  exited     0s ago  /srv/site on web1"
	if diff := cmp.Diff(want, explain(ambiguous).hint); diff != "" {
		t.Error(diff)
	}
}

func TestHobFailedKeepsTheJobsCode(t *testing.T) {
	if got, ok := errors.AsType[exitStatus](hobFailed(exitStatus(42))); !ok || got != 42 {
		t.Errorf("hobFailed(exit status 42) = %v, %v", got, ok)
	}
	if err := hobFailed(nil); err != nil {
		t.Errorf("hobFailed(nil) = %v", err)
	}
}

func TestOwnCode(t *testing.T) {
	code := func(n int) *int { return &n }
	for name, c := range map[string]struct {
		exit engine.Exit
		want int
	}{
		"zero":         {engine.Exit{Status: engine.Exited, Code: code(0)}, 0},
		"own":          {engine.Exit{Status: engine.Exited, Code: code(42)}, 42},
		"signal":       {engine.Exit{Status: engine.Killed, Code: code(143), Signal: "SIGTERM"}, 143},
		"lost":         {engine.Exit{Status: engine.Lost}, 125},
		"lost, a code": {engine.Exit{Status: engine.Lost, Code: code(0)}, 125},
		"no code":      {engine.Exit{Status: engine.Exited}, 125},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ownCode(c.exit); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func TestLeaveKey(t *testing.T) {
	for name, c := range map[string]struct {
		keys   []string
		chunks []string
		want   string // what went to the job
		found  bool
	}{
		"none":                 {[]string{"ctrl+b"}, []string{"ls\r"}, "ls\r", false},
		"plain":                {[]string{"ctrl+b"}, []string{"ab\x02cd"}, "ab", true},
		"kitty":                {[]string{"ctrl+b"}, []string{"x\x1b[98;5u"}, "x", true},
		"kitty press":          {[]string{"ctrl+b"}, []string{"\x1b[98;5:1u"}, "", true},
		"modify other keys":    {[]string{"ctrl+b"}, []string{"\x1b[27;5;98~"}, "", true},
		"rebound":              {[]string{"ctrl+g"}, []string{"\x02\x07"}, "\x02", true},
		"rebound to a sign":    {[]string{"ctrl+]"}, []string{"\x1d"}, "", true},
		"in a paste":           {[]string{"ctrl+b"}, []string{"\x1b[200~a\x02b\x1b[201~"}, "\x1b[200~a\x02b\x1b[201~", false},
		"in a paste in pieces": {[]string{"ctrl+b"}, []string{"\x1b[200~a", "\x02", "\x1b[201~"}, "\x1b[200~a\x02\x1b[201~", false},
		"after a paste":        {[]string{"ctrl+b"}, []string{"\x1b[200~a\x1b[201~\x02"}, "\x1b[200~a\x1b[201~", true},
		"switched off":         {nil, []string{"\x02"}, "\x02", false},
	} {
		t.Run(name, func(t *testing.T) {
			k := newLeaveKey(c.keys)
			var sent string
			var found bool
			for _, chunk := range c.chunks {
				var before []byte
				before, found = k.find([]byte(chunk))
				sent += string(before)
			}
			if sent != c.want || found != c.found {
				t.Errorf("sent %q, found %v; want %q, %v", sent, found, c.want, c.found)
			}
		})
	}
}

func TestOwnFlags(t *testing.T) {
	for line, want := range map[string]string{
		"list --bad --json":               "list --bad --json",
		"run":                             "",
		"run --bad --json true":           "--bad --json",
		"run --size x --json true":        "--size --json",
		"run --size=x --json true":        "--size=x --json",
		"run -bn --json --bad true":       "-bn --bad",
		"run -b --json --size 0x0 -- x":   "-b --json --size",
		"run --bad -- --json":             "--bad",
		"run --bad true --json":           "--bad",
		"run --no-pty - --json":           "--no-pty",
		"run -e A=1 --json -C / --x true": "-e --json -C --x",
	} {
		root := (&app{}).newRoot()
		if got := strings.Join(ownFlags(root, strings.Fields(line)), " "); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestCleaner(t *testing.T) {
	for name, c := range map[string]struct {
		in   []string
		want string
	}{
		"text":      {[]string{"a\tb\nc"}, "a\tb\nc"},
		"line ends": {[]string{"a\r\nb\r\n"}, "a\nb\n"},
		"colours":   {[]string{"\x1b[31mred\x1b[m"}, "red"},
		"clipboard": {[]string{"x\x1b]52;c;aGk=\x07y"}, "xy"},
		"bell":      {[]string{"a\x07b"}, "ab"},
		"unicode":   {[]string{"größe ✓"}, "größe ✓"},
		"progress":  {[]string{"1%\r5", "0%\rdone\r\n"}, "done\n"},
		"long line": {[]string{strings.Repeat("x", maxLine), "y"}, strings.Repeat("x", maxLine) + "y"},
		"in pieces": {[]string{"a\x1b", "[3", "1mred", "\x1b]0;ti", "tle\x07 end"}, "ared end"},
	} {
		t.Run(name, func(t *testing.T) {
			var clean cleaner
			var got []byte
			for i, p := range c.in {
				got = append(got, clean.clean([]byte(p), i == len(c.in)-1)...)
			}
			if string(got) != c.want {
				t.Errorf("%q becomes %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestJSONHasEveryField(t *testing.T) {
	p, err := engine.Job{}.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]json.RawMessage
	if err := json.Unmarshal(p, &got); err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(jobFields) {
		if _, ok := got[name]; !ok {
			t.Errorf("no field %s", name)
		}
	}
}

// jobFields are the fields that the contract promises for every job.
const jobFields = `id name command script host dir kind backgrounded status reason exit_code signal pid
started_at ended_at uptime_seconds output_path stdout_path stderr_path output_bytes dropped_bytes log_limit
waiting_for_input title progress ports cpu_percent rss_bytes size cwd paused timeout_seconds deadline_at
grace_seconds stop_deadline_at env_names survivors ended_by restarted_from link link_error stale_since machine
created_at created_by labels error`

func TestFlagValues(t *testing.T) {
	t.Run("environment", func(t *testing.T) {
		t.Setenv("HOB_TEST_SET", "here")
		got, err := environment([]string{"A=1", "B=", "C=a=b", "HOB_TEST_SET"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]string{"A": "1", "B": "", "C": "a=b", "HOB_TEST_SET": "here"}, got); diff != "" {
			t.Error(diff)
		}
		for _, bad := range []string{"", "=x", "HOB_TEST_NOT_SET", "A=\x00"} {
			if _, err := environment([]string{bad}); err == nil {
				t.Errorf("%q is accepted", bad)
			}
		}
	})
	t.Run("signal", func(t *testing.T) {
		for in, want := range map[string]string{"hup": "SIGHUP", "SIGINT": "SIGINT", "9": "9", "sigusr1": "SIGUSR1"} {
			if got, err := parseSignal(in); err != nil || got != want {
				t.Errorf("%s: %s, %v, want %s", in, got, err, want)
			}
		}
		if _, err := parseSignal(""); err == nil {
			t.Error("no signal is accepted")
		}
	})
	t.Run("since", func(t *testing.T) {
		now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		for in, want := range map[string]time.Time{
			"": {}, "2h": now.Add(-2 * time.Hour), "2026-01-01T00:00:00Z": time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		} {
			if got, err := sinceTime(in, now); err != nil || !got.Equal(want) {
				t.Errorf("%q: %v, %v, want %v", in, got, err, want)
			}
		}
		if _, err := sinceTime("soon", now); err == nil {
			t.Error("soon is accepted")
		}
	})
}

func TestEndsAnswers(t *testing.T) {
	for in, want := range map[string]bool{
		"":                             false,
		"\x1b[?2026;2$y\x1b[?2027;2$y": false,
		"\x1b]11;rgb:0/0/0\x1b\\":      false,
		"\x1b[?62;22c":                 true,
		"\x1b[?2026;2$y\x1b[?1;2c":     true,
		"\x1b[?c":                      true,
		"\x1b[?62;2":                   false,
		"c":                            false,
	} {
		if got := endsAnswers([]byte(in)); got != want {
			t.Errorf("%q: %v, want %v", in, got, want)
		}
	}
}
