package engine

import (
	"context"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/internal/proc"
)

// Listener is a process of this machine that listens on a TCP port.
type Listener struct {
	Addr    netip.AddrPort `json:"address"`
	PID     int            `json:"pid"`
	Command []string       `json:"command"`
	Job     ID             `json:"job,omitempty"` // empty: the process belongs to no job
	Name    string         `json:"name,omitempty"`
}

// String describes the listener, as in "pid 4711 of web-7k2qm listens on 127.0.0.1:3000: node
// server.js". It contains text of other programs: clean or escape it.
func (l Listener) String() string {
	text := "pid " + strconv.Itoa(l.PID)
	if l.Job != "" {
		text += " of " + string(l.Job)
	}
	return text + " listens on " + l.Addr.String() + ": " + strings.Join(l.Command, " ")
}

// Listeners returns the processes that listen on a TCP port of this machine, with their jobs. A
// process whose descriptors this program may not read is not found. It returns ErrUnsupported on a
// system other than Linux.
func (e *Engine) Listeners(ctx context.Context, port int) ([]Listener, error) {
	var scan proc.Scanner
	procs, err := scan.Scan()
	if err != nil {
		return nil, opError("find listeners", Job{}, err)
	}
	ports, err := proc.ListeningPorts(procs)
	if err != nil {
		return nil, opError("find listeners", Job{}, err)
	}
	ports = slices.DeleteFunc(ports, func(p proc.Port) bool { return int(p.Addr.Port()) != port })
	if len(ports) == 0 {
		return nil, nil
	}
	owners, err := e.owners(ctx)
	if err != nil {
		return nil, err
	}
	found := make([]Listener, 0, len(ports))
	for _, p := range ports {
		argv, _ := proc.Cmdline(p.PID)
		j := owners[p.PID]
		found = append(found, Listener{
			Addr:    p.Addr,
			PID:     p.PID,
			Command: argv,
			Job:     j.ID,
			Name:    j.Name,
		})
	}
	return found, nil
}

// owners returns the jobs of this machine by the pids of their processes, also those that jobs which
// have ended left running.
func (e *Engine) owners(ctx context.Context) (map[int]Job, error) {
	jobs, err := e.List(ctx, Filter{Here: true})
	if err != nil {
		return nil, err
	}
	owners := map[int]Job{}
	for _, j := range jobs {
		if j.LeftNothing() {
			continue
		}
		ref, ok := e.processesOf(j)
		if !ok {
			continue
		}
		procs, err := proc.Members(ref)
		if err != nil {
			return nil, opError("find the processes of", j, err)
		}
		for _, p := range procs {
			owners[p.PID] = j
		}
	}
	return owners, nil
}
