//go:build !windows

package cli

import (
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// terminalDefaults puts a terminal back that a program left in the middle: keys
// and mouse as the shell wants them, its main screen, a cursor. What is not on is
// not changed by being turned off.
const terminalDefaults = "\x1b[?2026l\x1b[>4m\x1b[<u\x1b[?1000;1002;1003;1004;1006;2004;2027;1l\x1b[?1049l\x1b>\x1b[m\x1b[r\x1b[?7;25h\x1b[0 q"

// guardScript is what the guard of a terminal runs: $1 are the arguments of stty
// that restore the line discipline, $2 is [terminalDefaults]. It reads the
// program's last words; 3 is the terminal. The first line is "over" after an orderly end; a program
// that crashes says why, and does not get on with it before the terminal is as it
// was, because what it says is not read before; one that was killed says nothing.
// Then a shell may be at the terminal already, which has its own line discipline.
const guardScript = `trap '' HUP INT QUIT TERM TTOU TSTP
IFS= read -r line
got=$?
case $line in over) exit ;; esac
printf %s "$2"
if [ $got = 0 ]; then
	stty $1 <&3
	while [ -n "$line" ]; do
		printf '%s\n' "hob: $line"
		IFS= read -r line || break
	done
	printf '%s\n' 'hob: that is a defect of hob; jobs keep running'
	exec cat >/dev/null
fi
case $(stty -a <&3) in *-isig*) stty $1 <&3 ;; esac
printf '%s\n' 'hob: was killed; jobs keep running'`

// guardTerminal starts a process that restores the terminal if this one cannot do
// it itself any more: after a panic, which ends it from any goroutine, and after
// SIGKILL. release ends it; the terminal is then the caller's. It is called before
// the modes of the terminal are changed. Where there is no sh there is no guard.
func guardTerminal(tty *os.File) (release func()) {
	modes, err := unix.IoctlGetTermios(int(tty.Fd()), getTermios)
	if err != nil {
		return func() {}
	}
	ours, its, err := guardLine()
	if err != nil {
		return func() {}
	}
	guard := exec.Command("sh", "-c", guardScript, "hob-guard", sttyArguments(modes), terminalDefaults)
	guard.Stdin, guard.Stdout, guard.ExtraFiles = its, tty, []*os.File{tty}
	guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // not what ends or stops us
	err = guard.Start()
	its.Close()
	if err == nil {
		err = debug.SetCrashOutput(ours, debug.CrashOptions{})
	}
	if err != nil {
		ours.Close() // ends a guard that runs
		return func() {}
	}
	return func() {
		_ = debug.SetCrashOutput(nil, debug.CrashOptions{}) // of no file it cannot fail
		_, _ = ours.WriteString("over\n")                   // a guard that has gone needs no word
		ours.Close()
		_ = guard.Wait() // its status says nothing
	}
}

// guardLine is a line on which hardly more than the first words go ahead of who
// reads them.
func guardLine() (ours, its *os.File, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, err
	}
	for _, fd := range fds {
		unix.CloseOnExec(fd)
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, 1<<10) // about the least that systems allow
	}
	return os.NewFile(uintptr(fds[0]), "guard"), os.NewFile(uintptr(fds[1]), "guarded"), nil
}

// sttyArguments are those that restore what raw mode changes.
func sttyArguments(t *unix.Termios) string {
	var args strings.Builder
	in, out, local := uint64(t.Iflag), uint64(t.Oflag), uint64(t.Lflag)
	for _, f := range []struct {
		flags, bit uint64
		name       string
	}{
		{in, unix.IGNBRK, "ignbrk"},
		{in, unix.BRKINT, "brkint"},
		{in, unix.PARMRK, "parmrk"},
		{in, unix.ISTRIP, "istrip"},
		{in, unix.INLCR, "inlcr"},
		{in, unix.IGNCR, "igncr"},
		{in, unix.ICRNL, "icrnl"},
		{in, unix.IXON, "ixon"},
		{out, unix.OPOST, "opost"},
		{local, unix.ECHO, "echo"},
		{local, unix.ECHONL, "echonl"},
		{local, unix.ICANON, "icanon"},
		{local, unix.ISIG, "isig"},
		{local, unix.IEXTEN, "iexten"},
	} {
		if f.flags&f.bit == 0 {
			args.WriteByte('-')
		}
		args.WriteString(f.name + " ")
	}
	return args.String()
}
