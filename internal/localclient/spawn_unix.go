//go:build linux || darwin

package localclient

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/localjob"
	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/internal/proc"
)

// HasHolders reports whether this system supports holders.
const HasHolders = true

// IsHolder reports whether this process was started to be the holder of a job. Programs check this
// before anything else.
func IsHolder() bool {
	holderChecked.Store(true)
	return Misstarted()
}

// Misstarted is IsHolder for a program that should have called it before.
func Misstarted() bool { return len(os.Args) > 0 && filepath.Base(os.Args[0]) == proc.HolderName }

// holderChecked reports whether the program has called IsHolder. It belongs to the process, as os.Args does:
// a program that forgot the call would start itself once more instead of a holder.
var holderChecked atomic.Bool

var errNotChecked = errors.New("main does not begin with: if local.IsHolder() { os.Exit(local.RunHolder()) }")

// holderProcess is a holder that has been started and waits for its configuration.
// It exits when config is closed before it has received one.
type holderProcess struct {
	pid    int
	config *os.File // a socket for the configuration and the descriptors sent with it
	reply  *os.File // its reply; its stderr, if it crashes
	beside bool     // it is hob-holder, which may be of another build than this program
}

// startHolderFor starts a holder for the job id: hob-holder if it is in this program's directory,
// otherwise this program itself.
func startHolderFor(id string) (*holderProcess, error) {
	if path, ok := holderBeside(); ok {
		if h, err := startHolder(path, id); err == nil {
			h.beside = true
			return h, nil
		}
	}
	return startSelfAsHolder(id)
}

// startSelfAsHolder starts this program as the holder of the job id.
func startSelfAsHolder(id string) (*holderProcess, error) {
	if !holderChecked.Load() {
		return nil, errNotChecked
	}
	path, err := ownProgram()
	if err != nil {
		return nil, err
	}
	return startHolder(path, id)
}

// startHolder executes the program at path as a holder. The first of args is the id
// of its job, so that ps shows it.
func startHolder(path string, args ...string) (*holderProcess, error) {
	config, holderConfig, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer holderConfig.Close()
	reply, holderReply, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, config.Close())
	}
	defer holderReply.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, errors.Join(err, config.Close(), reply.Close())
	}
	defer null.Close()
	// A holder that crashes writes the reason to stderr, which is therefore the reply, too.
	pid, err := localjob.ForkUnblocked(path, append([]string{proc.HolderName}, args...), &syscall.ProcAttr{
		Dir:   "/",
		Env:   holderEnviron(),
		Sys:   &syscall.SysProcAttr{Setsid: true},
		Files: []uintptr{holderConfig.Fd(), null.Fd(), holderReply.Fd(), holderReply.Fd()},
	})
	if err != nil {
		err = &os.PathError{Op: "start the job's holder", Path: path, Err: err}
		return nil, errors.Join(err, config.Close(), reply.Close())
	}
	return &holderProcess{pid: pid, config: config, reply: reply}, nil
}

// socketPair returns two connected sockets. Unlike a pipe they can pass descriptors.
func socketPair() (ours, theirs *os.File, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	syscall.CloseOnExec(fds[0])
	syscall.CloseOnExec(fds[1])
	return os.NewFile(uintptr(fds[0]), "config"), os.NewFile(uintptr(fds[1]), "config"), nil
}

// holderEnviron returns the environment of a holder. It contains nothing of the caller's, which
// belongs to the job. The settings keep the Go runtime small, because there is one holder for each
// job: one thread for Go code, no profiling, and no garbage collection below two megabytes, which
// an idle holder never reaches.
func holderEnviron() []string {
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

// ownProgram returns a path that executes this program: on Linux this very one, even if its file has been
// replaced.
func ownProgram() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

// ownFile returns the path of this program's file, with links resolved: Homebrew links hob and
// hob-holder into another directory, and a link to hob-holder is not trusted. On Linux the file may
// have been replaced; only its directory is used.
func ownFile() (string, error) {
	program, err := ownProgram()
	if err != nil {
		return "", err
	}
	if runtime.GOOS == "linux" {
		return os.Readlink(program)
	}
	return filepath.EvalSymlinks(program)
}

// holderBeside returns the path of hob-holder in the directory of this program: a regular file,
// executable, that no other user can replace. In a directory such as /tmp another user may have
// created it.
func holderBeside() (path string, ok bool) {
	file, err := ownFile()
	if err != nil {
		return "", false
	}
	path = filepath.Join(filepath.Dir(file), proc.HolderName)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return "", false
	}
	return path, plainfile.CheckPath(path) == nil
}

// errHolderDied means that a holder exited without a reply: it may have started the job.
var errHolderDied = errors.New("the job's holder died while it started")

// closeTimeout is how long a killed process may take to close its files.
const closeTimeout = 5 * time.Second

// lostAtStart records that the holder of the job in dir died before it replied, so that processes
// it started can be ended. It reports false if the holder had not taken the job yet: then nothing
// was started. The caller has the job's lock.
func lostAtStart(dir, runtimeDir string) bool {
	if !holder.EverHeld(dir) {
		return false
	}
	if _, err := jobdir.ReadState(dir); !errors.Is(err, fs.ErrNotExist) {
		return true // an unreadable record is not replaced
	}
	st := record.State{Machine: proc.MachineID(), BootID: proc.BootID(), PIDNS: proc.PIDNamespace()}
	if meta, err := jobdir.ReadMeta(dir); err == nil {
		st.Backgrounded, st.Size = meta.StartInBackground, meta.InitialSize
	}
	st.Socket, _ = holder.SocketPath(dir, runtimeDir) // it may have been bound
	_ = jobdir.WriteState(dir, &st)                   // without it the job is lost as well
	return true
}
