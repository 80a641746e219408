//go:build unix

package mcp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestScopes(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	other := t.TempDir()
	if err := os.MkdirAll(filepath.Join(h.project, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	sub := filepath.Join(h.project, "deep", "down")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	mine := h.agent("claude-code").bash(params{"command": "echo mine; sleep 1000", "background": true}).SessionID

	for _, tt := range []struct {
		name  string
		peer  *peer
		owner bool
	}{
		{"same client, same project", h.agent("claude-code"), true},
		{"same client, below the project", h.agentIn(sub, "claude-code"), true},
		{"same client, another project", h.agentIn(other, "claude-code"), false},
		{"another client", h.agent("gemini-cli"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list := tt.peer.process("list", "")
			if (len(list.Jobs) == 1) != tt.owner {
				t.Errorf("list: %s", list.json)
			}
			if tt.owner {
				if r := tt.peer.process("log", mine); r.Status != "running" {
					t.Errorf("log: %s", r.json)
				}
				return
			}
			for _, action := range []string{"poll", "log", "screen", "kill", "remove", "write", "send-keys", "submit", "paste", "wait", "restart", "clear"} {
				args := params{"action": action, "sessionId": mine}
				switch action {
				case "write", "submit", "paste":
					args["data"] = "x"
				case "send-keys":
					args["keys"] = []string{"C-c"}
				}
				tt.peer.refused("process", args, "not_found", mine)
			}
			// The error is the same as for an id that never existed.
			foreign := tt.peer.call("process", params{"action": "poll", "sessionId": mine})
			never := tt.peer.call("process", params{"action": "poll", "sessionId": "never-was-22222"})
			if strings.ReplaceAll(foreign.text, mine, "X") != strings.ReplaceAll(never.text, "never-was-22222", "X") {
				t.Errorf("a foreign id can be distinguished from an unknown one:\n%s\n%s", foreign.text, never.text)
			}
			if r := tt.peer.process("list", "", "all", true); len(r.Jobs) != 1 || r.Jobs[0].CreatedBy != "claude-code" {
				t.Errorf("with all: %s", r.json)
			}
			if r := tt.peer.process("log", mine, "all", true); r.SessionID != mine {
				t.Errorf("with all: %s", r.json)
			}
		})
	}
}

func TestLogPages(t *testing.T) {
	t.Parallel()
	p := newHome(t).agent("tester")
	three := p.bash(params{"command": "printf 'a\\nb\\nc\\n'", "background": true}).SessionID
	many := p.bash(params{"command": "seq 260", "background": true}).SessionID
	p.ends(three)
	p.ends(many)
	seq := func(from, to int) string {
		var b strings.Builder
		for i := from; i <= to; i++ {
			fmt.Fprintln(&b, i)
		}
		return b.String()
	}
	for _, tt := range []struct {
		name   string
		id     string
		args   []any
		want   string
		offset int64
		total  int64
		hint   string // expected in a notice; "-": no notice may have the number of lines
	}{
		{"last two", three, []any{"limit", 2}, "b\nc\n", 1, 3, ""},
		{"second", three, []any{"offset", 1, "limit", 1}, "b\n", 1, 3, ""},
		{"none", three, []any{"limit", 0}, "", 3, 3, ""},
		{"behind the end", three, []any{"offset", 9}, "", 9, 3, "-"},
		{"no window", many, nil, seq(61, 260), 60, 260, "last 200 of 260"},
		{"offset alone", many, []any{"offset", 30}, seq(31, 260), 30, 260, "-"},
		{"filter", many, []any{"filter", "^25"}, "25\n" + seq(250, 259), 0, 260, ""},
		{"filter and exclude", many, []any{"filter", "^25", "exclude", "[3-8]$"}, "250\n251\n252\n259\n", 0, 260, ""},
		{"exclude alone", three, []any{"exclude", "b"}, "a\nc\n", 0, 3, ""},
		{"more than there are", three, []any{"limit", 1000}, "a\nb\nc\n", 0, 3, "-"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := p.process("log", tt.id, tt.args...)
			if r.output() != tt.want {
				t.Errorf("%q, want %q", r.output(), tt.want)
			}
			if *r.Offset != tt.offset || *r.TotalLines != tt.total {
				t.Errorf("offset %d of %d, want %d of %d", *r.Offset, *r.TotalLines, tt.offset, tt.total)
			}
			if tt.hint == "-" && r.noticed("of 260") || tt.hint != "-" && !r.noticed(tt.hint) {
				t.Errorf("notices: %v", r.Notices)
			}
		})
	}
}

// Following the hints from page to page yields each line once, with any filter and page size.
func TestLogPagesContinue(t *testing.T) {
	t.Parallel()
	p := newHome(t).agent("tester", "HOB_MAX_OUTPUT_CHARS=1000")
	id := p.bash(params{"command": "seq 1000; printf '%03000d\\n' 7; echo last", "background": true, "notify": "silent"}).SessionID
	p.process("wait", id)
	var every, filtered strings.Builder
	for i := 1; i <= 1000; i++ {
		fmt.Fprintln(&every, i)
		if i%10 == 5 {
			fmt.Fprintln(&filtered, i)
		}
	}
	for _, tt := range []struct {
		args params
		want string
	}{
		{params{"offset": 0}, every.String()},
		{params{"offset": 0, "limit": 7, "filter": "5$"}, filtered.String()},
	} {
		var all strings.Builder
		for args, pages := tt.args, 0; ; pages++ {
			args["action"], args["sessionId"] = "log", id
			r := p.call("process", args)
			all.WriteString(r.output())
			n := slices.IndexFunc(r.Notices, func(s string) bool { return strings.Contains(s, " continues") })
			if n < 0 || pages > 100 {
				break
			}
			_, next, _ := strings.Cut(r.Notices[n], "; process ")
			args = rawArgs(t, strings.TrimSuffix(next, " continues"))
		}
		if !strings.HasPrefix(all.String(), tt.want) {
			t.Errorf("%v: %d bytes, want %d: %.200q", tt.args, all.Len(), len(tt.want), all.String())
		}
	}
	// A notice reports requested lines that do not fit.
	r := p.process("log", id, "limit", 1002)
	if !r.noticed(fmt.Sprintf("only the last %d of these 1002 lines fit", 1002-*r.Offset)) {
		t.Errorf("from line %d on: %v", *r.Offset, r.Notices)
	}
	if r := p.process("log", id, "limit", 1); r.output() != "last\n" || r.noticed(" fit") {
		t.Errorf("one that fits: %q, %v", r.output(), r.Notices)
	}
	r = p.process("log", id, "offset", 1000, "limit", 1)
	if !r.Truncated || !r.noticed(p.process("poll", id).OutputPath) {
		t.Errorf("a line that is cut: %s", r.json)
	}
}

func TestWait(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	port := freePort(t)
	p := h.agent("tester")
	quick := p.bash(params{"command": "echo first; exit 3", "background": true}).SessionID
	slow := p.bash(params{"command": "echo ready on 3000; sleep 1000", "background": true}).SessionID
	server := p.bash(params{
		"command": "exec " + os.Args[0], "env": params{roleVariable: "listen 127.0.0.1:" + port}, "background": true, "name": "server",
	}).SessionID
	for _, tt := range []struct {
		name  string
		id    string
		args  []any
		met   bool
		match string
		note  string
	}{
		{"end", quick, nil, true, "", ""},
		{"end by name", quick, []any{"until", "exit"}, true, "", ""},
		{"line printed already", slow, []any{"until", `ready on \d+`}, true, "ready on 3000", ""},
		{"line of a job that ended", quick, []any{"until", "^first$"}, true, "first", ""},
		{"line that never came", quick, []any{"until", "second"}, false, "", "ended before"},
		{"not in time", slow, []any{"timeout", 10}, false, "", "not yet"},
		{"line not in time", slow, []any{"until", "never", "timeoutMs", 10}, false, "", "not yet"},
		{"quiet", slow, []any{"until", "quiet:10ms"}, true, "", ""},
		{"quiet because it ended", quick, []any{"until", "quiet:1h"}, true, "", ""},
		{"port", server, []any{"until", "port:" + port}, true, "", ""},
		{"a line, of several", slow, []any{"until", "never\nquiet:1h\nready on"}, true, "ready on 3000", ""},
		{"quiet, of several", slow, []any{"until", "never\r\nquiet:10ms\n"}, true, "", "this held: quiet:10ms"},
		{"port, of several", server, []any{"until", "never\nport:" + port}, true, "", "this held: port:"},
		{"end, of several", quick, []any{"until", "never\nexit"}, true, "", "this held: exit"},
		{"none of several", quick, []any{"until", "never\nport:" + port}, false, "", "ended before that: never or port:"},
		{"port of a job that ended", quick, []any{"until", "port:" + port}, false, "", "ended before"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := p.process("wait", tt.id, tt.args...)
			if r.Met == nil || *r.Met != tt.met || r.Match != tt.match || !r.noticed(tt.note) {
				t.Errorf("the answer: %s", r.json)
			}
		})
	}
	if r := p.process("wait", slow, "timeout", 10, "until", "quiet:5s"); *r.Met {
		t.Error("quiet before its time")
	}
	for _, until := range []string{"quiet:soon", "quiet:", "port:http", "port:0", "(", "ready\nquiet:soon"} {
		p.refused("process", params{"action": "wait", "sessionId": slow, "until": until}, "usage", "quiet:5s")
	}
	if r := p.process("poll", quick); r.output() != "first\n" {
		t.Error("waiting has consumed output")
	}
}

