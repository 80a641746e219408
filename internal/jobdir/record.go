package jobdir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/atomicfile"
	"github.com/hobjobs/hob/internal/plainfile"
)

// Record is what the files of one job directory say.
type Record struct {
	ID   string `json:"id"`
	Meta Meta   `json:"meta"`
	// Problem says in words why meta.json could not be read; the job is lost
	// then, and only its log is left.
	Problem string `json:"-"`
	// Unread says why a record that may be there could not be read this time; what is
	// missing here because of that may stand in the directory.
	Unread *UnreadError `json:"-"`
	// State is state.json; see CurrentState.
	State   record.State `json:"state"`
	Started bool         `json:"started,omitempty"` // there is a state.json
	// Code is the content of exit_code; nil: there is none that can be read.
	Code *int `json:"exit_code,omitempty"`
	// Output is how many bytes all logs reach together.
	Output int64 `json:"log_bytes,omitempty"`
	// Touched is when the logs were last written, or the directory changed if
	// there are none: the best guess at the end of a job that left no record.
	Touched time.Time `json:"touched"`
}

// What a reader accepts, in bytes. A record is as long as the command and the
// script in it, which the kernel's limits and the memory of a client bound.
const (
	maxRecord   = 64 << 20
	maxExitCode = 64
)

// Finished reports whether the directory records an end.
func (r *Record) Finished() bool { return r.State.Exit.Known() || r.Code != nil }

// CurrentState returns the state of the job by all its records.
func (r *Record) CurrentState() record.State {
	s := r.State
	s.Backgrounded = s.Backgrounded || r.Meta.StartInBackground
	s.Output = r.Output
	if s.Machine == "" {
		s.Machine = r.Meta.ClientMachine
	}
	s.Link = record.LinkNone
	if r.Meta.Host != "" {
		s.Link = record.LinkOK
	}
	switch {
	case r.Problem != "": // what it was is not known, so that its end says nothing
		s.Exit = record.Exit{Status: record.Lost, Reason: record.ReasonHolderDied, Error: r.Problem, At: r.EndedAt()}
	case s.Exit.Known():
		if r.Code != nil {
			s.Exit.Code = r.Code
		}
		if !s.Exit.Status.Finished() { // written by a later version, or damaged
			s.Exit.Status = record.Lost
		}
	case r.Code != nil:
		s.Exit = record.Exit{Status: record.Exited, Code: r.Code, At: r.Touched} // the rest is unknown
	case s.Stopping != nil:
		s.Status = record.Stopping
		return s
	case r.Started, r.Unread != nil && r.Output > 0: // it has printed
		s.Status = record.Running
		return s
	default:
		s.Status = record.Starting
		return s
	}
	s.Status = s.Exit.Status
	s.Rest()
	return s
}

// UnreadError says that a record could not be read, for a reason that says nothing
// of the job: too many files are open, or its mode forbids it.
type UnreadError struct {
	File string // its name in the directory
	Err  error
}

func (e *UnreadError) Error() string {
	err := e.Err
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return e.File + " cannot be read: " + err.Error()
}

func (e *UnreadError) Unwrap() error { return e.Err }

// ErrNoMeta means a directory without meta.json: a job in the making on a host,
// or the remains of one.
var ErrNoMeta = errors.New("the directory has no meta.json")

// Read reads the records of a job directory. Damage is no error: what cannot be
// understood is missing in the result. The errors are ErrNoMeta, fs.ErrNotExist for
// a directory that is not there, or none, and an [UnreadError], with which the record
// is not to be judged by what it lacks: with less in the way it may say more.
func Read(dir string) (Record, error) {
	return read(dir, recordFiles{ReadMeta, ReadState, readExitCode})
}

// recordFiles is how the files of a job directory are read. Tests have others, for what
// happens between two of them.
type recordFiles struct {
	meta  func(dir string) (Meta, error)
	state func(dir string) (record.State, error)
	code  func(dir string) (*int, error)
}

func read(dir string, from recordFiles) (Record, error) {
	r := Record{ID: filepath.Base(dir)}
	meta, err := from.meta(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, statErr := os.Stat(dir); statErr != nil {
			return r, statErr
		}
		return r, ErrNoMeta
	case isShortage(err):
		r.unread(MetaFile, err)
		meta = Meta{}
	case err != nil:
		if fi, statErr := os.Stat(dir); statErr == nil && !fi.IsDir() {
			return r, fs.ErrNotExist
		}
		r.Problem = "meta.json: " + plain(err)
		meta = Meta{}
	}
	meta.ID = record.ID(r.ID) // the name of the directory is what names the job
	r.Meta = meta
	// exit_code before state.json: it is written after it, so a code that is
	// there has its state.
	if r.Code, err = from.code(dir); err != nil {
		r.unread(ExitCodeFile, err)
	}
	st, err := from.state(dir)
	if err == nil {
		r.State, r.Started = st, true
	} else {
		r.unread(StateFile, err)
	}
	r.statLogs(dir)
	r.concludeShell(dir)
	// A directory that was moved to the trash between these reads looks like a job
	// that never began, or ended with less than it did.
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return Record{ID: r.ID}, err
	}
	if r.Unread != nil && (isShortage(r.Unread) || !r.Finished() && r.Problem == "") {
		return r, r.Unread
	}
	return r, nil
}

// unread notes that a file could not be read because of err, unless there is none, or
// what it says cannot be understood: that is all there will ever be of it.
func (r *Record) unread(file string, err error) {
	if r.Unread == nil && MayBeThere(err) {
		r.Unread = &UnreadError{file, err}
	}
}

