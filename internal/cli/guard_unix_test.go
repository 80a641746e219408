//go:build !windows

package cli

import (
	"bytes"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
)

const panicking = "HOB_TEST_PANIC"

// TestPanicBehindGuard is the program that TestGuardOfAPanic starts.
func TestPanicBehindGuard(t *testing.T) {
	if os.Getenv(panicking) == "" {
		t.Skip("is started by TestGuardOfAPanic")
	}
	guardTerminal(os.Stdout) // never released
	if _, err := term.MakeRaw(os.Stdout.Fd()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stdout.WriteString("\x1b[?1049hscreen"); err != nil {
		t.Fatal(err)
	}
	go func() { panic("boom") }()
	select {}
}

// A panic on a goroutine that nobody watches leaves the terminal as it was, with
// its words on the main screen.
func TestGuardOfAPanic(t *testing.T) {
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer ptmx.Close()
	defer tty.Close()
	before, err := term.GetState(tty.Fd())
	if err != nil {
		t.Fatal(err)
	}
	program := exec.Command(os.Args[0], "-test.run=^TestPanicBehindGuard$")
	program.Env = append(os.Environ(), panicking+"=1")
	program.Stdin, program.Stdout, program.Stderr = tty, tty, tty
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	var shown []byte
	for buf := make([]byte, 4096); !bytes.Contains(shown, []byte("jobs keep running")); {
		n, err := ptmx.Read(buf)
		if err != nil {
			t.Fatalf("%v after %q", err, shown)
		}
		shown = append(shown, buf[:n]...)
	}
	if err := program.Wait(); err == nil {
		t.Error("the panic did not end the program")
	}
	_, left, ok := strings.Cut(string(shown), terminalDefaults)
	if !ok || !strings.Contains(left, "hob: panic: boom\r\n") {
		t.Errorf("the main screen has no words of the panic: %q", shown)
	}
	after, err := term.GetState(tty.Fd())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(before, after) {
		t.Errorf("the line discipline is %+v, was %+v", after, before)
	}
}