func TestPrompts(t *testing.T) {
	t.Parallel()
	p := newHome(t).agent("tester")
	// Like a program that asks for a password: on the terminal, not on stdout.
	id := p.bash(params{"command": `exec 3<>/dev/tty; printf 'Password: ' >&3; read -r p <&3; echo "$p has ${#p} characters"`, "background": true}).SessionID
	if r := p.process("wait", id, "until", "Password:"); !*r.Met {
		t.Fatalf("the prompt was not seen: %s", r.json)
	}
	p.process("submit", id, "data", "secret")
	if all, _ := p.ends(id); all != "Password: secret has 6 characters\n" {
		t.Errorf("%q", all)
	}
}

func TestKillClearRemoveRestart(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.agent("tester")
	id := p.bash(params{"command": "sleep 1000 & sleep 1000", "name": "sleeper", "background": true}).SessionID
	p.refused("process", params{"action": "clear", "sessionId": id}, "running", id, "kill", "remove")
	if r := p.process("kill", "sleeper"); r.Status != "failed" || r.ExitSignal != "SIGTERM" || r.Reason != "kill" {
		t.Errorf("kill: %s", r.json)
	}
	if r := p.process("kill", id); !strings.Contains(r.text, "already") {
		t.Errorf("the second kill: %s", r.text)
	}
	if by := h.jobs()[0].Exit.EndedBy; by != "tester" {
		t.Errorf("ended by %q", by)
	}
	again := p.process("restart", id)
	if again.Status != "running" || again.SessionID == id || again.Name != "sleeper" {
		t.Errorf("restart: %s", again.json)
	}
	p.process("clear", id)
	p.refused("process", params{"action": "log", "sessionId": id}, "not_found", id)
	p.process("remove", again.SessionID)
	if list := p.process("list", ""); len(list.Jobs) != 0 {
		t.Errorf("left: %s", list.json)
	}
	given := p.bash(params{"command": "echo $COLOR", "env": params{"COLOR": "red"}, "background": true}).SessionID
	p.ends(given)
	p.refused("process", params{"action": "restart", "sessionId": given}, "usage", "COLOR")
	blue := p.process("restart", given, "env", params{"COLOR": "blue"})
	if all, _ := p.ends(blue.SessionID); all != "blue\n" {
		t.Errorf("%q", all)
	}
}

