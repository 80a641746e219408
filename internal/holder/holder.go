package holder

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/logfile"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/vt"
)

// Config says what to hold.
type Config struct {
	Dir  string // the job directory, absolute
	Meta jobdir.Meta
	// Lock is that of Dir if it is held already; Open takes it over, also with an
	// error. nil: Open takes the lock.
	Lock *jobdir.Held
	// RuntimeDir is $XDG_RUNTIME_DIR; empty: the socket is put elsewhere.
	RuntimeDir string
	// OwnLog means that the job writes its log files itself (see [Holder.Grew]).
	OwnLog bool
	// Terminal means that the output is that of a terminal, so that there is a
	// screen.
	Terminal bool
	// Foreground means that a client is about to attach which reports the facts of the
	// terminal that it runs on: what depends on them is answered then.
	Foreground bool
	Hooks      Hooks
}

// Hooks make the job go. Those that are nil are refused as unsupported. They are
// called from goroutines of the holder, any of them at once.
type Hooks struct {
	// Input types p. It gives up when the job reads nothing for a while.
	Input func(ctx context.Context, p []byte) error
	// CloseInput ends the job's input.
	CloseInput func(ctx context.Context) error
	// Resize gives the terminal another size. It is called between two pieces of
	// output, with the holder locked: it must not block, nor call the holder.
	Resize func(record.Size) error
	// AskResize, if there is one, is called first when a client without a view
	// asks for a size, unlocked; its error refuses the size.
	AskResize func(ctx context.Context, size record.Size) error
	// Signal sends a signal to the job's foreground and group.
	Signal func(ctx context.Context, name, by string) error
	// Stop ends the tree and returns when it is gone.
	Stop func(ctx context.Context, o record.StopOptions) (record.StopReport, error)
	// Reply takes the terminal's answers to the job's queries. It must not block.
	Reply func(p []byte)
	// Backgrounded is called when nobody waits for the job any longer, once. It
	// must not block.
	Backgrounded func()
}

// Holder keeps one job: see the package comment.
type Holder struct {
	cfg   Config
	lock  *jobdir.Held
	holds *jobdir.Holds   // of those who read the log
	ctx   context.Context // ends with Close: the hooks' context
	stop  context.CancelFunc
	wg    sync.WaitGroup

	logFile *os.File // nil with OwnLog
	out     *logfile.Writer

	timesMu   sync.Mutex
	times     *jobdir.TimesWriter
	noTimes   bool
	timesSize record.Size

	saveMu   sync.Mutex  // one writer of state.json
	outputMu sync.Mutex  // held from a piece of output being logged until it is on the screen
	aside    atomic.Bool // space is set aside for the end, or could not be

	replyMu sync.Mutex // one caller of Hooks.Reply

	listenMu sync.Mutex
	listener *net.UnixListener
	socket   socketFile

	mu         sync.Mutex // guards what follows
	state      record.State
	term       *vt.Terminal
	replies    []byte
	resized    bool  // the terminal's size has changed
	offset     int64 // of the stream: what the emulator has seen, and the log's size
	sizes      func() int64
	bells      int
	conns      map[*conn]struct{}
	controller *conn
	saveTimer  *time.Timer
	saveDue    time.Time // when it fires
	closing    bool
	ending     bool               // the end is being recorded
	refused    error              // why the end could not be recorded until now
	unrecorded *record.Unrecorded // the same for clients, with the end; replaced, never changed
	facts      factLimiter

	pauses      int // how often it was stopped or continued since then
	pausesSince time.Time
}

// Open takes the job directory's lock, or returns jobdir.ErrLocked if the job
// has a holder already, and opens the log. Nothing is written to state.json
// before Started.
func Open(cfg Config) (*Holder, error) {
	lock := cfg.Lock
	if lock == nil {
		var err error
		if lock, err = jobdir.Lock(cfg.Dir); err != nil {
			return nil, err
		}
	}
	h := &Holder{cfg: cfg, lock: lock, conns: map[*conn]struct{}{}, holds: jobdir.HoldsOf(cfg.Dir)}
	h.timesSize = cfg.Meta.InitialSize
	h.ctx, h.stop = context.WithCancel(context.Background())
	h.state = record.State{
		Backgrounded: cfg.Meta.StartInBackground,
		Size:         cfg.Meta.InitialSize,
		Protocol:     Protocol,
	}
	if err := h.openLog(); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	if cfg.Terminal {
		h.term = vt.New(max(cfg.Meta.InitialSize.Cols, 1), max(cfg.Meta.InitialSize.Rows, 1),
			vt.WithReply(h.reply), vt.WithHandler(h.handler()), vt.WithFacts(vt.Facts{Pending: cfg.Foreground}))
	}
	return h, nil
}

