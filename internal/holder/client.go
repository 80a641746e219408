package holder

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

// ErrNoSocket means that the job has a holder, but its socket cannot be reached.
var ErrNoSocket = errors.New("the job's holder does not answer")

// errFull returns the error for a holder that exists but accepts no more clients. It is not a variable:
// formatting while packages are initialized costs each waiting holder memory.
func errFull() error { return fmt.Errorf("%w: it has too many clients", ErrNoSocket) }

const (
	// helloTimeout is how long a holder may take to send its greeting.
	helloTimeout = 5 * time.Second
	// socketTimeout is how long a holder may take to bind its socket.
	socketTimeout = 5 * time.Second
)

// Client is a connection to a holder. It is safe for concurrent use. Instructions are carried out one
// after the other.
type Client struct {
	Hello Hello
	nc    io.ReadWriteCloser
	r     frameReader
	hello []byte // as it was sent

	wmu     sync.Mutex // held from an instruction to its answer
	answers chan answer
	inbox   *inbox
	wg      sync.WaitGroup
	once    sync.Once
	why     error         // the end of the connection
	down    chan struct{} // closed at that end

	socket  string
	silence func() string // see silence; nil for a client that sends a single request
}

type answer struct {
	payload []byte
	err     error
}

// Dial connects to the holder of the job in dir. It asks a holder whose socket is missing to bind a
// new one. None of this affects the job. The errors are record.ErrNotRunning for a job without a
// holder, and ErrNoSocket.
func Dial(ctx context.Context, dir string) (*Client, error) {
	c, err := reach(ctx, dir)
	if err == nil {
		c.begin()
	}
	return c, err
}

// begin makes a client that was greeted ready for instructions.
func (c *Client) begin() { c.wg.Go(c.read) }

// reach is Dial without reading more than the greeting.
func reach(ctx context.Context, dir string) (*Client, error) {
	deadline := time.Now().Add(socketTimeout)
	asked, why := false, ErrNoSocket
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		st, stateErr := jobdir.ReadState(dir)
		if stateErr == nil && st.Socket != "" {
			c, err := dialUnlessStopped(ctx, &st)
			if err == nil {
				c.silence = func() string { return silence(&st) }
				return c, nil
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			switch why = ErrNoSocket; {
			case errors.Is(err, io.EOF):
				why = errFull()
			case isSilence(err):
				why = &silentError{silence(&st), err}
				if holderStopped(&st) {
					return nil, why
				}
			}
		}
		if !jobdir.Locked(dir) {
			return nil, record.ErrNotRunning
		}
		switch {
		case stateErr == nil && !asked:
			askSocket(&st)
			asked = true
		case damaged(stateErr): // nothing else has the socket
			return nil, &silentError{"its supervisor process cannot be found: " + jobdir.ReasonOf(stateErr), stateErr}
		}
		if time.Now().After(deadline) {
			return nil, why
		}
		if !sleep(ctx, pause) {
			return nil, ctx.Err()
		}
	}
}

// damaged reports whether err, from reading a record, will not go away by waiting.
func damaged(err error) bool {
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist), jobdir.MayExist(err):
		return false
	}
	return true
}

// SeesProcesses reports whether the pids in st refer to processes that this process can see.
func SeesProcesses(st *record.State) bool {
	if st.BootID == "" || st.BootID != proc.BootID() {
		return false
	}
	return st.Machine == proc.MachineID() && st.PIDNS == proc.PIDNamespace()
}

// askSocket asks a holder process whose socket is missing to bind a new one. A program that holds a
// virtual execution is left alone: it may not handle the signal.
func askSocket(st *record.State) {
	if !SeesProcesses(st) {
		return
	}
	if !proc.IsHolder(st.Holder.PID) {
		return
	}
	if sig, err := proc.ParseSignal("USR1"); err == nil {
		_ = proc.Signal(st.Holder, sig) // if it has exited meanwhile, its lock shows that
	}
}

