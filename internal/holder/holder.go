// Package holder implements the holder of a job, whichever program that is: a separate process for
// a local job, or the program that performs a virtual execution. The holder has the job directory's
// lock for as long as it lives, writes the log, the records and the facts, and serves the job's
// socket. The operations on the job itself (starting it, typing into it, ending it) are passed in
// as [Hooks].
//
// The client side is [Run]: all operations on a job, given its directory, whichever program and
// version its holder is. The backends of local jobs and of virtual executions embed it.
// docs/holder-protocol.md describes the protocol between the two.
//
// # Truth
//
// The directory is authoritative, the socket is only faster. A client that finds no socket reads
// the files; a lost connection implies nothing about the job. A job has ended if its records
// contain the end, and is lost if its lock is free and they do not.
//
// # Ownership and concurrency
//
// A [Holder] has one caller of Output at a time; all other methods may be called concurrently. No
// client can block the job: output that a client does not read in time is dropped for that client,
// which gets a new snapshot when it reads again.
//
// This package does not import the engine; they share the types of engine/record.
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
	"github.com/hobjobs/hob/internal/programstatus"
	"github.com/hobjobs/hob/internal/vt"
)

type Config struct {
	Dir  string // the job directory, absolute
	Meta jobdir.Meta
	// Lock is the lock of Dir. Open takes ownership of it, even if it returns an error.
	Lock *jobdir.FileLock
	// Alive is the job's pipe if it is open already; Open takes ownership of it, even if it returns an
	// error. nil: Open creates it.
	Alive *jobdir.Alive
	// RuntimeDir is $XDG_RUNTIME_DIR, or empty to create the socket elsewhere.
	RuntimeDir string
	// OwnLog means that the job writes its log files itself (see [Holder.Grew]).
	OwnLog bool
	// Terminal means that the output is that of a terminal, so that the job has a screen.
	Terminal bool
	// Notifies means that the user's command is run for events of the job.
	Notifies bool
	// Foreground means that a client is about to attach and report the facts of its terminal:
	// queries that depend on them are answered then.
	Foreground bool
	Hooks      Hooks
}

// Hooks operate on the job. Requests whose hook is nil are refused as unsupported. Hooks are called
// from goroutines of the holder, concurrently.
type Hooks struct {
	// Input types p: what a client has typed, or a reply of the terminal to a query of the job. It
	// fails if the job does not read it for some time.
	Input func(ctx context.Context, p []byte) error
	// CloseInput ends the job's input.
	CloseInput func(ctx context.Context) error
	// Resize changes the size of the terminal. It is called with the holder locked, and must neither
	// block nor call the holder.
	Resize func(record.Size) error
	// Group, if set, returns the foreground process group of the terminal, 0 if that is not known. It is called with the
	// holder locked, and must neither block nor call the holder.
	Group func() int
	// ProgramChanged, if set, is called like Group when the state that the program reports has changed.
	ProgramChanged func(record.ProgramReport)
	// AskResize, if set, is called before a client that is not attached changes the size, without a
	// lock. Its error refuses the change.
	AskResize func(ctx context.Context, size record.Size) error
	// Signal sends a signal to the job's foreground and group.
	Signal func(ctx context.Context, name, by string) error
	// Stop ends the process tree and returns when all processes have ended.
	Stop func(ctx context.Context, o record.StopOptions) (record.StopReport, error)
	// Ended is called once: after the end is recorded and before clients are notified, or by Close.
	Ended func()
	// Backgrounded is called once, when no caller waits for the job any longer. It must not block.
	Backgrounded func()
}

// Holder is the holder of one job; see the package comment.
type Holder struct {
	cfg   Config
	over  func()          // notifies the callers that wait for the end, once
	holds *jobdir.Holds   // of log readers
	ctx   context.Context // of the hooks; ends with Close
	stop  context.CancelFunc
	wg    sync.WaitGroup

	logFile *os.File // nil with OwnLog
	out     *logfile.Writer

	timesMu   sync.Mutex
	times     *jobdir.TimesWriter
	noTimes   bool
	timesSize record.Size

	saveMu   sync.Mutex  // held while state.json is written
	saving   diskOp      // that write; begun and ended with saveMu held
	released bool        // the lock of the directory is released, so nothing may be written; guarded by saveMu
	outputMu sync.Mutex  // held from logging output until it is on the screen
	logging  diskOp      // a write of output; begun and ended with outputMu held
	reserved atomic.Bool // space for the record of the end was reserved, or that failed

	listenMu sync.Mutex
	listener *net.UnixListener
	socket   socketFile

	mu         sync.Mutex // guards the fields below
	state      record.State
	term       *vt.Terminal
	replies    []byte // of the emulator, to be typed
	replying   bool   // a goroutine types them
	resized    bool   // the terminal's size has changed
	offset     int64  // of the stream: the emulator's position, and the size of the log
	sizes      func() int64
	bells      int
	conns      map[*conn]struct{}
	controller *conn
	saveTimer  *time.Timer
	saveDue    time.Time // when the timer fires
	closing    bool
	ending     bool               // the end is being recorded
	endWatched bool               // a client showed the job to a user when it ended
	refused    error              // why the end could not be recorded so far
	unrecorded *record.Unrecorded // the same for clients, with the end; immutable
	facts      factLimiter
	factWriter factWriter

	program    programstatus.Store
	programDue bool                 // state.Program is older than program
	lastReport record.ProgramReport // the most urgent report of program
	noted      record.ProgramReport // the last one in the events
	noteTimer  *time.Timer          // adds lastReport to the events; nil: that is not due
	reads      bool                 // the job reads its terminal, see updateWaitingLocked

	// A change that a waiting program may look up is announced once it is on disk: how many were held back for that,
	// and how many of them are on disk.
	held, written int

	atOnce      int // how often state.json was written without a delay since then
	atOnceSince time.Time
}

