package project

import (
	"net"
	"testing"
)

// A server may listen on one of the loopback addresses only.
func TestPortAcceptsConnections(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		t.Run(address, func(t *testing.T) {
			l, err := net.Listen("tcp", address)
			if err != nil {
				t.Skip(err)
			}
			port := l.Addr().(*net.TCPAddr).Port
			if !accepts(t.Context(), port) {
				t.Error("a port with a listener does not accept")
			}
			l.Close()
			if accepts(t.Context(), port) {
				t.Error("a port without a listener accepts")
			}
		})
	}
}