func TestActingOnJobOfUser(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	theirs := strings.TrimSpace(h.hob("run -b --no-pty --stdin cat"))
	p := h.agent("tester")
	p.refused("process", params{"action": "kill", "sessionId": theirs}, "not_found", theirs, "all")
	p.process("write", theirs, "data", "hello\n", "all", true)
	if r := p.process("wait", theirs, "until", "hello", "all", true); !*r.Met {
		t.Error("the line was not seen")
	}
	p.process("kill", theirs, "all", true)
	again := p.process("restart", theirs, "all", true)
	if list := p.process("list", ""); len(list.Jobs) != 1 || list.Jobs[0].SessionID != again.SessionID {
		t.Errorf("the restarted job is not the agent's: %s", list.json)
	}
}

func TestListShowsWhatMatters(t *testing.T) {
	t.Parallel()
	p := newHome(t).agent("tester")
	for i := range 53 {
		id := p.bash(params{"command": "true", "name": fmt.Sprintf("job %d", i), "background": true}).SessionID
		p.process("wait", id)
	}
	asks := p.bash(params{"command": "read -r x", "background": true}).SessionID
	list := p.process("list", "")
	if len(list.Jobs) != 51 || list.Jobs[0].SessionID != asks || list.Jobs[1].Name != "job 52" || list.Jobs[50].Name != "job 3" || !list.noticed("3 finished jobs") {
		t.Errorf("%d rows, notices %v", len(list.Jobs), list.Notices)
	}
	if !strings.Contains(list.text, "1 running, 53 finished") {
		t.Errorf("the text begins %q", strings.SplitN(list.text, "\n", 2)[0])
	}
	if page := p.process("list", "", "offset", 50); len(page.Jobs) != 4 || page.Jobs[3].Name != "job 0" {
		t.Errorf("the second page: %s", page.json)
	}
	for _, args := range [][]any{
		{"filter", "^job 7$"},
		{"filter", "^job-7-"}, // matches the id
		{"filter", "^true$", "exclude", "^job ([0-68-9]|[0-9]{2})$"},
	} {
		if r := p.process("list", "", args...); len(r.Jobs) != 1 || r.Jobs[0].Name != "job 7" {
			t.Errorf("%v: %s", args, r.json)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	p := newHome(t).agent("tester")
	id := p.bash(params{"command": "sleep 1000", "background": true}).SessionID
	for _, tt := range []struct {
		tool  string
		args  params
		words []string
	}{
		{"bash", params{}, []string{"command"}},
		{"bash", params{"command": "  "}, []string{"command"}},
		{"bash", params{"command": "true", "tiemout": 5}, []string{"tiemout", "timeout"}},
		{"bash", params{"command": "true", "timeout": -1}, []string{"timeout", "seconds"}},
		{"bash", params{"command": "true", "timeout": "long"}, []string{"timeout", "number"}},
		{"bash", params{"command": "true", "env": params{"A": nil}}, []string{"env.A", "string"}},
		{"process", params{"action": "wait", "sessionId": id, "timeout_seconds": 5}, []string{"timeout_seconds", "milliseconds"}},
		{"bash", params{"command": "true", "pty": "perhaps"}, []string{"pty", "true or false"}},
		{"bash", params{"command": "true", "stdin": "pipe"}, []string{"stdin", "tty", "none"}},
		{"bash", params{"command": "true", "notify": "loud"}, []string{"notify", "silent"}},
		{"bash", params{"command": "true", "background": true, "run_in_background": true}, []string{"background", "twice"}},
		{"bash", params{"command": "true", "pty": true, "split": true}, []string{"pty", "split"}},
		{"process", params{}, []string{"action", "poll"}},
		{"process", params{"action": "look"}, []string{"look", "poll"}},
		{"process", params{"action": "poll"}, []string{"sessionId", id}},
		{"process", params{"action": "poll", "sessionId": id, "keys": []string{"a"}}, []string{"poll", "keys", "timeout"}},
		{"process", params{"action": "log", "sessionId": id, "offset": -1}, []string{"offset"}},
		{"process", params{"action": "write", "sessionId": id}, []string{"data"}},
		{"process", params{"action": "send-keys", "sessionId": id}, []string{"keys"}},
		{"process", params{"action": "list", "sessionId": id}, []string{"list", "sessionId"}},
	} {
		p.refused(tt.tool, tt.args, "usage", tt.words...)
	}
	// A client may send empty values for unused parameters.
	for _, action := range []string{"list", "log"} {
		idle := params{"action": action, "sessionId": "", "data": "", "keys": []string{}, "until": "", "timeout": 0, "eof": false, "env": params{}}
		if action != "list" {
			idle["sessionId"] = id
		}
		if r := p.call("process", idle); r.Status == "" && r.Jobs == nil {
			t.Errorf("%s with parameters that hold nothing: %s", action, r.json)
		}
	}
	p.refused("bash", params{"command": "true", "host": "nowhere.invalid", "timeout": 1}, "unreachable", "nowhere.invalid")
	second := p.bash(params{"command": "sleep 1000", "background": true}).SessionID
	p.refused("process", params{"action": "kill", "sessionId": "sleep"}, "ambiguous", id, second)
}

func TestAliases(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	plain := h.agent("tester")
	p := h.agent("tester", "HOB_CONFIG="+aliasConfig(t))
	if got := plain.tools(); !slices.Equal(got, []string{"bash", "process"}) {
		t.Errorf("without aliases: %v", got)
	}
	want := []string{"bash", "bash_background_list", "bash_background_terminate", "bash_output", "process"}
	if got := p.tools(); !slices.Equal(got, want) {
		t.Errorf("with aliases: %v", got)
	}
	r := p.call("bash", params{"script": "echo yes; echo no; sleep 1000", "run_in_background": true, "display_name": "both", "timeout_secs": 60})
	if r.Name != "both" || r.Status != "running" || r.DeadlineAt == nil {
		t.Fatalf("bash: %s", r.json)
	}
	p.process("wait", r.SessionID, "until", "no")
	out := p.call("bash_output", params{"process_id": r.SessionID, "filter": "yes", "filter_exclude": true, "timeout_secs": 5})
	if out.output() != "no\n" {
		t.Errorf("bash_output: %s", out.json)
	}
	for _, name := range []string{"bash_id", "shell_id", "sessionId"} {
		if again := p.call("bash_output", params{name: r.SessionID}); again.SessionID != r.SessionID {
			t.Errorf("bash_output by %s: %s", name, again.json)
		}
	}
	if list := p.call("bash_background_list", params{}); len(list.Jobs) != 1 {
		t.Errorf("bash_background_list: %s", list.json)
	}
	for _, tool := range []string{"bash_output", "bash_background_terminate"} {
		if r := p.call(tool, params{}); !strings.Contains(r.text, tool+": process_id is missing") {
			t.Errorf("%s of no job: %s", tool, r.text)
		}
	}
	if end := p.call("bash_background_terminate", params{"process_id": r.SessionID}); end.Status != "failed" || end.Reason != "kill" {
		t.Errorf("bash_background_terminate: %s", end.json)
	}
}

func TestResources(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := newGate(t)
	p := h.agent("tester")
	id := p.bash(params{"command": "echo one; read -r x < " + gate.path + "; echo two", "background": true}).SessionID
	p.process("wait", id, "until", "one")
	list, err := p.session.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 1 {
		t.Fatalf("resources: %+v, %v", list, err)
	}
	uri := list.Resources[0].URI
	if uri != "hob://jobs/"+id+"/log" {
		t.Errorf("uri %q", uri)
	}
	read := func() string {
		r, err := p.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil {
			t.Fatal(err)
		}
		return r.Contents[0].Text
	}
	if got := read(); got != "one\n" {
		t.Errorf("the log: %q", got)
	}
	silent := p.bash(params{"command": "sleep 1000", "background": true}).SessionID
	if r, err := p.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "hob://jobs/" + silent + "/log"}); err != nil || r.Contents[0].Text != "(no output)" {
		t.Errorf("an empty log: %+v, %v", r, err)
	}
	p.process("remove", silent)
	gate.open()
	p.ends(id)
	if got := read(); got != "one\ntwo\n" {
		t.Errorf("the log at the end: %q", got)
	}
	if r, err := h.agent("other").session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err == nil {
		t.Errorf("another agent reads %q", r.Contents[0].Text)
	}
	p.process("clear", id)
	if list, err := p.session.ListResources(t.Context(), nil); err != nil || len(list.Resources) != 0 {
		t.Errorf("after the clear: %+v, %v", list, err)
	}
}