// Open opens the log. Nothing is written to state.json before Started.
func Open(cfg Config) (*Holder, error) {
	h := &Holder{cfg: cfg, conns: map[*conn]struct{}{}, holds: jobdir.NewHolds(cfg.Dir)}
	alive := cfg.Alive
	if alive == nil {
		alive, _ = jobdir.OpenAlive(cfg.Dir) // without it, jobs that wait for this one look from time to time
	}
	h.over = sync.OnceFunc(func() {
		if cfg.Hooks.Ended != nil {
			cfg.Hooks.Ended()
		}
		alive.Close()
	})
	h.timesSize = cfg.Meta.InitialSize
	h.ctx, h.stop = context.WithCancel(context.Background())
	h.state = record.State{
		Notifies:     cfg.Notifies,
		Backgrounded: cfg.Meta.StartInBackground,
		Size:         cfg.Meta.InitialSize,
		Protocol:     Protocol,
	}
	if err := h.openLog(); err != nil {
		h.over()
		return nil, errors.Join(err, cfg.Lock.Close())
	}
	if cfg.Terminal {
		h.term = vt.New(max(cfg.Meta.InitialSize.Cols, 1), max(cfg.Meta.InitialSize.Rows, 1),
			vt.WithReply(h.reply), vt.WithHandler(h.handler()), vt.WithFacts(vt.Facts{Pending: cfg.Foreground}))
	}
	return h, nil
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
		Limit:  max(0, h.cfg.Meta.LogLimit),
		Held:   h.Held(jobdir.OutputFile),
		Record: h.recordHole,
	})
	if err != nil {
		return errors.Join(err, f.Close())
	}
	h.logFile = f
	h.offset = h.out.Stats().Size
	return nil
}

// Started records that the job is running. job is zero for an execution without a process. session is
// the job's session, or 0.
func (h *Holder) Started(job proc.Identity, session int, at, deadline time.Time) error {
	limitErr := h.checkLimit()
	h.mu.Lock()
	h.identify()
	st := &h.state
	first := st.StartedAt.IsZero()
	st.Leader, st.Session = job, session
	st.Pending = nil
	if st.Runs == nil && h.cfg.Meta.Restart != "" {
		st.Runs = &record.Runs{}
	}
	st.StartedAt, st.Deadline = at, deadline
	st.StartedUp = record.InMilliseconds(proc.RunningAt(at))
	if limitErr != nil {
		st.NoLimit = true
	}
	h.mu.Unlock()
	err := h.save()
	if err != nil {
		h.mu.Lock()
		h.saveIn(savePause)
		h.mu.Unlock()
	}
	h.fact(jobdir.Fact{At: at, Kind: "started"})
	if !first {
		return err
	}
	h.wg.Go(h.prepareForEnd)
	if h.term != nil && h.cfg.Foreground {
		h.wg.Go(h.limitPending)
	}
	return err
}

// prepareForEnd reserves space for the record of the end and flushes the directory's contents. It is
// run in the background for jobs that do not end at once, and ends with the holder.
func (h *Holder) prepareForEnd() {
	if !sleep(h.ctx, reserveDelay) {
		return
	}
	h.ReserveEnd()
	if sleep(h.ctx, flushPause) {
		_ = jobdir.Sync(h.cfg.Dir) // the end is flushed in any case
	}
}

// ReserveEnd reserves space for the record of the end now: for a job that writes its own log, and so
// can fill the disk before the holder notices.
func (h *Holder) ReserveEnd() {
	h.saveMu.Lock()
	defer h.saveMu.Unlock()
	h.reserveLocked()
}

// reserveLocked reserves space for the record of the end, unless that is being written; saveMu is
// held.
func (h *Holder) reserveLocked() {
	h.mu.Lock()
	ending := h.ending
	h.mu.Unlock()
	if !ending && h.reserved.CompareAndSwap(false, true) {
		h.saving.begin(h.diskChanged)
		_ = jobdir.Reserve(h.cfg.Dir) // without it, the end waits for disk space
		h.saving.end(h.diskChanged)
	}
}

