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

// ShellKilled reports whether a signal ended a command whose code a shell returned, and
// which; empty where that is not known. A shell returns the same code for an exit with
// 128 + n as for signal n, so the code alone proves nothing: signaled is whether the shell
// reported a signal, and sent the name, without SIG, of the last one that hob sent.
func ShellKilled(code *int, signaled bool, sent string) (signal string, killed bool) {
	signal = ShellSignal(code)
	if signal == "" && signaled && sent != "" { // its number differs between systems
		signal = "SIG" + sent
	}
	return signal, signaled || sent != "" && signal == "SIG"+sent
}
