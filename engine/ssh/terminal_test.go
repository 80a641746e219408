//go:build unix

package ssh

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
	"github.com/hobjobs/hob/internal/vt"
)

// viewer is a terminal that displays the output of a session.
type viewer struct {
	*rig
	term   engine.Terminal
	screen *vt.Terminal
	drawn  bool
	stream string // behind the first picture
	exit   *engine.Exit

	controller string // as last reported
}

func (r *rig) attach(id engine.ID, o engine.TerminalOptions) *viewer {
	r.Helper()
	term, err := r.e.Handle(id).Terminal(r.ctx(), o)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { term.Close() })
	return &viewer{rig: r, term: term, screen: vt.New(80, 24)}
}

// until reads the session until ok.
func (v *viewer) until(what string, ok func() bool) {
	v.Helper()
	ctx := v.ctx()
	for !ok() {
		c, err := v.term.Next(ctx)
		if err != nil {
			v.Fatalf("%s: %v; the screen shows %q", what, err, v.screen.Text())
		}
		if c.Reset {
			v.screen, v.drawn = vt.New(c.Size.Cols, c.Size.Rows), true
		} else {
			v.stream += string(c.Data)
		}
		v.screen.Write(c.Data)
		v.exit, v.controller = c.Exit, c.Controller
	}
}

func (v *viewer) sees(text string) {
	v.Helper()
	v.until(text, func() bool { return strings.Contains(v.screen.Text(), text) })
}

func onTerminal(s *engine.Spec) { s.PTY, s.Size = true, engine.Size{Cols: 80, Rows: 24} }

func TestAttachToATerminal(t *testing.T) {
	t.Parallel()
	testtool.Need(t, "script")
	r := newRig(t, nil)
	j := r.start(`echo "$TERM $COLORTERM"; read x; echo "got $x"; read y; stty size; exit 6`, onTerminal)
	v := r.attach(j.ID, engine.TerminalOptions{Control: true, Size: engine.Size{Cols: 90, Rows: 20}, Client: "test"})
	v.sees("xterm-256color truecolor")
	if err := v.term.Write(r.ctx(), []byte("one\r")); err != nil {
		t.Fatal(err)
	}
	v.sees("got one")
	if err := v.term.Resize(r.ctx(), engine.Size{Cols: 70, Rows: 18}); err != nil {
		t.Fatal(err)
	}
	if err := r.e.Handle(j.ID).SendKeys(r.ctx(), []string{"t", "w", "o", "Enter"}); err != nil {
		t.Fatal(err)
	}
	v.sees("18 70")
	v.until("its end", func() bool { return v.exit != nil })
	if v.exit.Code == nil || *v.exit.Code != 6 {
		t.Errorf("exit %+v", v.exit)
	}
	s, err := r.e.Handle(j.ID).Screen(r.ctx())
	if err != nil || !strings.Contains(s.Text, "got one") || !strings.Contains(s.Main, "18 70") || s.Size != (engine.Size{Cols: 70, Rows: 18}) {
		t.Errorf("the last screen is %+v, %v", s, err)
	}
	if _, err := r.e.Handle(j.ID).Terminal(r.ctx(), engine.TerminalOptions{}); !errors.Is(err, engine.ErrNotRunning) {
		t.Errorf("attaching to an ended job: %v", err)
	}
}

func TestEntryOfATerminal(t *testing.T) {
	t.Parallel()
	testtool.Need(t, "script", "stty")
	r := newRig(t, nil)
	j := r.start(`stty -echo; printf 'Password: '; read x`, onTerminal)
	r.printed(j.ID, "Password: ")
	if got, err := r.e.Handle(j.ID).Entry(r.ctx()); got != engine.EntryHidden || err != nil {
		t.Errorf("entry %q, %v", got, err)
	}
	plain := r.start("read x", func(s *engine.Spec) { s.Stdin = true })
	if got, err := r.e.Handle(plain.ID).Entry(r.ctx()); got != engine.EntryUnknown || err != nil {
		t.Errorf("of a job without a terminal: %q, %v", got, err)
	}
	for _, id := range []engine.ID{j.ID, plain.ID} {
		if err := r.e.Handle(id).Write(r.ctx(), []byte("\n")); err != nil {
			t.Fatal(err)
		}
		r.wait(id)
	}
}

// The job's terminal queries are answered by the attached session in control; queries from before
// it attached are too late to be answered.
func TestQueriesAreAnsweredWhileAttached(t *testing.T) {
	t.Parallel()
	testtool.Need(t, "script", "od")
	r := newRig(t, nil)
	j := r.start(`stty -icanon -echo min 0 time 250; printf '\033[5n'; echo asked; dd bs=1 count=1 2>/dev/null; printf '\033[6n'; dd bs=1 count=6 2>/dev/null | od -An -c`, onTerminal)
	r.printed(j.ID, "asked\r\n")
	v := r.attach(j.ID, engine.TerminalOptions{Control: true})
	v.sees("asked")
	if err := v.term.Write(r.ctx(), []byte("x")); err != nil {
		t.Fatal(err)
	}
	v.until("the end", func() bool { return v.exit != nil })
	if got := v.screen.Text(); !strings.Contains(got, `033   [   2   ;   2   R`) {
		t.Errorf("the job got %q", got)
	}
}

