package cli

import (
	"log/slog"
	"os"
)

// logVariable names the file to which is added what nobody can be told: a record
// that cannot be written, a host that cannot be swept.
const logVariable = "HOB_LOG"

// logger is where hob reports to. The file is open until hob ends. Nothing of a
// job's output or environment ever gets there.
func (a *app) logger() *slog.Logger {
	if a.diary != nil {
		return a.diary
	}
	a.diary = slog.New(slog.DiscardHandler)
	path := os.Getenv(logVariable)
	if path == "" {
		return a.diary
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		a.sayf("%s: %v", logVariable, err)
		return a.diary
	}
	h := slog.NewTextHandler(f, &slog.HandlerOptions{Level: slog.LevelDebug})
	a.diary = slog.New(h).With("pid", os.Getpid(), "client", a.client)
	return a.diary
}
