//go:build unix

package recipe

import (
	"testing"

	"github.com/hobjobs/hob/internal/testtool"
)

// modesOf are the ways of starting a job that a shell can use.
var modesOf = map[string][]string{
	"dash": {"setsid", "perl", "shared"}, "busybox": {"setsid", "perl", "shared"}, "bash": {"setsid", "perl", "monitor", "shared"},
	"mksh": {"setsid", "perl", "monitor", "shared"}, "ksh93": {"setsid", "perl", "monitor", "shared"}, "zsh": {"setsid", "perl", "shared"},
}

// A shell gives a command that a signal ended the code of an exit with 128 and its number.
// That it was a signal is recorded where the shell reports it, and never of an exit.
func TestExitIsDistinguishedFromSignal(t *testing.T) {
	testtool.Need(t, "setsid", "perl")
	type end struct {
		name, script string
		code         int
		signaled     bool // where the shell reports signals
	}
	ends := []end{
		{"exit 143", "exit 143", 143, false},
		{"exit 137", "exit 137", 137, false},
		{"exit 200", "exit 200", 200, false},
		{"own code on SIGTERM", "trap 'exit 143' TERM; kill -TERM $$; exit 1", 143, false},
		{"SIGTERM", "kill -TERM $$", 143, true},
		{"SIGKILL", "kill -KILL $$", 137, true},
		{"SIGSEGV", "kill -SEGV $$", 139, true},
	}
	type started struct {
		end
		mode, id string
	}
	eachShell(t, func(t *testing.T, p *place) {
		var jobs []started
		var ids []string
		for _, mode := range modesOf[p.name] {
			for _, c := range ends {
				j := p.job("echo some; " + c.script + "; exit")
				j.Mode = mode
				p.start(j)
				jobs, ids = append(jobs, started{c, mode, j.ID}), append(ids, j.ID)
			}
		}
		ends := p.ends(ids)
		for _, c := range jobs {
			e := ends[c.id]
			want := c.signaled && p.name != "zsh"
			if c.mode == "shared" && want { // some report no SIGTERM of what they run beside them
				want = e.Signaled
			}
			if e.Code == nil || *e.Code != c.code || e.Signaled != want {
				t.Errorf("%s, %s: code %s, by a signal: %v, want %d and %v", c.mode, c.name, show(e.Code), e.Signaled, c.code, want)
			}
			if got := p.file(c.id, "output.log"); e.Ended == nil || e.Ended.Up < 0 || got[:5] != "some\n" {
				t.Errorf("%s, %s: ended %+v, printed %q", c.mode, c.name, e.Ended, got)
			}
		}
	})
}

func TestExitIsDistinguishedFromSignalOnATerminal(t *testing.T) {
	testtool.Need(t, "script")
	eachShell(t, func(t *testing.T, p *place) {
		for script, want := range map[string]bool{"exit 143": false, "kill -TERM $$": p.name != "zsh"} {
			j := p.tty("echo up; " + script)
			p.start(j)
			e := p.ended(j.ID)
			if p.name == "mksh" && want { // it does not report all of them there
				want = e.Signaled
			}
			if e.Code == nil || *e.Code != 143 || e.Signaled != want {
				t.Errorf("%s: code %s, by a signal: %v, want %v", script, show(e.Code), e.Signaled, want)
			}
			if got := p.file(j.ID, "output.log"); got != "up\r\n" {
				t.Errorf("%s: printed %q", script, got)
			}
		}
		j := p.tty("echo up; exec sleep 60")
		dir := p.start(j).Dir
		p.output(j.ID, "up\r\n")
		p.ask(Feed(dir, []byte{3})) // Ctrl+C
		if e := p.ended(j.ID); e.Code == nil || *e.Code != 130 || !e.Signaled {
			t.Errorf("Ctrl+C: code %s, by a signal: %v", show(e.Code), e.Signaled)
		}
	})
}
