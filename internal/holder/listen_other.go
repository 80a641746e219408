//go:build !linux

package holder

import "net"

// listenUnix binds a stream socket to path.
func listenUnix(path string) (*net.UnixListener, error) {
	return net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
}
