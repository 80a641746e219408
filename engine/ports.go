package engine

import (
	"context"
	"fmt"
	"hash/fnv"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/internal/proc"
)

// AutoPort is the value of [Spec].Port that stands for a free port: the same for the same directory
// and name, as long as it is free. The job's record has the number.
const AutoPort = -1

const (
	// firstPort and ports are the range of AutoPort: above the ports that servers use by default,
	// below those that systems give to clients (from 32768 on Linux).
	firstPort = 20_000
	ports     = 10_000
)

// ParsePort parses a port as it is typed: a number, or auto for AutoPort.
func ParsePort(s string) (int, error) {
	if s == "auto" {
		return AutoPort, nil
	}
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("invalid port %q (1–65535)", s)
	}
	return int(n), nil
}

// freePort returns a port for a job that asks for AutoPort. A server needs a moment to listen, so the
// ports that unfinished jobs were given count as in use.
func (e *Engine) freePort(ctx context.Context, s Spec) (int, error) {
	jobs, err := e.List(ctx, Filter{Running: true})
	if err != nil {
		return 0, err
	}
	given := map[int]bool{}
	for _, j := range jobs {
		given[j.Port] = true
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(s.Dir + "\x00" + s.Name)) // never fails
	for i := range uint32(ports) {
		port := firstPort + int((h.Sum32()+i)%ports)
		if !given[port] && isFree(ctx, port) {
			return port, nil
		}
	}
	return 0, &Error{Op: "start", Err: fmt.Errorf("no port from %d to %d is free", firstPort, firstPort+ports-1)}
}

// isFree reports whether a server can listen on a port, on all addresses and on that of this machine
// alone: the latter succeeds on some systems although another server has the former.
func isFree(ctx context.Context, port int) bool {
	var lc net.ListenConfig
	for _, host := range []string{"", "127.0.0.1"} {
		l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err != nil {
			return false
		}
		if l.Close() != nil {
			return false
		}
	}
	return true
}

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
	defer scan.Close()
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
		found = append(found, Listener{Addr: p.Addr, PID: p.PID, Command: argv, Job: j.ID, Name: j.Name})
	}
	return found, nil
}

// owners returns the running jobs of this machine by the pids of their processes.
func (e *Engine) owners(ctx context.Context) (map[int]Job, error) {
	jobs, err := e.List(ctx, Filter{Running: true, Here: true})
	if err != nil {
		return nil, err
	}
	owners := map[int]Job{}
	for _, j := range jobs {
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
