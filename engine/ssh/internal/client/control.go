package client

import (
	"net"
	"os"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/hobjobs/hob/engine/ssh/internal/hostconf"
)

const attachLimit = 2 * time.Second

// attach uses the user's own connection to the host, if there is a live one
// (ControlMaster). It is never closed by us, and asked nothing that concerns the
// connection itself: its master would drop us. Nil: there is none.
func attach(c *hostconf.Config) *Transport {
	if c.ControlPath == "" {
		return nil
	}
	if fi, err := os.Stat(c.ControlPath); err != nil || fi.Mode().Type() != os.ModeSocket {
		return nil
	}
	return attachTo(c, c.ControlPath, nil)
}

// attachTo uses the master behind socket; own is the one that is ours, if it is.
func attachTo(c *hostconf.Config, socket string, own *program) *Transport {
	// A socket that nobody serves is what a crash leaves: dialling tells.
	conn, err := net.DialTimeout("unix", socket, attachLimit)
	if err != nil {
		return nil
	}
	timer := time.AfterFunc(attachLimit, func() { conn.Close() })
	cc, chans, reqs, err := ssh.NewControlClientConn(conn)
	if !timer.Stop() || err != nil {
		conn.Close()
		return nil
	}
	return newTransport(&Transport{client: ssh.NewClient(cc, chans, reqs), Config: c, Attached: own == nil, own: own})
}
