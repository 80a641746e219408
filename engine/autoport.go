package engine

import (
	"context"
	"fmt"
	"hash/fnv"
	"net"
	"strconv"
)

const (
	// firstPort and ports are the range of AutoPort: above the ports that servers use by default,
	// below those that systems give to clients (from 32768 on Linux).
	firstPort = 20_000
	ports     = 10_000
)

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
