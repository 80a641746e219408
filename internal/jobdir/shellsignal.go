package jobdir

// ShellSignal is the signal that a shell tells as an exit code, by name, of those
// whose numbers are the same everywhere; empty: code is none of them.
func ShellSignal(code *int) string {
	if code == nil {
		return ""
	}
	switch *code - 128 {
	case 1:
		return "SIGHUP"
	case 2:
		return "SIGINT"
	case 3:
		return "SIGQUIT"
	case 4:
		return "SIGILL"
	case 6:
		return "SIGABRT"
	case 8:
		return "SIGFPE"
	case 9:
		return "SIGKILL"
	case 11:
		return "SIGSEGV"
	case 13:
		return "SIGPIPE"
	case 14:
		return "SIGALRM"
	case 15:
		return "SIGTERM"
	}
	return ""
}
