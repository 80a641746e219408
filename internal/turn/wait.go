//go:build linux || darwin

package turn

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// The environment variables that tell a holder to wait.
const (
	QueueVariable    = "HOB_TURN_QUEUE"     // the queue's directory
	JobVariable      = "HOB_TURN_JOB"       // the job directory
	AfterVariable    = "HOB_TURN_AFTER"     // ids, each followed by a comma: must have exited with 0
	AfterAnyVariable = "HOB_TURN_AFTER_ANY" // ids, each followed by a comma: must have ended
)

// Outcome is how a wait ended.
type Outcome int

const (
	NotQueued Outcome = iota // the job does not wait
	Start                    // its turn has come
	Cancel                   // a client does not want the job any longer
	Blocked                  // a job that this one had to follow did not succeed
)

// Result is what a holder got before and by waiting.
type Result struct {
	Outcome Outcome
	Config  []byte // what the launcher sent
	Files   []int  // the descriptors sent with it: the job's lock, the pipe of a queued job, others
	Err     error  // neither arrived completely
	Entry   string // path of the entry of a queued job; it is removed when the job has ended
	Cause   string // with Blocked: the job that did not succeed
}

const (
	configFD = 0
	replyFD  = 3
)

// Wait receives the configuration from the launcher. If the environment asks for that, it reports
// to the launcher that the job waits, and returns when its turn has come.
func Wait() (r Result) {
	closeLeaked(replyFD + 1)
	r.Config, r.Files, r.Err = receive()
	queue, _ := syscall.Getenv(QueueVariable)
	dir, _ := syscall.Getenv(JobVariable)
	switch {
	case queue == "" || dir == "" || r.Err != nil:
		return r
	case len(r.Files) < 2:
		r.Err = errors.New("descriptors are missing")
		return r
	}
	after, _ := syscall.Getenv(AfterVariable)
	afterAny, _ := syscall.Getenv(AfterAnyVariable)
	cut := lastSlash(dir)
	w := waiter{
		queue: queue, jobs: dir[:cut+1], id: dir[cut+1:], result: r,
		deps: parseDeps(parseDeps(nil, after, false), afterAny, true),
	}
	detach(dir)
	w.wait()
	return w.result
}

// received is the buffer for the configuration: few are larger.
var received [8 << 10]byte

// rights is the buffer for the descriptors of one message.
var rights [syscall.SizeofCmsghdr + 4*256]byte

// receive reads the configuration and the descriptors that come with it to the end.
func receive() (config []byte, fds []int, err error) {
	config = received[:0]
	for {
		if len(config) == cap(config) {
			config = append(config, 0)[:len(config)]
		}
		var n, oobn int
		_, err := retrying(func() (_ int, err error) {
			n, oobn, _, _, err = syscall.Recvmsg(configFD, config[len(config):cap(config)], rights[:], 0)
			return n, err
		})
		if err != nil {
			closeAll(fds)
			return nil, nil, err
		}
		fds = append(fds, descriptorsIn(rights[:oobn])...)
		if n == 0 {
			return config, fds, nil
		}
		config = config[:len(config)+n]
	}
}

// descriptorsIn returns the descriptors of a message. No process is started meanwhile.
func descriptorsIn(rights []byte) (fds []int) {
	messages, err := syscall.ParseSocketControlMessage(rights)
	if err != nil {
		return nil
	}
	for i := range messages {
		got, _ := syscall.ParseUnixRights(&messages[i])
		fds = append(fds, got...)
	}
	for _, fd := range fds {
		syscall.CloseOnExec(fd)
	}
	return fds
}

func closeAll(fds []int) {
	for _, fd := range fds {
		syscall.Close(fd)
	}
}

// detach reports to the launcher that the job waits, and closes its descriptors. The Go runtime
// writes about a crash to the same file as that of a running holder.
func detach(dir string) {
	_, _ = retrying(func() (int, error) { return syscall.Write(replyFD, []byte("{}\n")) })
	if null, err := open("/dev/null", syscall.O_RDWR); err == nil {
		for fd := range 3 {
			redirect(null, fd)
		}
		syscall.Close(null)
	}
	if lock, err := open(dir+jobLock, syscall.O_WRONLY|syscall.O_APPEND); err == nil {
		redirect(lock, 2)
		syscall.Close(lock)
	}
	syscall.Close(replyFD)
}