func TestLongNamesStayShort(t *testing.T) {
	t.Parallel()
	p := newHome(t).agent("tester")
	r := p.bash(params{"command": "sleep 1000", "name": strings.Repeat("näme ", 100), "background": true})
	if n := utf8.RuneCountInString(r.Name); n > 60 {
		t.Errorf("a name of %d characters", n)
	}
}

// The names of directories and processes come from repositories that others wrote.
func TestForeignNamesAreClean(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	dir := filepath.Join(h.project, "a\u202eb\u009bc\x1b[2Jd\U000e0041")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	p := h.agent("claude-code")
	answers := map[string]reply{
		"run":         p.bash(params{"command": "sh -c 'sleep 1000; :' 'left\u202eover\x1b[2J' >/dev/null 2>&1 &", "workdir": dir}),
		"list":        p.process("list", ""),
		"missing dir": p.call("bash", params{"command": "true", "workdir": dir + "/no"}),
	}
	for name, answer := range answers {
		for _, unsafe := range []string{"\u202e", "\u009b", "\x1b", `\u001b`, `\u202e`, "\U000e0041"} {
			if strings.Contains(answer.json+answer.text, unsafe) {
				t.Errorf("%s has %q: %s\n%s", name, unsafe, answer.json, answer.text)
			}
		}
	}
	if !strings.Contains(answers["list"].json, "a\ufffdb\ufffdc\ufffd[2Jd\ufffd") {
		t.Errorf("the directory is not listed: %s", answers["list"].json)
	}
}
