//go:build unix

package storytest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/term"

	"github.com/hobjobs/hob/internal/programstatus"
	"github.com/hobjobs/hob/internal/vt"
)

// Patience is how long to wait for the terminal to show something or for a program to exit.
const Patience = time.Minute

type terminalKey struct{}

// A terminal runs one program at a time as a user sees it: on a pseudo-terminal with an emulator.
type terminal struct {
	cmd   *exec.Cmd
	ptmx  *os.File
	tty   *os.File // kept open, to compare its modes after the program has exited
	ended chan error

	before *term.State // state of tty before the program

	facts vt.Facts // answers to queries
	plain bool     // a query for program status gets no answer
	mute  bool     // queries get no answer

	mu      sync.Mutex // guards the fields below
	screen  *vt.Terminal
	says    programstatus.Store
	bytes   []byte
	changed chan struct{} // closed and replaced on new output
}

// cmdTerm controls the story's terminal:
//
//	term start [COLSxROWS] program [arg…]
//	term see RE        wait until the screen matches
//	term passed RE     wait until the bytes written so far match
//	term titled RE     wait until the title matches
//	term says RE       wait until what programs report of themselves matches: one line for each
//	                   report, such as "tests: working 40% app=make title=Tests msg=…"
//	term type TEXT     type TEXT, which may have the escapes of a Go string
//	term resize COLSxROWS
//	term signal NUMBER send a signal to the program
//	term ends CODE     wait for the exit code; the terminal's modes must be restored
//	term is KIND       set the kind of terminal before start: light or dark (its colors;
//	                   light supports the kitty keyboard protocol), plain (does not keep
//	                   reports of programs), or mute (answers no queries)
func cmdTerm(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: term command argument…")
	}
	t := ts.Value(terminalKey{}).(*terminal)
	command, args := args[0], args[1:]
	if command == "is" {
		ts.Check(t.setKind(args[0]))
		return
	}
	if command == "start" {
		ts.Check(t.start(ts, args))
		return
	}
	if t.cmd == nil {
		ts.Fatalf("no program was started on the terminal")
	}
	ts.Check(t.do(command, args[0]))
}

func (t *terminal) setKind(kind string) error {
	t.facts, t.mute, t.plain = vt.Facts{}, false, false
	switch kind {
	case "dark":
	case "light":
		t.facts = vt.Facts{Foreground: vt.RGB(0, 0, 0), Background: vt.RGB(255, 255, 255), KittyKeyboard: true}
	case "plain":
		t.plain = true
	case "mute":
		t.mute = true
	default:
		return fmt.Errorf("a terminal is light, dark, plain or mute, not %q", kind)
	}
	return nil
}

func (t *terminal) do(command, arg string) error {
	switch command {
	case "see":
		return t.await(arg, func() string { return t.screen.Text() })
	case "titled":
		return t.await(arg, func() string { return t.screen.Title() })
	case "says":
		return t.await(arg, t.reports)
	case "passed":
		return t.await(arg, func() string { return string(t.bytes) })
	case "type":
		text, err := strconv.Unquote(`"` + arg + `"`)
		if err != nil {
			return fmt.Errorf("%q: %w", arg, err)
		}
		_, err = t.ptmx.WriteString(text)
		return err
	case "resize":
		cols, rows, err := parseSize(arg)
		if err != nil {
			return err
		}
		t.mu.Lock()
		t.screen.Resize(cols, rows)
		t.mu.Unlock()
		return pty.Setsize(t.ptmx, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)})
	case "signal":
		n, err := strconv.Atoi(arg)
		if err != nil {
			return err
		}
		return t.cmd.Process.Signal(syscall.Signal(n))
	case "ends":
		return t.awaitEnd(arg)
	}
	return fmt.Errorf("unknown term command %q", command)
}

func parseSize(s string) (cols, rows int, err error) {
	_, err = fmt.Sscanf(s, "%dx%d", &cols, &rows)
	return cols, rows, err
}

var sizeWord = regexp.MustCompile(`^\d+x\d+$`)

func (t *terminal) start(ts *testscript.TestScript, args []string) error {
	t.close()
	cols, rows := 100, 30
	if sizeWord.MatchString(args[0]) {
		var err error
		if cols, rows, err = parseSize(args[0]); err != nil {
			return err
		}
		args = args[1:]
	}
	ptmx, tty, err := pty.Open()
	if err != nil {
		return err
	}
	if err := pty.Setsize(ptmx, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}); err != nil {
		return err
	}
	t.ptmx, t.tty = ptmx, tty
	if t.before, err = term.GetState(int(tty.Fd())); err != nil {
		return err
	}
	t.bytes, t.changed, t.ended = nil, make(chan struct{}), make(chan error, 1)
	t.says = programstatus.Store{}
	options := []vt.Option{vt.WithScrollback(1 << 20), vt.WithFacts(t.facts), vt.WithHandler(vt.Handler{Status: t.report})}
	if !t.mute {
		options = append(options, vt.WithReply(func(p []byte) { t.answer(ptmx, p) }))
	}
	t.screen = vt.New(cols, rows, options...)
	t.cmd = exec.Command(args[0], args[1:]...)
	t.cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"HOME", "PATH", "HOB_STATE_DIR", "HOB_JOB_ID", "XDG_RUNTIME_DIR", "TERM", "SHELL", "WORK", "LANG", "LC_CTYPE", "LC_ALL", "GORACE"} {
		t.cmd.Env = append(t.cmd.Env, name+"="+ts.Getenv(name))
	}
	t.cmd.Stdin, t.cmd.Stdout, t.cmd.Stderr = tty, tty, tty
	t.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := t.cmd.Start(); err != nil {
		return err
	}
	go t.read(ptmx) // ends when close closes ptmx
	go func() { t.ended <- t.cmd.Wait() }()
	return nil
}