func lastSlash(path string) int {
	for i := len(path) - 1; i > 0; i-- {
		if path[i] == '/' {
			return i
		}
	}
	return 0
}

// waiter is the state of one wait.
type waiter struct {
	queue, jobs, id string // jobs is the directory of all jobs, with a slash
	deps            []dep
	result          Result

	state   State
	seq     uint64
	watches []unix.PollFd // the first is the job's own pipe
	unsure  bool          // something cannot be watched
	dying   bool          // a job has closed its pipe and still has its lock
}

// dyingPause is how long to wait before looking again at a process that dies, in milliseconds.
const dyingPause = 10

// wait returns when the result is decided.
func (w *waiter) wait() {
	own := w.result.Files[1]
	w.watches = append(w.watches, unix.PollFd{Fd: int32(own), Events: unix.POLLIN})
	for !w.decide() {
		limit := pause
		switch {
		case w.dying:
			limit = dyingPause
		case w.unsure:
			limit = blindPause
		}
		poll(w.watches, limit)
		w.drain(own)
	}
	w.forget()
	w.drain(own)
}

func (w *waiter) drain(own int) {
	var b [64]byte
	for {
		n, err := retrying(func() (int, error) { return syscall.Read(own, b[:]) })
		if err != nil || n <= 0 {
			return
		}
	}
}

// forget ends all watches but the first.
func (w *waiter) forget() {
	for _, f := range w.watches[1:] {
		syscall.Close(int(f.Fd))
	}
	w.watches, w.unsure, w.dying = w.watches[:1], false, false
}

// maxWatches limits the open descriptors.
const maxWatches = 512

// watch watches the job in dir and reports whether it is alive. The pipe is opened first: if the job
// was alive after that, its end is reported. A dying process may close its pipe before its lock.
func (w *waiter) watch(dir string) bool {
	fd, err := open(dir+alive, syscall.O_RDONLY)
	if !Held(dir) {
		if err == nil {
			syscall.Close(fd)
		}
		return false
	}
	switch {
	case err != nil:
		w.unsure = true
	case len(w.watches) >= maxWatches:
		syscall.Close(fd)
		w.unsure = true
	case hungUp(dir+alive, fd):
		syscall.Close(fd)
		w.dying = true
	default:
		w.watches = append(w.watches, unix.PollFd{Fd: int32(fd), Events: hangUp})
	}
	return true
}

// decide reads the queue and reports whether the wait is over. If not, it watches the files that
// decide it.
func (w *waiter) decide() bool {
	w.forget()
	lock, err := lockQueue(w.queue)
	if err != nil { // out of descriptors or memory
		w.unsure = true
		return false
	}
	defer syscall.Close(lock)
	if !w.find() {
		w.unsure = true // its entry is gone and cannot be replaced
		return false
	}
	switch w.state {
	case Cancelled:
		return w.over(Cancel)
	case Now:
		return w.start()
	case After:
		if !w.depsDone() {
			return w.result.Outcome == Blocked
		}
		if w.limitless() {
			return w.start()
		}
		w.wakeNext()
		if !w.become(Waiting) {
			return false
		}
	case Waiting, Running:
	}
	return w.first() && w.slotFree() && w.start()
}

// limitless reports whether the jobs of the queue need no slot.
func (w *waiter) limitless() bool { return !exists(w.queue + "/settings") }

func (w *waiter) path() string {
	return w.queue + "/jobs/" + Entry{w.state, w.seq, w.id}.Name()
}

func (w *waiter) over(o Outcome) bool {
	w.result.Outcome, w.result.Entry = o, w.path()
	return true
}

// find reads the entry of the job. A missing one is replaced, at the end.
func (w *waiter) find() bool {
	found, last := false, uint64(FirstSeq)
	err := scan(w.queue+"/jobs", func(name []byte) {
		state, seq, id, ok := parse(name)
		if !ok {
			return
		}
		last = max(last, seq)
		if string(id) == w.id {
			w.state, w.seq, found = state, seq, true
		}
	})
	if found || err != nil {
		return found
	}
	w.state, w.seq = After, last+1
	fd, err := open(w.path(), syscall.O_WRONLY|syscall.O_CREAT|syscall.O_EXCL)
	if err == nil {
		syscall.Close(fd)
	}
	return err == nil
}

// become changes the state of the job's entry.
func (w *waiter) become(s State) bool {
	from := w.path()
	was := w.state
	w.state = s
	if syscall.Rename(from, w.path()) != nil { // perhaps the disk is full
		w.state, w.unsure = was, true
		return false
	}
	return true
}

