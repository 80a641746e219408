//go:build linux || darwin

package ahead

import (
	"errors"
	"os"
	"slices"
	"sync/atomic"
	"syscall"
)

// Name is the base name of a holder's program and of its argv[0].
const Name = "hob-holder"

// titleWidth is the room for a job's id in the blank argument of a holder that is
// started before there is a job.
const titleWidth = 64

// Holder is a holder that waits to be told what to hold. One that is told nothing
// goes when Config is closed.
type Holder struct {
	PID    int
	Config *os.File // a socket: what it is told; closed when that was said
	Reply  *os.File // its answer, and what it says if it dies
	// Other means that it is another program than this one, which may be of
	// another version.
	Other bool
}

// Close lets the holder go without a job.
func (h *Holder) Close() error { return errors.Join(h.Config.Close(), h.Reply.Close()) }

// Start executes the program at path as a holder. Its arguments are args, the
// first of which names its job.
func Start(path string, args []string) (*Holder, error) {
	c, err := start(path, args, false)
	if err != nil {
		return nil, err
	}
	return c.holder(), nil
}

// child is a holder by its descriptors. The first file of package os sets up what
// waits for files, which can be done while the holder begins, or not at all.
type child struct {
	pid           int
	config, reply int
	other         bool // see Holder
}

// holder is c, which is not to be used any more, as files.
func (c child) holder() *Holder {
	_ = syscall.SetNonblock(c.reply, true) // it is read with a deadline
	return &Holder{
		PID: c.pid, Config: os.NewFile(uintptr(c.config), "config"), Reply: os.NewFile(uintptr(c.reply), "reply"), Other: c.other,
	}
}

// start is Start; pinned says that the calling goroutine keeps its thread.
func start(path string, args []string, pinned bool) (c child, err error) {
	var fds opened
	defer fds.close()
	config, err := fds.pair("socketpair", socketPair)
	if err != nil {
		return c, err
	}
	reply, err := fds.pair("pipe", syscall.Pipe)
	if err != nil {
		return c, err
	}
	null, err := syscall.Open(os.DevNull, syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		return c, &os.PathError{Op: "open", Path: os.DevNull, Err: err}
	}
	fds = append(fds, null)
	// Standard error goes with the reply: what a holder that dies says is the
	// reason then.
	files := []uintptr{uintptr(config[0]), uintptr(null), uintptr(reply[1]), uintptr(reply[1])}
	pid, err := forkHolder(pinned, path, append([]string{Name}, args...), &syscall.ProcAttr{
		Dir: "/", Env: environ(), Files: files, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return c, &os.PathError{Op: "start the job's holder", Path: path, Err: err}
	}
	fds.keep(config[1], reply[0])
	return child{pid: pid, config: config[1], reply: reply[0]}, nil
}

// opened are descriptors to be closed.
type opened []int

// pair calls open, which opens two descriptors that children would inherit, and
// has them not do it.
func (o *opened) pair(name string, open func(fds []int) error) (fds [2]int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := open(fds[:]); err != nil {
		return fds, os.NewSyscallError(name, err)
	}
	syscall.CloseOnExec(fds[0])
	syscall.CloseOnExec(fds[1])
	*o = append(*o, fds[0], fds[1])
	return fds, nil
}

// keep leaves those of fds open.
func (o *opened) keep(fds ...int) {
	*o = slices.DeleteFunc(*o, func(fd int) bool { return slices.Contains(fds, fd) })
}

func (o *opened) close() {
	for _, fd := range *o {
		_ = syscall.Close(fd) // nothing was written that could be lost
	}
}

// socketPair makes a pair of connected sockets. Other than a pipe they can pass a
// descriptor on.
func socketPair(fds []int) error {
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	copy(fds, pair[:])
	return err
}

// StartFor starts the best holder that there is, titled with id: hob-holder beside
// this program, else this program itself.
func StartFor(id string) (*Holder, error) {
	c, err := startFor(id, false)
	if err != nil {
		return nil, err
	}
	return c.holder(), nil
}

func startFor(id string, pinned bool) (child, error) {
	if path, ok := beside(); ok {
		if c, err := start(path, []string{id}, pinned); err == nil {
			c.other = true
			return c, nil
		}
	}
	path, err := ownProgram()
	if err != nil {
		return child{}, err
	}
	return start(path, []string{id}, pinned)
}

// StartSelf starts this program again as a holder, titled with id.
func StartSelf(id string) (*Holder, error) {
	path, err := ownProgram()
	if err != nil {
		return nil, err
	}
	return Start(path, []string{id})
}

// StartBlank starts a holder for a job that has no id yet.
func StartBlank() (*Holder, error) { return StartFor(blank()) }

// blank is the title of a holder whose job has no id yet.
func blank() string {
	title := make([]byte, titleWidth)
	for i := range title {
		title[i] = ' '
	}
	return string(title)
}

// environ is the holder's own environment: nothing of the caller's, which is the
// job's and would only grow old here. The Go runtime is kept small: one thread
// that runs Go code is enough, profiles are not made, so that no thread needs
// room for their stacks, the limits of a container, which would be for more threads,
// are not looked up, and the first garbage is only collected at two megabytes
// of it, which an idle holder never has: a collection costs it more memory than it
// frees.
func environ() []string {
	env := []string{
		"GOMAXPROCS=1", "GOGC=50", "GOTRACEBACK=single",
		"GODEBUG=memprofilerate=0,profstackdepth=0,updatemaxprocs=0,containermaxprocs=0",
	}
	for _, name := range []string{"TMPDIR", "TZ", "GOCOVERDIR"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// beside is the program hob-holder in the directory of this one, if it can be
// trusted as this one is: a plain file of the same owner or of root that not
// everybody may write to. In a directory like /tmp somebody else may have put one
// there.
func beside() (path string, ok bool) {
	own, err := ownFile()
	if err != nil {
		return "", false
	}
	dir, _ := split(own)
	path = dir + Name
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 || info.Mode()&0o002 != 0 {
		return "", false
	}
	holder, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", false
	}
	var self syscall.Stat_t
	program, err := ownProgram()
	if err != nil || syscall.Stat(program, &self) != nil {
		return "", false
	}
	return path, holder.Uid == 0 || holder.Uid == self.Uid
}

// first is the holder that was started while the program set itself up; nil if
// none was.
var first atomic.Pointer[Holder]

// Begin starts a holder if args, a program's command line, ask for a job in a
// process of its own. Without one it is started later. It reports whether all that
// was asked for is done, and printed: then there is nothing left for the program to
// do. Package early calls it.
func Begin(args []string) (done bool) {
	if len(args) < 3 || args[1] != "run" {
		return false
	}
	if _, name := split(args[0]); name == Name {
		return false
	}
	// In an initialiser the main goroutine keeps its thread.
	c, err := startFor(blank(), true)
	if err != nil {
		return false // the start of the job will say why
	}
	done, kept := begun(c, args)
	if kept {
		first.Store(c.holder())
	}
	return done
}

// Begun hands out the holder that Begin has started, once; else nil.
func Begun() *Holder { return first.Swap(nil) }

// split cuts a path behind its last slash, as path/filepath does, which would come
// with Unicode's tables.
func split(path string) (dir, name string) {
	i := len(path)
	for i > 0 && path[i-1] != '/' {
		i--
	}
	return path[:i], path[i:]
}