// WithoutTerminal says, before Started, that the terminal which was asked for could
// not be had.
func (h *Holder) WithoutTerminal() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state.NoTerminal, h.state.Size = true, record.Size{}
}

func (h *Holder) openLog() error {
	if h.cfg.OwnLog {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(h.cfg.Dir, jobdir.OutputFile), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	h.out, err = logfile.NewWriter(f, logfile.Config{
		Limit: max(0, h.cfg.Meta.LogLimit), Held: h.Held(jobdir.OutputFile), Record: h.recordHole,
	})
	if err != nil {
		return errors.Join(err, f.Close())
	}
	h.logFile = f
	h.offset = h.out.Stats().Size
	return nil
}

// Started records that the job runs. job is zero for an execution without a
// process; session is the job's session, or 0.
func (h *Holder) Started(job proc.Identity, session int, at, deadline time.Time) error {
	capErr := h.tryCap()
	h.mu.Lock()
	h.identify()
	st := &h.state
	st.Leader, st.Session = job, session
	st.StartedAt, st.Deadline = at, deadline
	st.StartedUp = record.InMilliseconds(proc.RunningAt(at))
	st.NoLimit = st.NoLimit || capErr != nil
	h.mu.Unlock()
	err := h.save()
	if err != nil {
		h.mu.Lock()
		h.saveIn(savePause)
		h.mu.Unlock()
	}
	h.fact(jobdir.Fact{At: at, Kind: "started"})
	h.wg.Go(h.settleIn)
	if h.term != nil && h.cfg.Foreground {
		h.wg.Go(h.limitPending)
	}
	return err
}

// settleIn does for a job that lasts what nobody has to wait for: it sets space
// aside for the record of the end, and flushes what stands in the directory. It
// ends with the holder.
func (h *Holder) settleIn() {
	select {
	case <-time.After(settlePause):
	case <-h.ctx.Done():
		return
	}
	h.SetAside()
	select {
	case <-time.After(flushPause):
		_ = jobdir.Sync(h.cfg.Dir) // the end is flushed anyway
	case <-h.ctx.Done():
	}
}

// SetAside sets space aside for the record of the end, now: for a job that writes its
// own log, and so can fill the disk before the holder sees anything of it.
func (h *Holder) SetAside() {
	h.saveMu.Lock()
	defer h.saveMu.Unlock()
	h.setAside()
}

// setAside sets space aside for the record of the end, unless that is being made;
// saveMu is held.
func (h *Holder) setAside() {
	h.mu.Lock()
	ending := h.ending
	h.mu.Unlock()
	if !ending && h.aside.CompareAndSwap(false, true) {
		_ = jobdir.Reserve(h.cfg.Dir) // without it, the end waits for room
	}
}

const (
	// settlePause is how long a job has to last, and settleOutput how much it has to
	// print, before space is set aside for its end: there was room for its begin just
	// before.
	settlePause  = 50 * time.Millisecond
	settleOutput = 64 << 10
	// flushPause is how much longer it has to last before its begin is flushed.
	flushPause = time.Second
)

// identify says on which machine all pids are meant; h.mu is held.
func (h *Holder) identify() {
	st := &h.state
	if st.Machine == "" {
		st.Machine, st.BootID, st.PIDNS = proc.MachineID(), proc.BootID(), proc.PIDNamespace()
		st.Holder = proc.Self()
	}
}

// tryCap finds out whether the log can be capped at all.
func (h *Holder) tryCap() error {
	if h.cfg.Meta.LogLimit <= 0 || h.logFile == nil {
		return nil
	}
	if err := logfile.SupportedBy(h.logFile); errors.Is(err, logfile.ErrNoHoles) {
		return err
	}
	return nil
}

// State is what is known now.
func (h *Holder) State() record.State {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state
}

// Offset is how far the output reaches.
func (h *Holder) Offset() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.outputLocked()
}

func (h *Holder) outputLocked() int64 {
	if h.sizes != nil {
		return h.sizes()
	}
	return h.offset
}

