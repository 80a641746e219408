package proc

// The C libraries keep the first two real-time signals to themselves, so
// SIGRTMIN is 34 to every program.
const (
	lastSignal    = 64
	firstRealTime = 34
)
