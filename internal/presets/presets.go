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
	if asker, _, err := stampAt(program); err != nil || asker != k.program || k.path != path {
		return Start{}, ErrUnknown
	}
	if now, _, err := stampAt(path); err != nil || now != k.settings {
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
	program, changed, err := stampAt(own)
	if err != nil || program == "" || !old(changed, time.Now()) {
		return
	}
	k := kept{program: program, path: path, start: s}
	if fi != nil {
		k.settings, _ = stampOf(fi)
	}
	now, changed, err := stampAt(path)
	if err != nil || now != k.settings || fi != nil && !old(changed, time.Now()) {
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
// empty.
type stamp string

// stampAt is the stamp of what is at path, and when that was changed.
func stampAt(path string) (s stamp, changed time.Time, err error) {
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", time.Time{}, nil
	}
	if err != nil {
		return "", time.Time{}, err
	}
	if s, changed = stampOf(fi); s == "" || !fi.Mode().IsRegular() {
		return "", time.Time{}, ErrUnknown
	}
	return s, changed, nil
}

// old reports whether what is written now into a file that was changed then would have
// another stamp.
func old(changed, now time.Time) bool {
	wait := settled
	if changed.Nanosecond() == 0 {
		wait = settledCoarse
	}
	return now.Sub(changed) > wait
}

// kept is what the file says.
type kept struct {
	program  stamp
	path     string
	settings stamp
	start    Start
}

func (k *kept) text() ([]byte, error) {
	var w flatjson.Writer
	w.Open()
	w.Int("version", version)
	w.Str("build", k.start.Build)
	w.Str("program", string(k.program))
	w.Str("path", k.path)
	w.Str("settings", string(k.settings))
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
	said := int64(0)
	r := flatjson.NewReader(data)
	r.Object(func(key string) {
		switch key {
		case "version":
			said = r.Int()
		case "build":
			k.start.Build = r.Str()
		case "program":
			k.program = stamp(r.Str())
		case "path":
			k.path = r.Str()
		case "settings":
			k.settings = stamp(r.Str())
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
	if !r.Done() || said != version || k.program == "" {
		return kept{}, ErrUnknown
	}
	return k, nil
}
