//go:build unix

package recipe

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hobjobs/hob/internal/testtool"
)

// tty is a job with a terminal.
func (p *place) tty(script string) Job {
	j := p.job(script)
	j.TTY, j.Cols, j.Rows = true, 100, 30
	j.Env = map[string]string{"HOB_JOB_ID": j.ID, "TERM": "xterm"}
	return j
}

// output waits until the job has printed what.
func (p *place) output(id, what string) {
	p.t.Helper()
	end := time.Now().Add(patience)
	for !strings.Contains(p.file(id, "output.log"), what) {
		if time.Now().After(end) {
			p.t.Fatalf("%q was not printed: %q", what, p.file(id, "output.log"))
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func TestEntryRequest(t *testing.T) {
	testtool.Need(t, "script", "stty")
	eachShell(t, func(t *testing.T, p *place) { p.playEntries() })
}

// Yama may restrict what a session can see of a process to the kernel function that it sleeps in.
func TestEntryRequestWithoutSystemCalls(t *testing.T) {
	t.Parallel()
	testtool.Need(t, "script", "stty")
	p := newPlace(t, "dash")
	cat, err := exec.LookPath("cat")
	if err != nil {
		t.Fatal(err)
	}
	testtool.WriteScript(t, filepath.Join(filepath.Dir(p.sh), "cat"), `case "$*" in */syscall) exit 1 ;; esac; exec `+cat+` "$@"`)
	p.playEntries()
}

// playEntries asks about a job whose terminal changes.
func (p *place) playEntries() {
	p.t.Helper()
	waits := ""
	if runtime.GOOS == "linux" {
		waits = " waits"
	}
	asks := filepath.Join(p.t.TempDir(), "asks")
	j := p.tty(`stty -echo; echo busy; until test -e ` + asks + `; do sleep 0.1; done; head -n 1 </dev/tty >/dev/null; stty echo; head -n 1 >/dev/null; stty raw; cat`)
	dir := p.start(j).Dir
	is := func(what, want string) {
		p.t.Helper()
		p.until(j.ID, what, func(*Entry) bool { return strings.TrimSpace(p.ask(Shows(dir, j.ID))) == want })
	}
	p.output(j.ID, "busy")
	if got := strings.TrimSpace(p.ask(Shows(dir, j.ID))); got != "hidden" {
		p.t.Errorf("busy with hidden input: %q", got)
	}
	if err := os.WriteFile(asks, nil, 0o600); err != nil {
		p.t.Fatal(err)
	}
	is("a secret", "hidden"+waits)
	p.ask(Feed(dir, []byte("x\r")))
	is("a line", "open"+waits)
	p.ask(Feed(dir, []byte("x\r")))
	is("a key", "none")
	p.ask(Stop(dir, j.ID, StopOptions{Grace: -1, By: "me", Reason: "kill"}))
}

func TestTerminal(t *testing.T) {
	testtool.Need(t, "script", "stty")
	eachShell(t, func(t *testing.T, p *place) {
		j := p.tty(`test -t 0 && test -t 1 && test -t 2 && stty size; until test "$(stty size)" = "20 90"; do sleep 0.1; done; stty size; ` +
			`read line; echo "got $line"; read line || echo eof; exit 7`)
		dir := p.start(j).Dir
		p.output(j.ID, "30 100\r\n")
		if got := strings.TrimSpace(p.ask(Resize(dir, j.ID, 90, 20))); got != "ok" {
			t.Errorf("resize says %q", got)
		}
		p.output(j.ID, "20 90\r\n")
		p.ask(Feed(dir, []byte("one\r")))
		p.output(j.ID, "one\r\n") // the echo
		p.output(j.ID, "got one\r\n")
		p.ask(Feed(dir, []byte{4}))
		e := p.ended(j.ID)
		if got := p.file(j.ID, "output.log"); e.Code == nil || *e.Code != 7 || !strings.HasSuffix(got, "eof\r\n") {
			t.Errorf("code %s, output %q", show(e.Code), got)
		}
		if got := strings.TrimSpace(p.ask(Resize(dir, j.ID, 80, 24))); got != "over" {
			t.Errorf("resize of an ended job says %q", got)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "env*")); len(left) > 0 {
			t.Errorf("left %v", left)
		}
	})
}

// Exactly one client answers the job's terminal queries: the last one to take the keyboard.
func TestOneClientHasTheKeyboard(t *testing.T) {
	testtool.Need(t, "script")
	eachShell(t, func(t *testing.T, p *place) {
		j := p.tty(`stty -echo; echo ready; while read line; do echo "<$line>"; done`)
		dir := p.start(j).Dir
		p.output(j.ID, "ready\r\n")
		says := func(what, request, want string) {
			t.Helper()
			if _, got := ParseFeed([]byte(p.ask(request)), 0); got != want {
				t.Errorf("%s: %q, want %q", what, got, want)
			}
		}
		says("no client in control", Answer(dir, "a", []byte("1\r")), "ok")
		says("a takes it", Control(dir, "a", "the first"), "ok")
		says("a has it", Answer(dir, "a", []byte("2\r")), "ok")
		says("b takes it", Control(dir, "b", "the second"), "ok")
		says("a has it no longer", Answer(dir, "a", []byte("3\r")), "other the_second")
		says("b has it", Answer(dir, "b", []byte("4\r")), "ok")
		p.ask(Feed(dir, []byte{4}))
		p.ended(j.ID)
		if got := p.file(j.ID, "output.log"); !strings.Contains(got, "<1>\r\n<2>\r\n<4>\r\n") {
			t.Errorf("typed was %q", got)
		}
		says("the job has ended", Control(dir, "a", "the first"), "over")
	})
}

func TestExitCodesWithATerminal(t *testing.T) {
	testtool.Need(t, "script")
	cases := []struct {
		name, script string
		code         int
	}{
		{"success", "true", 0}, {"seven", "exit 7", 7}, {"255", "exit 255", 255},
		{"SIGTERM to itself", "kill -TERM $$", 143}, {"SIGKILL to itself", "kill -KILL $$", 137},
		{"SIGSEGV to itself", "kill -SEGV $$", 139}, {"SIGINT to itself", "kill -INT $$", 130},
	}
	eachShell(t, func(t *testing.T, p *place) {
		var ids []string
		for _, c := range cases {
			j := p.tty("echo x; " + c.script)
			p.start(j)
			ids = append(ids, j.ID)
		}
		ends := p.ends(ids)
		for i, c := range cases {
			e := ends[ids[i]]
			if got := p.file(ids[i], "output.log"); e.Code == nil || *e.Code != c.code || got != "x\r\n" || e.Failed != "" {
				t.Errorf("%s: code %s, want %d; output %q, %s", c.name, show(e.Code), c.code, got, e.Failed)
			}
		}
		j := p.tty("")
		j.Command, j.Script = []string{"no-such-program"}, ""
		p.start(j)
		if e := p.ended(j.ID); e.Failed == "" || e.Code == nil || *e.Code != 127 {
			t.Errorf("no such program: failed %q with %s", e.Failed, show(e.Code))
		}
	})
}

func TestKeysOfATerminalAreSignals(t *testing.T) {
	testtool.Need(t, "script", "perl")
	eachShell(t, func(t *testing.T, p *place) {
		// Some shells are deaf to SIGQUIT themselves.
		j := p.tty(`trap 'exec perl -e "\$|=1; print qq(interrupted\n); sleep 60"' INT; echo ready; while :; do sleep 0.1; done`)
		dir := p.start(j).Dir
		p.output(j.ID, "ready")
		p.ask(Feed(dir, []byte{3}))
		p.output(j.ID, "interrupted")
		p.ask(Feed(dir, []byte{'\\' - '@'}))
		if e := p.ended(j.ID); e.Code == nil || *e.Code != 131 {
			t.Errorf("code %s, want 131", show(e.Code))
		}
	})
}

// What is sent to the group of the job also reaches the shell that waits for it.
func TestSignalWithATerminal(t *testing.T) {
	testtool.Need(t, "script", "stty")
	eachShell(t, func(t *testing.T, p *place) {
		j := p.tty("trap 'exit 7' USR1; echo ready; while :; do sleep 0.1; done")
		dir := p.start(j).Dir
		p.output(j.ID, "ready")
		p.ask(Signal(dir, j.ID, "USR1", "me"))
		if e := p.ended(j.ID); e.Code == nil || *e.Code != 7 || e.Signaled {
			t.Errorf("code %s, signaled %v", show(e.Code), e.Signaled)
		}
	})
}

func TestStopWithATerminal(t *testing.T) {
	testtool.Need(t, "script")
	cases := []struct {
		name, script string
		grace        time.Duration
		killed       string
		code         int
	}{
		{"polite", "sleep 60 & echo ready; wait", patience / 2, "TERM", 143},
		{"its own code", "trap 'exit 3' TERM; echo ready; while :; do sleep 0.1; done", patience / 2, "TERM", 3},
		{"ignores SIGTERM", "trap '' TERM; echo ready; while :; do sleep 0.1; done", 300 * time.Millisecond, "KILL", 137},
		{"at once", "echo ready; sleep 60", -1, "KILL", 137},
	}
	eachShell(t, func(t *testing.T, p *place) {
		for _, c := range cases {
			for _, paused := range []bool{false, true} {
				if paused && c.code == 3 && p.name == "ksh93" {
					continue // it forgets its trap when it was stopped in a terminal
				}
				j := p.tty(c.script)
				dir := p.start(j).Dir
				p.output(j.ID, "ready")
				if paused {
					p.ask(Signal(dir, j.ID, "STOP", "me"))
					p.until(j.ID, "the pause", func(e *Entry) bool { return e.State == "T" })
				}
				s := ParseStop([]byte(p.ask(Stop(dir, j.ID, StopOptions{Grace: c.grace, By: "cli", Reason: "kill"}))))
				e := p.list(j.ID)
				if s.Killed != c.killed || e.Code == nil || *e.Code != c.code || e.Group {
					t.Errorf("%s (paused %v): %+v, code %s; want %s and %d", c.name, paused, s, show(e.Code), c.killed, c.code)
				}
				p.withoutWrapper(j.ID)
			}
		}
	})
}

// withoutWrapper waits until the job's wrapper has ended.
func (p *place) withoutWrapper(id string) {
	p.t.Helper()
	pid, err := strconv.Atoi(firstWord(p.file(id, "wrapper")))
	if err != nil {
		p.t.Fatal(err)
	}
	for end := time.Now().Add(patience); lives(pid); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("the wrapper of %s still runs", id)
		}
	}
}

