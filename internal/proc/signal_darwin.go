package proc

const (
	lastSignal    = 31
	firstRealTime = 0
)