// MayBeThere reports whether err, of reading a record, leaves it open what the record
// says: the system did not let it be read. Then nothing is to be written in its place.
func MayBeThere(err error) bool {
	_, system := errors.AsType[*fs.PathError](err)
	return system && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, plainfile.ErrNotPlain) && !errors.Is(err, plainfile.ErrTooLong)
}

func (r *Record) statLogs(dir string) {
	logs := []string{OutputFile}
	if r.Meta.Split {
		logs = []string{StdoutFile, StderrFile}
	}
	for _, name := range logs {
		fi, err := os.Stat(inDir(dir, name))
		if err != nil {
			continue
		}
		r.Output += fi.Size()
		if fi.ModTime().After(r.Touched) {
			r.Touched = fi.ModTime()
		}
	}
	r.Output = max(r.Output, r.State.Output) // of a job on a host the log is rarely here
	if r.Touched.IsZero() {
		if fi, err := os.Stat(dir); err == nil {
			r.Touched = fi.ModTime()
		}
	}
}

// inDir is filepath.Join for the names of files, which lists need by the thousand.
func inDir(dir, name string) string { return dir + string(filepath.Separator) + name }

// ReadMeta reads meta.json.
func ReadMeta(dir string) (Meta, error) {
	data, err := plainfile.Read(filepath.Join(dir, MetaFile), maxRecord)
	if err != nil {
		return Meta{}, err
	}
	return DecodeMeta(data)
}

// DecodeMeta reads the content of a meta.json.
func DecodeMeta(data []byte) (Meta, error) {
	var m Meta
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("cannot be understood: %w", err)
	}
	if m.Version < 1 {
		return m, errors.New("cannot be understood: no version")
	}
	m.restore()
	return m, nil
}

// ReadState reads state.json.
func ReadState(dir string) (record.State, error) {
	data, err := plainfile.Read(filepath.Join(dir, StateFile), maxRecord)
	if err != nil {
		return record.State{}, err
	}
	var s record.State
	if err := json.Unmarshal(data, &s); err != nil {
		return record.State{}, fmt.Errorf("state.json: %w", err)
	}
	return s, nil
}

// WriteState replaces state.json. Only the holder of the job's lock may. It is
// atomic, not flushed.
func WriteState(dir string, s *record.State) error { return writeState(dir, s) }

func writeState(dir string, s *record.State, opts ...atomicfile.Option) error {
	s.Version = Version
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("state.json: %w", err)
	}
	return atomicfile.Write(filepath.Join(dir, StateFile), append(data, '\n'), opts...)
}

// Finish records the end: state.json with s.Exit, flushed, then exit_code if the
// code is known and the job was not lost. Only the holder of the lock may.
func Finish(dir string, s *record.State) error {
	if !s.Exit.Known() {
		return errors.New("state.json: no end to record")
	}
	if err := writeState(dir, s, atomicfile.Sync(), atomicfile.FromReserve()); err != nil {
		return err
	}
	if s.Exit.Code != nil {
		if err := WriteExitCode(dir, *s.Exit.Code); err != nil {
			return err
		}
	}
	return errors.Join(atomicfile.Unreserve(filepath.Join(dir, StateFile)), atomicfile.Unreserve(filepath.Join(dir, ExitCodeFile)))
}

// Reserve sets aside the space that Finish needs, so that an end can be recorded
// on a disk that has become full. Finish gives it back.
func Reserve(dir string) error {
	return errors.Join(
		atomicfile.Reserve(filepath.Join(dir, StateFile), stateReserve),
		atomicfile.Reserve(filepath.Join(dir, ExitCodeFile), len("255\n")))
}

// stateReserve is room for a state.json with the survivors of most jobs.
const stateReserve = 16 << 10

// WriteExitCode makes exit_code, flushed. The first one stays: a code is never
// replaced.
func WriteExitCode(dir string, code int) error {
	data := append(strconv.AppendInt(nil, int64(code), 10), '\n')
	err := atomicfile.Create(filepath.Join(dir, ExitCodeFile), data, atomicfile.Sync(), atomicfile.FromReserve())
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// Sync flushes what the start of a job wrote without waiting for the disk.
func Sync(dir string) error {
	for _, name := range []string{MetaFile, StateFile} {
		f, err := plainfile.OpenFile(filepath.Join(dir, name), os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		err = f.Sync()
		f.Close()
		if err != nil {
			return err
		}
	}
	if err := atomicfile.SyncDir(dir); err != nil {
		return err
	}
	return atomicfile.SyncDir(filepath.Dir(dir))
}

// ReadExitCode reads exit_code; ok is false if there is none or its content is
// no code.
func ReadExitCode(dir string) (code int, ok bool) {
	read, err := readExitCode(dir)
	if err != nil || read == nil {
		return 0, false
	}
	return *read, true
}

// readExitCode returns nil for content that is no code.
func readExitCode(dir string) (*int, error) {
	data, err := plainfile.Read(inDir(dir, ExitCodeFile), maxExitCode)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	code, ok := ParseExitCode(data)
	if !ok {
		return nil, nil
	}
	return &code, nil
}

// ParseExitCode reads the content of exit_code: decimal digits and a newline,
// with spaces allowed around the digits. Anything else, such as a file that a
// power cut left empty or short, is unknown.
func ParseExitCode(data []byte) (code int, ok bool) {
	text, whole := strings.CutSuffix(string(data), "\n")
	if text = strings.TrimRight(strings.TrimLeft(text, " "), " \r"); !whole || len(data) > maxExitCode || len(text) > len("4294967295") {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 10, 32) // Windows codes are 32 bits wide
	return int(n), err == nil
}

// EndedAt is when the job ended, as well as it is known.
func (r *Record) EndedAt() time.Time {
	if r.State.Exit.Known() && !r.State.Exit.At.IsZero() {
		return r.State.Exit.At
	}
	return r.Touched
}