// dialUnlessStopped connects like dial, but gives up early if the holder is stopped.
func dialUnlessStopped(ctx context.Context, st *record.State) (*Client, error) {
	within, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	early := time.AfterFunc(usualPatience().stopped, func() {
		if holderStopped(st) {
			giveUp(os.ErrDeadlineExceeded)
		}
	})
	defer early.Stop()
	c, err := dial(within, st.Socket)
	if err != nil {
		return nil, cmp.Or(context.Cause(within), err)
	}
	return c, nil
}

func dial(ctx context.Context, path string) (*Client, error) {
	var d net.Dialer
	nc, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	if uc, ok := nc.(*net.UnixConn); ok {
		// Only a process of this user holds a job of this user. Root does not accept other users
		// either: they could show a screen that asks for a password.
		if uid, err := proc.PeerUID(uc); err != nil || uid != os.Getuid() {
			nc.Close()
			return nil, errors.New("the socket belongs to another user")
		}
	}
	ctx, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	c, err := greeted(ctx, nc)
	if err != nil {
		return nil, err
	}
	c.socket = path
	return c, nil
}

// greeted returns a client of the holder at the other end of nc, which it owns, once the holder has sent its
// greeting. It waits until ctx is done.
func greeted(ctx context.Context, nc io.ReadWriteCloser) (*Client, error) {
	c := newClient(nc)
	if err := c.greet(ctx); err != nil {
		nc.Close()
		return nil, err
	}
	return c, nil
}

func newClient(nc io.ReadWriteCloser) *Client {
	return &Client{
		nc:      nc,
		r:       frameReader{r: bufio.NewReaderSize(nc, 16<<10), max: maxData},
		answers: make(chan answer, 1),
		inbox:   newInbox(),
		down:    make(chan struct{}),
	}
}

func (c *Client) greet(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { c.nc.Close() })
	f, err := c.r.next()
	if !stop() {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("no greeting from the holder: %w", err)
	}
	if f.Type == TypeError {
		return refusedRelay(f)
	}
	if f.Type != TypeHello {
		return errors.New("invalid greeting: not a holder")
	}
	c.hello = bytes.Clone(f.Payload)
	c.Hello, err = decodeHello(f.Payload)
	return err
}

// Close ends the connection. It may be called more than once.
func (c *Client) Close() error {
	err := c.shut(net.ErrClosed)
	c.wg.Wait()
	return err
}

func (c *Client) shut(why error) error {
	c.once.Do(func() {
		c.why = why
		close(c.down)
	})
	return c.nc.Close()
}

// Do sends one instruction and waits for its answer. payload is nil, bytes, or a value that is sent
// as JSON; the answer is decoded into result, unless that is nil. If the context ends first, Do
// closes the connection, since the late answer would be taken for that of the next instruction. A
// holder of another protocol version can only be stopped: [TypeKill] is sent to it as [TypeStop],
// without the caller's options and without a result.
func (c *Client) Do(ctx context.Context, t Type, payload, result any) error {
	if !c.Hello.Supported() {
		switch t {
		case TypeStop:
		case TypeKill:
			t, payload, result = TypeStop, nil, nil
		default:
			return fmt.Errorf("the job's holder is of another version of hob (protocol %d to %d, here %d); it can only be stopped",
				c.Hello.Min, c.Hello.Max, Protocol)
		}
	}
	p, err := payloadOf(payload)
	if err != nil {
		return err
	}
	c.wmu.Lock()
	defer c.wmu.Unlock()
	stop := context.AfterFunc(ctx, func() { _ = c.shut(ctx.Err()) })
	defer stop()
	answered := c.giveUpIfSilent(ctx, t)
	defer answered()
	if _, err := c.nc.Write(appendFrame(nil, t, p)); err != nil {
		return c.lost(ctx, err)
	}
	a := c.await(ctx)
	if a.err != nil {
		return a.err
	}
	if result == nil || len(a.payload) == 0 {
		return nil
	}
	return json.Unmarshal(a.payload, result)
}