func TestPauseWithATerminal(t *testing.T) {
	t.Parallel()
	testtool.Need(t, "script")
	p := newPlace(t, "dash")
	j := p.tty("echo ready; read x; echo got $x")
	dir := p.start(j).Dir
	p.output(j.ID, "ready")
	p.ask(Signal(dir, j.ID, "STOP", "me"))
	p.until(j.ID, "the pause", func(e *Entry) bool { return e.State == "T" })
	p.ask(Signal(dir, j.ID, "CONT", "me"))
	p.ask(Feed(dir, []byte("on\r")))
	if e := p.ended(j.ID); e.Code == nil || *e.Code != 0 || !strings.Contains(p.file(j.ID, "output.log"), "got on") {
		t.Errorf("code %s, output %q", show(e.Code), p.file(j.ID, "output.log"))
	}
}

// script is only a carrier: without it the job is hung up, and that is its end.
func TestScriptKilled(t *testing.T) {
	testtool.Need(t, "script")
	eachShell(t, func(t *testing.T, p *place) {
		j := p.tty("echo ready; exec sleep 60")
		p.start(j)
		p.output(j.ID, "ready")
		pid, err := strconv.Atoi(strings.Fields(p.file(j.ID, "carrier"))[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if e := p.ended(j.ID); e.Code == nil || *e.Code != 129 {
			t.Errorf("code %s, want 129", show(e.Code))
		}
	})
}

func TestLongOutputOfATerminalIsWhole(t *testing.T) {
	t.Parallel()
	testtool.Need(t, "script", "seq")
	p := newPlace(t, "dash")
	j := p.tty("seq 1 200000; exit 3")
	p.start(j)
	e := p.ended(j.ID)
	got := p.file(j.ID, "output.log")
	if n := strings.Count(got, "\r\n"); n != 200_000 || !strings.HasSuffix(got, "\r\n200000\r\n") || *e.Code != 3 {
		t.Errorf("%d lines, code %s", n, show(e.Code))
	}
}

// Each system's script takes its command in another way.
func TestScriptOfOtherSystems(t *testing.T) {
	t.Parallel()
	testtool.Need(t, "script")
	real, err := exec.LookPath("script")
	if err != nil {
		t.Fatal(err)
	}
	stand := map[string]string{
		// script [-q] file command...: its status of a signal is the bare number.
		"FreeBSD": `[ "$1 $2" = "-q /dev/null" ] || { echo "usage" >&2; exit 1; }; shift 2; HOB_ARGV=; for a; do HOB_ARGV="$HOB_ARGV '$a'"; done
exec ` + real + ` -qefc "exec$HOB_ARGV" /dev/null`,
		// script [-c command] [file]: it prints a message when it starts, and there is no -q to
		// suppress it.
		"OpenBSD": `[ "$1" = -c ] && [ $# -eq 3 ] || { echo "usage" >&2; exit 1; }; exec ` + real + ` -qc "$2" "$3"`,
	}
	for system, script := range stand {
		t.Run(system, func(t *testing.T) {
			p := newPlace(t, "dash", "SHELL=/bin/false")
			bin := filepath.Dir(p.sh)
			for name, text := range map[string]string{"script": script, "uname": "echo " + system} {
				testtool.WriteScript(t, filepath.Join(bin, name), text)
			}
			j := p.tty(`test -t 1 && echo "$SHELL"; kill -TERM $$`)
			p.start(j)
			if e := p.ended(j.ID); e.Code == nil || *e.Code != 143 || p.file(j.ID, "output.log") != "/bin/false\r\n" {
				t.Errorf("code %s, output %q", show(e.Code), p.file(j.ID, "output.log"))
			}
		})
	}
}

func TestScriptThatGivesNoTerminal(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "dash")
	testtool.WriteScript(t, filepath.Join(filepath.Dir(p.sh), "script"), "echo no ptys left >&2; exit 1")
	j := p.tty("echo never")
	p.start(j)
	if e := p.ended(j.ID); e.Failed == "" || e.Code == nil || *e.Code != 126 || p.file(j.ID, "output.log") != "no ptys left\n" {
		t.Errorf("failed %q, code %s, output %q", e.Failed, show(e.Code), p.file(j.ID, "output.log"))
	}
}