// answer answers a query of the program.
func (t *terminal) answer(ptmx *os.File, p []byte) {
	if t.plain {
		p = bytes.ReplaceAll(p, []byte("\x1b]7501;?\a"), nil)
	}
	_, _ = ptmx.Write(p)
}

// report notes what a program reports of itself. It is called with t.mu held.
func (t *terminal) report(body string) {
	if r, ok := programstatus.Parse(body); ok {
		t.says.Apply(r, time.Now())
	}
}

// reports returns what programs report of themselves. It is called with t.mu held.
func (t *terminal) reports() string {
	p := t.says.Program()
	if p == nil {
		return "nothing"
	}
	var b strings.Builder
	for _, r := range p.Reports {
		fmt.Fprintf(&b, "%s: %s", r.ID, r.State)
		if r.Kind != "" {
			fmt.Fprintf(&b, " (%s)", r.Kind)
		}
		if r.Percent != nil {
			fmt.Fprintf(&b, " %d%%", *r.Percent)
		}
		fmt.Fprintf(&b, " app=%s title=%s msg=%s\n", r.App, r.Title, r.Message)
	}
	return b.String()
}

func (t *terminal) read(ptmx *os.File) {
	buf := make([]byte, 32<<10)
	for {
		n, err := ptmx.Read(buf)
		if err != nil {
			return
		}
		t.mu.Lock()
		t.bytes = append(t.bytes, buf[:n]...)
		_, _ = t.screen.Write(buf[:n])
		close(t.changed)
		t.changed = make(chan struct{})
		t.mu.Unlock()
	}
}

// await waits until the result of text matches pattern. It calls text with t.mu held.
func (t *terminal) await(pattern string, text func() string) error {
	re, err := regexp.Compile("(?s)" + pattern)
	if err != nil {
		return err
	}
	late := time.After(Patience)
	for {
		t.mu.Lock()
		now, changed := text(), t.changed
		t.mu.Unlock()
		if re.MatchString(now) {
			return nil
		}
		select {
		case <-changed:
		case <-late:
			return fmt.Errorf("the terminal does not show %q; it shows:\n%s", pattern, now)
		}
	}
}

func (t *terminal) awaitEnd(arg string) error {
	want, err := strconv.Atoi(arg)
	if err != nil {
		return err
	}
	select {
	case err = <-t.ended:
	case <-time.After(Patience):
		return t.hangError()
	}
	t.ended <- err
	got := 0
	if err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			return err
		}
		got = exit.ExitCode()
	}
	if got != want {
		t.mu.Lock()
		defer t.mu.Unlock()
		return fmt.Errorf("exit code %d, want %d; the terminal shows:\n%s", got, want, t.screen.Text())
	}
	return t.checkRestored()
}

// hangError returns the error for a program that does not exit, with its goroutine dump if it is
// a Go program.
func (t *terminal) hangError() error {
	t.mu.Lock()
	shown, before := t.screen.Text(), len(t.bytes)
	t.mu.Unlock()
	_ = t.cmd.Process.Signal(syscall.SIGQUIT) // it may have ended
	select {
	case err := <-t.ended:
		t.ended <- err
	case <-time.After(Patience):
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return fmt.Errorf("the program does not exit; the terminal shows:\n%s\nafter SIGQUIT it printed:\n%s", shown, t.bytes[before:])
}

// checkRestored returns an error if the program left the terminal in another mode than it found
// it in.
func (t *terminal) checkRestored() error {
	// The last output may not have been read yet. When this mark has been read, everything before
	// it has been too.
	const mark = "\x1b_end of program\x1b\\"
	if _, err := t.tty.WriteString(mark); err != nil {
		return err
	}
	if err := t.await(regexp.QuoteMeta(mark), func() string { return string(t.bytes) }); err != nil {
		return err
	}
	after, err := term.GetState(int(t.tty.Fd()))
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(after, t.before) {
		return fmt.Errorf("the program left the line discipline changed: %+v, was %+v", after, t.before)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if diff := cmp.Diff(vt.New(1, 1).Modes(), t.screen.Modes()); diff != "" {
		return fmt.Errorf("the program left modes behind (-default +now):\n%s", diff)
	}
	if !t.screen.Cursor().Visible {
		return errors.New("the program left the cursor hidden")
	}
	return nil
}

func (t *terminal) close() {
	if t.cmd == nil {
		return
	}
	_ = t.cmd.Process.Kill() // it may have ended
	<-t.ended
	t.tty.Close()
	t.ptmx.Close()
	t.cmd = nil
}
