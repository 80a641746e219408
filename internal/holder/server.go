package holder

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/internal/proc"
)

const (
	// maxConns limits the connections, and therefore the memory, of a holder. maxStreams limits the
	// clients that watch. The rest is for requests, which must be possible even if all watching
	// clients have stopped reading.
	maxConns   = 128
	maxStreams = maxConns - 16
	// drainTimeout is how long a client may take to read the last frames.
	drainTimeout = 500 * time.Millisecond
)

// socketFile is the socket as it was bound.
type socketFile struct {
	path string
	info fs.FileInfo // nil if unknown
}

// exists reports whether the file is still that socket.
func (s *socketFile) exists() bool {
	info, _ := os.Lstat(s.path) // nil if it cannot be read, which equals no file
	return os.SameFile(info, s.info)
}

// Listen binds the job's socket and serves it until Close. A job without a socket is complete: its
// files contain everything but the screen.
func (h *Holder) Listen() error {
	h.listenMu.Lock()
	defer h.listenMu.Unlock()
	return h.listen()
}

func (h *Holder) listen() error {
	path, err := SocketPath(h.cfg.Dir, h.cfg.RuntimeDir)
	if err != nil {
		return err
	}
	// The lock proves that no other holder of this job lives, so an existing file is left over.
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false) // the path may belong to another process then
	if err := os.Chmod(path, 0o600); err != nil {
		return errors.Join(err, l.Close())
	}
	h.listener = l
	h.socket = socketFile{path: path}
	h.socket.info, _ = os.Lstat(path)
	h.mu.Lock()
	h.state.Socket = path
	h.mu.Unlock()
	h.wg.Go(func() { h.accept(l) })
	return nil
}

// CheckSocket binds the socket if it is not bound, or if its file is missing or that of another
// process. A client that finds no socket requests this with SIGUSR1; the holder does not check on
// its own.
func (h *Holder) CheckSocket() error {
	h.listenMu.Lock()
	defer h.listenMu.Unlock()
	h.mu.Lock()
	closing, recorded := h.closing, h.state.Socket
	h.mu.Unlock()
	if closing {
		return nil
	}
	if h.listener != nil {
		if h.socket.exists() {
			return nil
		}
		h.listener.Close()
		h.listener = nil
	}
	if err := h.listen(); err != nil || h.socket.path == recorded {
		return err
	}
	return h.save()
}

func (h *Holder) unlisten() {
	h.listenMu.Lock()
	defer h.listenMu.Unlock()
	if h.listener == nil {
		return
	}
	h.listener.Close()
	h.listener = nil
	if h.socket.exists() {
		os.Remove(h.socket.path)
	}
}

// accept accepts connections until l is closed.
func (h *Holder) accept(l *net.UnixListener) {
	for {
		nc, err := l.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			// Out of descriptors or memory: retry, since other processes may free some.
			if !sleep(h.ctx, 100*time.Millisecond) {
				return
			}
			continue
		}
		h.admit(nc)
	}
}

func (h *Holder) admit(nc *net.UnixConn) {
	uid, err := proc.PeerUID(nc)
	if err != nil || (uid != os.Getuid() && uid != 0) {
		nc.Close()
		return
	}
	c := &conn{
		h:     h,
		nc:    nc,
		wake:  make(chan struct{}, 1),
		gone:  make(chan struct{}),
		since: time.Now(),
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing || !h.makeRoom() {
		nc.Close()
		return
	}
	h.conns[c] = struct{}{}
	hello := Hello{
		Min:    ProtocolMin,
		Max:    Protocol,
		ID:     string(h.cfg.Meta.ID),
		BootID: h.state.BootID,
		PID:    os.Getpid(),
		Offset: h.outputLocked(),
		Size:   h.state.Size,
		Ended:  h.state.Exit.Known(),
	}
	h.wg.Go(func() { c.serve(hello) })
}

// makeRoom reports whether one more client can connect. If there are too many, it closes the
// connection that has been idle longest. h.mu is held.
func (h *Holder) makeRoom() bool {
	if len(h.conns) < maxConns {
		return true
	}
	var idle *conn
	for c := range h.conns {
		if !c.idle() {
			continue
		}
		if idle == nil || c.since.Before(idle.since) {
			idle = c
		}
	}
	if idle == nil {
		return false
	}
	delete(h.conns, idle)
	idle.nc.Close()
	return true
}

// mayStream returns why one more client cannot watch; h.mu is held.
func (h *Holder) mayStream(c *conn) error {
	streams := 0
	for other := range h.conns {
		if other.pumping && other != c {
			streams++
		}
	}
	if streams >= maxStreams {
		return &Failure{Code: CodeFull, Message: "too many clients watch the job"}
	}
	return nil
}

func (h *Holder) removeConn(c *conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.conns, c)
	if h.controller == c {
		h.controller = nil
		h.controlChanged()
	}
}

// controlChanged notifies all viewers of the controlling client and the screen size.
func (h *Holder) controlChanged() {
	for c := range h.conns {
		if c.view != nil {
			c.view.control(encodeJSON(h.controlFor(c)))
			c.wakePump()
		}
	}
}

