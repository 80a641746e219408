package client

import (
	"context"
	"net"
	"os"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/hobjobs/hob/engine/ssh/internal/hostconf"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
)

const (
	attachLimit = 2 * time.Second
	// hangsFor is how long a master that did not answer is not used.
	hangsFor = 5 * time.Minute
)

// hung is a master that did not answer, by its socket.
type hung struct {
	socket os.FileInfo
	at     time.Time
}

// attach uses the user's own connection to the host (ControlMaster), if it is alive. It never closes
// the connection, and sends no request about the connection itself: the master would drop us. It
// returns nil if no master answers.
func (d *Dialer) attach(c *hostconf.Config) *Transport {
	if c.ControlPath == "" {
		return nil
	}
	fi, err := os.Stat(c.ControlPath)
	if err != nil || fi.Mode().Type() != os.ModeSocket || d.hangs(c.ControlPath, fi) {
		return nil
	}
	began := time.Now()
	t := attachTo(c, c.ControlPath, nil)
	if t == nil && time.Since(began) >= attachLimit {
		d.distrust(c.ControlPath)
	}
	return t
}

// hangs reports whether the master behind a socket did not answer lately. A new socket in its place
// is tried.
func (d *Dialer) hangs(socket string, fi os.FileInfo) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	h, ok := d.hung[socket]
	return ok && time.Since(h.at) < hangsFor && os.SameFile(h.socket, fi) && h.socket.ModTime().Equal(fi.ModTime())
}

func (d *Dialer) distrust(socket string) {
	fi, err := os.Stat(socket)
	if err != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.hung == nil {
		d.hung = map[string]hung{}
	}
	d.hung[socket] = hung{fi, time.Now()}
}

// Distrust notes that t does not answer. If it is a connection of the user's it is
// not used again for a while.
func (d *Dialer) Distrust(t shell.Transport) {
	if t, ok := t.(*Transport); ok && t.Attached {
		d.distrust(t.Config.ControlPath)
	}
}

// attachTo uses the master behind socket. own is that master if this program started it, else nil.
func attachTo(c *hostconf.Config, socket string, own *program) *Transport {
	// A crash leaves a socket without a listener: dialing it shows that.
	conn, err := (&net.Dialer{Timeout: attachLimit}).DialContext(context.Background(), "unix", socket)
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
