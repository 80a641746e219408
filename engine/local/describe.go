package local

import (
	"strings"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

// describe puts processes in words.
func describe(procs []proc.Process) []jobdir.Process {
	var out []jobdir.Process
	for _, p := range procs {
		text := p.Comm
		if argv, err := proc.Cmdline(p.PID); err == nil && len(argv) > 0 {
			text = strings.Join(argv, " ")
		}
		if len(text) > maxDescription {
			text = strings.ToValidUTF8(text[:maxDescription], "") + "…"
		}
		out = append(out, jobdir.Process{PID: p.PID, Command: text, Start: p.Identity().Start})
	}
	return out
}

const maxDescription = 200