// Of several sessions, even in unrelated programs, the one that took control last answers.
func TestOneOfSeveralAnswers(t *testing.T) {
	t.Parallel()
	testtool.Need(t, "script", "od")
	r := newRig(t, nil)
	j := r.start(`stty -icanon -echo min 0 time 250; dd bs=1 count=1 2>/dev/null; printf '\033[5n'
dd bs=1 count=4 2>/dev/null | od -An -c; printf 'once\n'; dd bs=1 count=1 2>/dev/null | od -An -c`, onTerminal)
	first := r.attach(j.ID, engine.TerminalOptions{Control: true, Client: "first"})
	second := r.attach(j.ID, engine.TerminalOptions{Control: true, Client: "second"})
	first.until("the first picture", func() bool { return first.drawn })
	second.until("the first picture", func() bool { return second.drawn })
	if err := second.term.Write(r.ctx(), []byte("x")); err != nil {
		t.Fatal(err)
	}
	first.until("the query", func() bool { return strings.Contains(first.stream, "\x1b[5n") }) // and does not answer
	second.sees(`033   [   0   n`)
	first.sees("once")
	first.until("whose the keyboard is", func() bool { return first.controller == "second" })
	if err := second.term.Write(r.ctx(), []byte("y")); err != nil {
		t.Fatal(err)
	}
	second.until("the end", func() bool { return second.exit != nil })
	if got := second.screen.Text(); !strings.Contains(got, "once\n   y") {
		t.Errorf("behind one answer the job got %q", got)
	}
}

func TestTerminalContinuesAfterEveryCut(t *testing.T) {
	t.Parallel()
	testtool.Need(t, "script")
	r := newRig(t, nil, eagerly)
	j := r.start(`read x; i=0; while [ $i -lt 300 ]; do echo "line $i"; i=$((i+1)); sleep 0.01; done`, onTerminal)
	v := r.attach(j.ID, engine.TerminalOptions{Control: true})
	v.until("the first picture", func() bool { return v.drawn })
	if err := v.term.Write(r.ctx(), []byte("\r")); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		mark := fmt.Sprintf("line %d\r\n", 50*(i+1))
		v.until(mark, func() bool { return strings.Contains(v.stream, mark) })
		r.s.Cut()
	}
	v.until("the end", func() bool { return v.exit != nil })
	var want strings.Builder
	want.WriteString("\r\n")
	for i := range 300 {
		fmt.Fprintf(&want, "line %d\r\n", i)
	}
	if v.stream != want.String() {
		t.Errorf("%d bytes were reported, want %d", len(v.stream), want.Len())
	}
}

func TestFloodOfOutputGivesANewSnapshot(t *testing.T) {
	t.Parallel()
	testtool.Need(t, "script")
	r := newRig(t, nil)
	j := r.start(`read x; head -c 10000000 /dev/zero | tr '\0' y; echo; echo done; read x`, onTerminal)
	v := r.attach(j.ID, engine.TerminalOptions{Control: true})
	if err := v.term.Write(r.ctx(), []byte("\r")); err != nil {
		t.Fatal(err)
	}
	// The viewer looks away until all is there.
	r.printed(j.ID, "done\r\n")
	v.sees("done")
	if len(v.stream) > 4<<20 {
		t.Errorf("%d bytes were transferred for a screen", len(v.stream))
	}
	if _, err := r.e.Handle(j.ID).Stop(r.ctx(), engine.StopOptions{Grace: -1}); err != nil {
		t.Fatal(err)
	}
}

func TestNoScriptNoTerminal(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	for _, tool := range []string{"sh", "cat", "mkdir", "mv", "rm", "ls", "dd", "grep", "wc", "sleep", "date", "ln", "uname", "id", "setsid", "mkfifo"} {
		path, err := exec.LookPath(tool)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(bin, tool)); err != nil {
			t.Fatal(err)
		}
	}
	r := newRig(t, func(s *sshtest.Server) { s.Env = append(s.Env, "PATH="+bin) })
	_, err := r.e.Start(r.ctx(), engine.Spec{Script: "true", Host: "box", PTY: true})
	if !errors.Is(err, engine.ErrUnsupported) || !strings.Contains(err.Error(), "no script") {
		t.Errorf("start: %v", err)
	}
	if jobs, err := r.e.List(r.ctx(), engine.Filter{}); err != nil || len(jobs) != 0 {
		t.Errorf("%d jobs, %v", len(jobs), err)
	}
	if exit := r.wait(r.start("exit 3").ID); exit.Code == nil || *exit.Code != 3 {
		t.Errorf("without a terminal: %+v", exit)
	}
}