func (w *waiter) start() bool {
	w.wakeNext()
	return w.become(Running) && w.over(Start)
}

// wakeNext wakes the next job that waits. One that was killed is passed over.
func (w *waiter) wakeNext() {
	for after := w.seq; ; {
		var next uint64
		var id string
		_ = scan(w.queue+"/jobs", func(name []byte) {
			state, seq, who, ok := parse(name)
			if !ok || state != Waiting || seq <= after {
				return
			}
			if next == 0 || seq < next {
				next, id = seq, string(who)
			}
		})
		if next == 0 || Wake(w.jobs+id) {
			return
		}
		after = next
	}
}

// first reports whether no other job waits before this one; otherwise it watches that job. It deletes
// the entries of jobs that were killed.
func (w *waiter) first() bool {
	for {
		var before Entry
		var id [256]byte
		n := 0
		err := scan(w.queue+"/jobs", func(name []byte) {
			state, seq, who, ok := parse(name)
			if !ok || state != Waiting || len(who) > len(id) {
				return
			}
			if before.Seq <= seq && seq < w.seq {
				before.State, before.Seq, n = state, seq, copy(id[:], who)
			}
		})
		if err != nil {
			w.unsure = true
			return false
		}
		if n == 0 {
			return true
		}
		before.ID = string(id[:n])
		if w.watch(w.jobs + before.ID) {
			return false
		}
		if syscall.Unlink(w.queue+"/jobs/"+before.Name()) != nil {
			w.unsure = true
			return false
		}
	}
}

// slotFree reports whether a slot is free; otherwise it watches the jobs that have them.
func (w *waiter) slotFree() bool {
	var text [64]byte
	settings := ParseSettings(readFile(w.queue+"/settings", text[:]))
	if settings.Paused {
		return false
	}
	var dead []string
	running := 0
	err := scan(w.queue+"/jobs", func(name []byte) {
		state, _, id, ok := parse(name)
		if !ok || state != Running {
			return
		}
		if w.watch(w.jobs + string(id)) {
			running++
		} else {
			dead = append(dead, string(name))
		}
	})
	for _, name := range dead {
		_ = syscall.Unlink(w.queue + "/jobs/" + name)
	}
	if err != nil {
		w.unsure = true
		return false
	}
	return running < settings.Slots
}

// dep is a job that another one follows.
type dep struct {
	id   string
	any  bool // its success does not matter
	over bool
}

// parseDeps appends the ids of list, each of which is followed by a comma.
func parseDeps(deps []dep, list string, any bool) []dep {
	for from, i := 0, 0; i < len(list); i++ {
		if list[i] == ',' {
			deps, from = append(deps, dep{id: list[from:i], any: any}), i+1
		}
	}
	return deps
}

// depsDone reports whether the job need not wait for another one. Otherwise it watches those, or one
// of them did not succeed and the wait is over.
func (w *waiter) depsDone() bool {
	done := true
	for i := range w.deps {
		d := &w.deps[i]
		if d.over {
			continue
		}
		ended, success := w.lookAt(d.id)
		switch {
		case !ended:
			done = false
		case success || d.any:
			d.over = true
		default:
			w.result.Cause = d.id
			w.over(Blocked)
			return false
		}
	}
	return done
}

// lookAt reports whether a job has ended, and whether it exited with 0. One that was cleared, perhaps
// just now, is in the trash.
func (w *waiter) lookAt(id string) (ended, success bool) {
	dir := w.jobs + id
	if w.watch(dir) && !exists(dir+"/exit_code") {
		return false, false
	}
	if Succeeded(dir) {
		return true, true
	}
	root := w.jobs[:lastSlash(w.jobs[:len(w.jobs)-1])]
	return true, !exists(dir) && Succeeded(root+"/trash/"+id)
}

var stateText [32 << 10]byte

// Succeeded reports whether the records in a job directory say that the job exited with 0. It does not
// decode them: inside of a JSON string, the quotation marks would be escaped.
func Succeeded(dir string) bool {
	var code [8]byte
	if string(readFile(dir+"/exit_code", code[:])) != "0\n" {
		return false
	}
	text := readFile(dir+"/state.json", stateText[:])
	const exited = `"status":"exited"`
	for i := 0; i+len(exited) <= len(text); i++ {
		if string(text[i:i+len(exited)]) == exited {
			return true
		}
	}
	return false
}