const (
	// Space for the end is reserved after a job has run for reserveDelay, and before its output has
	// reserveOutput bytes: the disk had space for both when the job started.
	reserveDelay  = 50 * time.Millisecond
	reserveOutput = 16 << 10
	// flushPause is the time after that until its start is flushed.
	flushPause = time.Second
)

// identify records the machine, boot and namespace of all pids; h.mu is held.
func (h *Holder) identify() {
	st := &h.state
	if st.Machine == "" {
		st.Machine, st.BootID, st.PIDNS = proc.MachineID(), proc.BootID(), proc.PIDNamespace()
		st.Holder = proc.Self()
	}
}

// checkLimit checks whether the log can be limited.
func (h *Holder) checkLimit() error {
	if h.cfg.Meta.LogLimit <= 0 || h.logFile == nil {
		return nil
	}
	if err := logfile.CheckPunch(h.logFile); errors.Is(err, logfile.ErrNoHoles) {
		return err
	}
	return nil
}

func (h *Holder) State() record.State {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stateLocked()
}

// Offset returns the offset of the end of the output.
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

// End records how the job ended and notifies the subscribers. It returns when the record is on
// disk, however long that takes, or when the directory has been removed. Only the first call has an
// effect.
func (h *Holder) End(end record.Exit) {
	h.mu.Lock()
	if h.ending {
		h.mu.Unlock()
		return
	}
	h.ending = true
	h.endWatched = h.watchedLocked() // before a client can know of the end
	h.identify()
	h.clock(&end)
	h.mu.Unlock()
	end.Summary = h.summaryOf(&end)
	h.findFinalReports()
	h.finish(end)
	if h.State().Exit.Known() {
		h.over()
	}
	kind := "exited"
	if end.Status == "lost" {
		kind = "lost"
	}
	h.fact(jobdir.Fact{
		At:     end.At,
		Kind:   kind,
		Offset: h.Offset(),
	})
	h.mu.Lock()
	for c := range h.conns {
		c.changed(true)
	}
	h.mu.Unlock()
}

// clock sets when the job ended and how long it ran, using clocks that cannot be set. By the wall
// clock, the end is never before the start. h.mu is held.
func (h *Holder) clock(end *record.Exit) {
	if last := h.state.Runs; last.Between() && last.Last != nil {
		end.Ran = last.Last.Ran
	} else if h.state.StartedUp != 0 {
		end.Ran = max(1, record.InMilliseconds(proc.RunningAt(end.At))-h.state.StartedUp)
	}
	end.SinceBoot = record.InMilliseconds(proc.SinceBoot())
	// Compare without monotonic readings.
	if started := h.state.StartedAt.Round(0); end.At.Round(0).Before(started) {
		end.At = started
	}
}

// Survivors adds to a recorded end the processes that the job left running.
func (h *Holder) Survivors(left []record.Process) {
	h.mu.Lock()
	if !h.state.Exit.Known() || slices.Equal(h.state.Exit.Survivors, left) {
		h.mu.Unlock()
		return
	}
	h.state.Exit.Survivors = left
	h.mu.Unlock()
	_ = h.save() // if it fails, the record of the end remains
}

// finish writes the end and then publishes it. This record must not be lost: on a disk that is full or
// read-only, the write is retried until it succeeds. Meanwhile the holder keeps the lock and answers
// on its socket, and subscribers get the end as unrecorded.
func (h *Holder) finish(end record.Exit) {
	for pause := 100 * time.Millisecond; !h.record(end); pause = min(2*pause, 30*time.Second) {
		if !sleep(h.ctx, pause) {
			return
		}
	}
}

// record tries to write the end. It reports whether that succeeded or is unnecessary, because the
// directory was removed.
func (h *Holder) record(end record.Exit) bool {
	h.saveMu.Lock()
	defer h.saveMu.Unlock()
	st := h.State()
	st.Rest()
	st.Exit = end
	h.saving.begin(h.diskChanged)
	err := jobdir.Finish(h.cfg.Dir, &st)
	h.saving.end(h.diskChanged)
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
	h.endProgramLocked()
	h.state.Rest()
	h.state.Exit, h.unrecorded = end, nil
	return true
}

// GiveUp makes End return even if the end could not be recorded; the record is lost then. Only Close
// may be called afterwards.
func (h *Holder) GiveUp() { h.stop() }

// Unrecorded returns why the end of the job could not be recorded so far; nil while it runs, and if
// nothing prevented it.
func (h *Holder) Unrecorded() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state.Exit.Known() {
		return nil
	}
	return h.refused
}

// Close releases the job: it closes the connections, removes the socket and releases the lock. It
// does not end the job.
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
	// The client that requested the end must still get its answer.
	patience := time.AfterFunc(drainTimeout, h.stop)
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
	h.saveMu.Lock() // a request that is still carried out may be writing
	h.released = true
	h.saveMu.Unlock()
	h.over()
	errs = append(errs, h.holds.Close(), h.cfg.Lock.Close())
	return errors.Join(errs...)
}
