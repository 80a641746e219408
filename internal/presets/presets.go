package presets

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hobjobs/hob/internal/atomicfile"
	"github.com/hobjobs/hob/internal/flatjson"
)

// Start is what the settings say of a job's start, and which build of hob says so.
// Zero fields are for the engine's defaults, which are those of the settings too.
type Start struct {
	Cols, Rows int // of its terminal, where the caller has none
	Grace      time.Duration
	Timeout    time.Duration
	LogLimit   int64  // bytes
	Notify     string // a shell command; see local.WithNotify
	Build      string // see package build
}

// ErrUnknown says that nothing is kept of things as they are now.
var ErrUnknown = errors.New("the settings have to be read")

// version is that of what a file of presets says. It changes with what the settings
// can say of a start.
const version = 1

// name is the file below a directory of jobs.
const name = ".settings"

// own is the file of the calling program.
const own = "/proc/self/exe"

// Load returns what was kept in jobs, the directory of all jobs, if that was by the
// program whose file is at program, of the settings at path as they are now (which may
// be that there is no such file). Else the error is ErrUnknown.
func Load(jobs, path, program string) (Start, error) {
	k, err := read(jobs)
	if err != nil {
		return Start{}, err
	}
	if asker, err := stampAt(program); err != nil || asker != k.program || k.path != path {
		return Start{}, ErrUnknown
	}
	if now, err := stampAt(path); err != nil || now != k.settings {
		return Start{}, ErrUnknown
	}
	return k.start, nil
}

// settled is how old a file must be for its times to tell it from what it may be
// written over with: more than the steps of a file system's clock.
const (
	settled       = 100 * time.Millisecond
	settledCoarse = 3 * time.Second // of times in whole seconds
)

// Save keeps in jobs what the calling program found in the settings at path, if that
// file is still as fi, which was looked up before it was read (nil: it was not there),
// and was not written just now. It is no error if that does not work: the settings are
// read then.
func Save(jobs, path string, fi fs.FileInfo, s Start) {
	program, err := stampAt(own)
	if err != nil || !program.old(time.Now()) {
		return
	}
	k := kept{program: program, path: path, start: s}
	if fi != nil {
		k.settings = stampOf(fi)
	}
	if now, err := stampAt(path); err != nil || now != k.settings || fi != nil && !now.old(time.Now()) {
		return
	}
	if before, err := read(jobs); err == nil && before == k {
		return
	}
	if text, err := k.text(); err == nil {
		_ = atomicfile.Write(filepath.Join(jobs, name), text)
	}
}

// stamp tells a file from every other and from what it was before. That of no file is
// the zero value.
type stamp struct {
	inode, device, size, mtime, ctime int64 // times in nanoseconds since 1970
}

// stampAt is the stamp of what is at path.
func stampAt(path string) (stamp, error) {
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return stamp{}, nil
	}
	if err != nil {
		return stamp{}, err
	}
	s := stampOf(fi)
	if s == (stamp{}) {
		return s, ErrUnknown
	}
	return s, nil
}

// old reports whether what is written into the file now would have another stamp.
func (s stamp) old(now time.Time) bool {
	wait := settled
	if s.ctime%int64(time.Second) == 0 {
		wait = settledCoarse
	}
	return now.Sub(time.Unix(0, s.ctime)) > wait
}

// kept is what the file says.
type kept struct {
	program  stamp
	path     string
	settings stamp
	start    Start
}

func (s *stamp) ints() []int {
	return []int{int(s.inode), int(s.device), int(s.size), int(s.mtime), int(s.ctime)}
}

func stampFrom(n []int) (s stamp, ok bool) {
	if len(n) != 5 {
		return s, false
	}
	return stamp{int64(n[0]), int64(n[1]), int64(n[2]), int64(n[3]), int64(n[4])}, true
}

func (k *kept) text() ([]byte, error) {
	var w flatjson.Writer
	w.Open()
	w.Int("version", version)
	w.Str("build", k.start.Build)
	w.Ints("program", k.program.ints())
	w.Str("path", k.path)
	w.Ints("settings", k.settings.ints())
	w.Int("cols", int64(k.start.Cols))
	w.Int("rows", int64(k.start.Rows))
	w.Int("grace_ns", int64(k.start.Grace))
	w.Int("timeout_ns", int64(k.start.Timeout))
	w.Int("log_limit", k.start.LogLimit)
	w.Str("notify", k.start.Notify)
	w.Close()
	return append(w.Buf, '\n'), w.Err
}

func read(jobs string) (k kept, err error) {
	data, err := os.ReadFile(filepath.Join(jobs, name))
	if err != nil {
		return k, ErrUnknown
	}
	said, whole := int64(0), true
	r := flatjson.NewReader(data)
	stampHere := func() (s stamp) {
		s, ok := stampFrom(r.Ints())
		whole = whole && ok
		return s
	}
	r.Object(func(key string) {
		switch key {
		case "version":
			said = r.Int()
		case "build":
			k.start.Build = r.Str()
		case "program":
			k.program = stampHere()
		case "path":
			k.path = r.Str()
		case "settings":
			k.settings = stampHere()
		case "cols":
			k.start.Cols = int(r.Int())
		case "rows":
			k.start.Rows = int(r.Int())
		case "grace_ns":
			k.start.Grace = time.Duration(r.Int())
		case "timeout_ns":
			k.start.Timeout = time.Duration(r.Int())
		case "log_limit":
			k.start.LogLimit = r.Int()
		case "notify":
			k.start.Notify = r.Str()
		default:
			r.Unknown()
		}
	})
	if !r.Done() || !whole || said != version || k.program == (stamp{}) {
		return kept{}, ErrUnknown
	}
	return k, nil
}
