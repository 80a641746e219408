package testtool

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// FreeAddr is [FindAddr] for a test, which it fails.
func FreeAddr(t testing.TB) string {
	t.Helper()
	addr, err := FindAddr()
	if err != nil {
		t.Fatal(err)
	}
	return addr
}

// FindAddr returns an address of this machine, host and port, that nobody listens
// on now, for a server that has to be told its port. The port lies outside the
// ranges from which systems give ports to connections (IANA's begins at 49152,
// Linux's at 32768): one of those may be taken between this answer and its use,
// or while a server is down for a moment.
func FindAddr() (string, error) {
	const lowest, beyond, tries = 10_000, 32_768, 100
	var last error
	for range tries {
		addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(lowest+rand.IntN(beyond-lowest)))
		ln, err := net.Listen("tcp", addr)
		if err == nil {
			return addr, ln.Close()
		}
		last = err
	}
	return "", fmt.Errorf("no free port in %d tries: %w", tries, last)
}
