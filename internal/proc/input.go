package proc

// Input says whether somebody waits for input.
type Input int

const (
	// InputNone: nobody waits, or it may not be known.
	InputNone Input = 0
	// InputUnseen: somebody sleeps who has the terminal and may not be looked at:
	// sudo and su, for those who are not root. It is waiting if the terminal's
	// echo is off.
	InputUnseen Input = 1
	// InputPolled: somebody is in poll, select or epoll and the input is among
	// what it watches. That alone is not waiting for the person: editors,
	// pagers, servers with keyboard shortcuts and a prompt of readline or Node
	// all look like this. A caller that sees more, such as the cursor behind
	// text on the main screen or a terminal with its echo off, may decide so.
	InputPolled Input = 2
	// InputRead: somebody is blocked in read on the input. That is waiting.
	InputRead Input = 3
)

// Source is where input comes from: a terminal, or a pipe or socket. The zero
// value is nothing that anybody waits for, such as a file or /dev/null.
type Source struct {
	// TTY is the device number of a terminal, as in Process.TTY.
	TTY uint64
	// Dev and Ino name a pipe, FIFO or socket.
	Dev, Ino uint64
}

// Mode is what a terminal does with input before the program sees it.
type Mode struct {
	// Canonical: lines are edited by the terminal and read when complete.
	Canonical bool
	// Echo: what is typed is shown. A canonical terminal without echo asks for
	// a password.
	Echo bool
}
