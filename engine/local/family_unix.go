//go:build linux || darwin

package local

import "github.com/hobjobs/hob/internal/proc"

// maxFamily bounds the look at a job that has very many processes.
const maxFamily = 256

// family are the leader and its descendants as far as the system tells them: enough
// to find who reads, for less than a look at every process of the machine.
func family(leader int) []proc.Process {
	var s proc.Scanner
	defer s.Close()
	procs, _ := s.Descend(leader, maxFamily)
	return procs
}
