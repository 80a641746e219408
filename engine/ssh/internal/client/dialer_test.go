package client

import (
	"net"
	"testing"

	"github.com/hobjobs/hob/engine/ssh/internal/hostconf"
)

// A caller puts the alias before the error.
func TestUnresolvedHostIsNamedOnlyIfItIsNotTheAlias(t *testing.T) {
	for _, tt := range []struct{ alias, hostName, want string }{
		{"web.invalid", "web.invalid", "cannot find its address: no such host"},
		{"web", "web.invalid", "cannot find the address of web.invalid: no such host"},
	} {
		cause := &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: tt.hostName}}
		err := connectError(&hostconf.Config{Alias: tt.alias, HostName: tt.hostName, Port: "22"}, cause)
		if err.Error() != tt.want {
			t.Errorf("%s: %q, want %q", tt.alias, err, tt.want)
		}
	}
}
