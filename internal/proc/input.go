package proc

// Input describes whether a process waits for input.
type Input int

const (
	// InputNone means that no process waits, or that it is unknown.
	InputNone Input = 0
	// InputUnseen means that a process in the foreground of the terminal sleeps and may not
	// be inspected, such as sudo and su unless the caller is root. It waits for input if the
	// terminal's echo is off.
	InputUnseen Input = 1
	// InputPolled means that a process is in poll, select or epoll, and the input is among the
	// descriptors that it watches. It need not wait for the user: editors, pagers, servers with
	// keyboard shortcuts and prompts of readline or Node all look the same. The caller needs
	// more information to decide, such as whether echo is off or the cursor follows text on the
	// main screen.
	InputPolled Input = 2
	// InputRead means that a process is blocked in a read of the input.
	InputRead Input = 3
)

// Source identifies a source of input: a terminal, a pipe or a socket. The zero value is a source
// that no process waits for, such as a file or /dev/null.
type Source struct {
	// TTY is the device number of a terminal, as in Process.TTY.
	TTY uint64
	// Dev and Ino identify a pipe, FIFO or socket.
	Dev, Ino uint64
}

// Mode is how a terminal processes input before a program reads it.
type Mode struct {
	// Canonical means that the terminal edits lines, and programs read complete lines.
	Canonical bool
	// Echo means that typed text is displayed. A program that turns it off in canonical
	// mode asks for a password.
	Echo bool
}
