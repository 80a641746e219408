//go:build linux || darwin

package holder

import (
	"path/filepath"
	"syscall"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/proc"
)

// askSocket asks a holder process whose socket is missing for a new one. A
// program that holds a virtual execution is left alone: it need not know the
// signal.
func askSocket(st record.State) {
	if !here(st) {
		return
	}
	argv, err := proc.Cmdline(st.Holder.PID)
	if err != nil || len(argv) == 0 || filepath.Base(argv[0]) != proc.HolderName {
		return
	}
	// One that has gone meanwhile is found out by its lock.
	_ = proc.Signal(st.Holder, syscall.SIGUSR1)
}