// End records how the job ended and tells whoever listens. It returns when the
// record is on disk, however long that takes, or when the directory is gone.
// Only the first end counts.
func (h *Holder) End(end record.Exit) {
	h.mu.Lock()
	if h.ending {
		h.mu.Unlock()
		return
	}
	h.ending = true
	h.identify()
	h.clock(&end)
	h.mu.Unlock()
	h.finish(end)
	kind := "exited"
	if end.Status == "lost" {
		kind = "lost"
	}
	h.fact(jobdir.Fact{At: end.At, Kind: kind, Offset: h.Offset()})
	h.mu.Lock()
	for c := range h.conns {
		c.changed(true)
	}
	h.mu.Unlock()
}

// clock says how long the job ran and when that was by the clocks that nobody
// sets; by the one that can be set it never ended before it started. h.mu is held.
func (h *Holder) clock(end *record.Exit) {
	if h.state.StartedUp != 0 {
		end.Ran = max(1, record.InMilliseconds(proc.RunningAt(end.At))-h.state.StartedUp)
	}
	end.SinceBoot = record.InMilliseconds(proc.SinceBoot())
	// Without the monotonic readings, which would decide otherwise.
	if started := h.state.StartedAt.Round(0); end.At.Round(0).Before(started) {
		end.At = started
	}
}

// Survivors adds to a recorded end what the job left running.
func (h *Holder) Survivors(left []record.Process) {
	h.mu.Lock()
	if !h.state.Exit.Known() || slices.Equal(h.state.Exit.Survivors, left) {
		h.mu.Unlock()
		return
	}
	h.state.Exit.Survivors = left
	h.mu.Unlock()
	_ = h.save() // what was recorded with the end stands
}

// finish writes the end, and only then lets it be seen. It is the one record that
// must not be lost: on a disk that is full or read-only it is tried until it
// succeeds, while the socket answers and the lock says that there is a holder. Who
// watches is told meanwhile what cannot be recorded.
func (h *Holder) finish(end record.Exit) {
	for pause := 100 * time.Millisecond; !h.record(end); pause = min(2*pause, 30*time.Second) {
		select {
		case <-time.After(pause):
		case <-h.ctx.Done():
			return
		}
	}
}

// record tries to write the end, and reports whether it stands, or nobody will read
// it.
func (h *Holder) record(end record.Exit) bool {
	h.saveMu.Lock()
	defer h.saveMu.Unlock()
	st := h.State()
	st.Rest()
	st.Exit = end
	err := jobdir.Finish(h.cfg.Dir, &st)
	_, gone := os.Lstat(h.cfg.Dir)
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil && !errors.Is(gone, fs.ErrNotExist) {
		h.refused = err
		if h.unrecorded == nil {
			h.unrecorded = &record.Unrecorded{Exit: end, Why: err.Error()}
			for c := range h.conns {
				c.changed(true)
			}
		}
		return false
	}
	h.state.Rest()
	h.state.Exit, h.unrecorded = end, nil
	return true
}

// GiveUp has End return though the end could not be recorded: nobody will know it.
// Nothing but Close may be called then.
func (h *Holder) GiveUp() { h.stop() }

// Unrecorded is why the end of the job could not be recorded until now; nil while
// it runs, and if nothing was in the way.
func (h *Holder) Unrecorded() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state.Exit.Known() {
		return nil
	}
	return h.refused
}

// Close lets go of the job: it takes leave of the clients, removes the socket and
// releases the lock. It ends nothing.
func (h *Holder) Close() error {
	h.mu.Lock()
	if h.closing {
		h.mu.Unlock()
		return nil
	}
	h.closing = true
	if h.saveTimer != nil {
		h.saveTimer.Stop()
	}
	leaving := make([]*conn, 0, len(h.conns))
	for c := range h.conns {
		c.leave()
		leaving = append(leaving, c)
	}
	h.mu.Unlock()
	h.saveScreen()
	h.unlisten()
	// Who asked for the end is still to be told of it.
	patience := time.AfterFunc(farewell, h.stop)
	for _, c := range leaving {
		select {
		case <-c.gone:
		case <-h.ctx.Done():
		}
	}
	patience.Stop()
	h.stop()
	h.wg.Wait()
	var errs []error
	h.timesMu.Lock()
	if h.times != nil {
		errs = append(errs, h.times.Close())
	}
	h.timesMu.Unlock()
	if h.logFile != nil {
		errs = append(errs, h.logFile.Close())
	}
	errs = append(errs, h.holds.Close(), h.lock.Close())
	return errors.Join(errs...)
}