// payloadOf encodes an instruction's payload. It fails if the payload is too long, because the holder
// would close the connection.
func payloadOf(v any) (p []byte, err error) {
	switch v := v.(type) {
	case nil:
	case []byte:
		p = v
	default:
		p, err = json.Marshal(v)
	}
	if len(p) > maxInstruction {
		return nil, &Failure{Code: CodeInvalid, Message: fmt.Sprintf("%d bytes at once, more than %d", len(p), maxInstruction)}
	}
	return p, err
}

// await waits for the answer, whether or not the frames of a stream are taken meanwhile.
func (c *Client) await(ctx context.Context) answer {
	c.inbox.setOpen(true)
	defer c.inbox.setOpen(false)
	select {
	case a := <-c.answers:
		return a
	case <-c.down:
	}
	select {
	case a := <-c.answers: // received before the end of the connection
		return a
	default:
		return answer{err: c.lost(ctx, c.why)}
	}
}

func answerOf(f Frame) (answer, bool) {
	switch f.Type {
	case TypeOK:
		return answer{payload: append([]byte(nil), f.Payload...)}, true
	case TypeError:
		var fail Failure
		if err := json.Unmarshal(f.Payload, &fail); err != nil {
			fail = Failure{Code: CodeFailed, Message: "the holder refused"}
		}
		return answer{err: &fail}, true
	}
	return answer{}, false
}

// lost returns the error for a broken connection, which implies nothing about the job.
func (c *Client) lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if silent, ok := errors.AsType[*silentError](err); ok {
		return silent
	}
	return fmt.Errorf("%w: %w", ErrNoSocket, err)
}

// Stream sends an instruction that starts a stream (Attach, Subscribe). From then on Next returns its
// frames.
func (c *Client) Stream(ctx context.Context, t Type, payload any) error {
	err := c.Do(ctx, t, payload, nil)
	if f, ok := errors.AsType[*Failure](err); ok && f.Code == CodeFull {
		return errFull()
	}
	return err
}

// read dispatches frames until the connection ends. While the caller does not call Next, read blocks,
// and the holder drops output for this client.
func (c *Client) read() {
	defer c.inbox.end()
	for {
		f, err := c.r.next()
		if err != nil {
			_ = c.shut(err)
			return
		}
		if a, ok := answerOf(f); ok {
			select {
			case c.answers <- a:
			default: // the caller no longer waits for it
			}
			continue
		}
		f.Payload = bytes.Clone(f.Payload)
		c.r.shrink()
		if !c.inbox.put(f, c.down) {
			return
		}
	}
}

// Next returns the next frame of the stream. The error for a lost connection is ErrNoSocket, even
// if the job has ended. It must not be called concurrently with itself.
func (c *Client) Next(ctx context.Context) (Frame, error) {
	for {
		f, ok, ended := c.inbox.take()
		switch {
		case ok:
			return f, nil
		case ended:
			return Frame{}, c.lost(ctx, c.why)
		}
		select {
		case <-c.inbox.ready:
		case <-ctx.Done():
			return Frame{}, ctx.Err()
		}
	}
}

// Ready returns the next frame if it was already received.
func (c *Client) Ready() (f Frame, ok bool) {
	f, ok, _ = c.inbox.take()
	return f, ok
}

// asNotRunning replaces the error of a lost connection by record.ErrNotRunning if the holder has
// exited, or is exiting because its job has ended. It returns other errors unchanged.
func asNotRunning(dir string, err error) error {
	if !errors.Is(err, ErrNoSocket) {
		return err
	}
	if !jobdir.Locked(dir) {
		return record.ErrNotRunning
	}
	if st, readErr := jobdir.ReadState(dir); readErr == nil && st.Exit.Known() {
		return record.ErrNotRunning
	}
	return err
}
