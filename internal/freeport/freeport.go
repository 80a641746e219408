// Package freeport finds a port of this machine for a job that leaves the choice to hob.
package freeport

import (
	"context"
	"fmt"
	"hash/fnv"
	"net"
	"strconv"
)

const (
	// first and count are the range of [Find]: above the ports that servers use by default, below those
	// that systems give to clients (from 32768 on Linux).
	first = 20_000
	count = 10_000
)

// Find returns a port on which no server listens: the same for the same directory and name, as long as it
// is free. A server needs a moment to listen, so the ports in given count as in use.
func Find(ctx context.Context, dir, name string, given map[int]bool) (int, error) {
	h := fnv.New32a()
	_, _ = h.Write([]byte(dir + "\x00" + name)) // never fails
	for i := range uint32(count) {
		port := first + int((h.Sum32()+i)%count)
		if !given[port] && IsFree(ctx, port) {
			return port, nil
		}
	}
	return 0, fmt.Errorf("no port from %d to %d is free", first, first+count-1)
}

// IsFree reports whether a server can listen on a port, on all addresses and on that of this machine
// alone: the latter succeeds on some systems although another server has the former.
func IsFree(ctx context.Context, port int) bool {
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