func (h *Holder) controlFor(c *conn) Control {
	ctl := Control{
		You:    h.controller == c && c != nil,
		Size:   h.state.Size,
		Offset: h.offset,
	}
	if h.controller != nil {
		ctl.Controller = h.controller.view.attach.Client
		if ctl.Controller == "" {
			ctl.Controller = "another client"
		}
	}
	return ctl
}

// Resize changes the size of the terminal at the request of a client that is not attached.
func (h *Holder) Resize(ctx context.Context, size record.Size) error {
	h.mu.Lock()
	err := h.mayResize(nil, size)
	same := size == h.state.Size
	h.mu.Unlock()
	if err != nil || same {
		return err
	}
	if ask := h.cfg.Hooks.AskResize; ask != nil {
		if err := ask(ctx, size); err != nil {
			return err
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.resizeLocked(nil, size)
}

// mayResize returns an error if a client may not change the size. by is the client, nil if it is not
// attached. h.mu is held.
func (h *Holder) mayResize(by *conn, size record.Size) error {
	switch {
	case h.cfg.Hooks.Resize == nil, h.term == nil:
		return &Failure{Code: CodeUnsupported, Message: "the job has no terminal that can be resized"}
	case h.controller != nil && h.controller != by:
		return &Failure{Code: CodeNotControl, Message: "the size is that of " + h.controlFor(nil).Controller}
	case !isTerminalSide(size.Cols), !isTerminalSide(size.Rows):
		return &Failure{Code: CodeInvalid, Message: "the size must be between 1x1 and 4096x4096"}
	case h.state.Exit.Known():
		return &Failure{Code: CodeEnded, Message: "the job has ended"}
	}
	return nil
}

// isTerminalSide reports whether a terminal may have n columns, or n rows.
func isTerminalSide(n int) bool { return n >= 1 && n <= 4096 }

// resizeLocked changes the size of the terminal and the emulator. h.mu is held, so that no output is
// processed in between.
func (h *Holder) resizeLocked(by *conn, size record.Size) error {
	if err := h.mayResize(by, size); err != nil || size == h.state.Size {
		return err
	}
	if err := h.cfg.Hooks.Resize(size); err != nil {
		return err
	}
	h.term.Resize(size.Cols, size.Rows)
	h.state.Size, h.resized = size, true
	h.timesMu.Lock()
	h.timesSize = size
	if h.times != nil {
		_ = h.times.Add(h.offset, time.Now(), size) // times are optional
	}
	h.timesMu.Unlock()
	h.controlChanged()
	h.changedLocked(false)
	return nil
}

// maxSocketPath returns the maximum length of a socket's path: that of the kernel's sun_path without
// NUL.
func maxSocketPath() int {
	if runtime.GOOS == "linux" {
		return 107
	}
	return 103
}

// socketName returns a short name, which is unique for the job directory.
func socketName(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return hex.EncodeToString(sum[:10])
}

// runtimeDirs returns the possible directories for the socket of the job in dir, best first.
// runtimeDir is $XDG_RUNTIME_DIR, or empty.
func runtimeDirs(dir, runtimeDir string) []string {
	var dirs []string
	if filepath.IsAbs(runtimeDir) {
		dirs = append(dirs, filepath.Join(runtimeDir, "hob"))
	}
	root := filepath.Dir(filepath.Dir(dir))
	return append(dirs,
		filepath.Join(root, "run"),
		filepath.Join(os.TempDir(), "hob-"+strconv.Itoa(os.Getuid())),
		filepath.Join("/tmp", "hob-"+strconv.Itoa(os.Getuid())))
}

// SocketPath returns the path for the socket of the job in dir: the first one that is short enough and
// in a directory that only this user can enter.
func SocketPath(dir, runtimeDir string) (string, error) {
	name := socketName(dir)
	var failed []error
	for _, d := range runtimeDirs(dir, runtimeDir) {
		path := filepath.Join(d, name)
		if len(path) > maxSocketPath() {
			failed = append(failed, fmt.Errorf("%s is longer than the %d bytes a socket's path may have", path, maxSocketPath()))
			continue
		}
		if err := privateDir(d); err != nil {
			failed = append(failed, err)
			continue
		}
		return path, nil
	}
	return "", fmt.Errorf("no directory for the job's socket: %w", errors.Join(failed...))
}

// privateDir creates the directory d if necessary, and fails unless it belongs to this user and no
// other user can enter or replace it. After su or sudo -E, $XDG_RUNTIME_DIR is that of another user.
func privateDir(d string) error {
	if err := plainfile.CheckPath(d); err != nil {
		return err
	}
	if err := os.Mkdir(d, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if err := plainfile.CheckPath(d); err != nil { // another user may have been faster
		return err
	}
	info, err := os.Lstat(d)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory", d)
	}
	if err := plainfile.CheckOwner(info); err != nil {
		return fmt.Errorf("%s %w", d, err)
	}
	if info.Mode().Perm() != 0o700 {
		return os.Chmod(d, 0o700)
	}
	return nil
}
