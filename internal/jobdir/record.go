package jobdir

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/atomicfile"
	"github.com/hobjobs/hob/internal/plainfile"
)

// Record is the content of the files of one job directory.
type Record struct {
	ID   string `json:"id"`
	Meta Meta   `json:"meta"`
	// Problem describes the damage if meta.json exists and is invalid. The job is lost
	// then; only its log remains.
	Problem string `json:"-"`
	// ReadErr is set if a file may exist but could not be read this time. The fields
	// from that file are empty.
	ReadErr *ReadError `json:"-"`
	// State is state.json; see CurrentState.
	State   record.State `json:"state"`
	Started bool         `json:"started,omitempty"` // state.json exists
	// Code is the content of exit_code, nil if that is missing or invalid.
	Code *int `json:"exit_code,omitempty"`
	// Derived means that the end in State is not in state.json, but was read from the files of the job's wrapper.
	Derived bool `json:"-"`
	// Output is the total length of all logs, in bytes.
	Output int64 `json:"log_bytes,omitempty"`
	// Touched is the time of the last write to the logs, or of the last change of the
	// directory if it has none: the best estimate of the end of a job without a record
	// of it.
	Touched time.Time `json:"touched"`
}

// The largest files that are read, in bytes. The size of a record depends on the command
// or script in it, which systems limit to 6 MiB and less.
const (
	MaxRecord   = 8 << 20
	maxExitCode = 64
)

// Finished reports whether the directory records an end.
func (r *Record) Finished() bool { return r.State.Exit.Known() || r.Code != nil }

// CurrentState returns the state of the job according to all its records.
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
	case r.Problem != "": // without the request its end cannot be interpreted
		s.Exit = record.Exit{
			Status: record.Lost,
			Reason: record.ReasonHolderDied,
			Error:  r.Problem,
			At:     r.EndedAt(),
		}
	case s.Exit.Known():
		s.Exit = r.exit()
	case r.Code != nil: // the rest is unknown
		s.Exit = record.Exit{
			Status: record.Exited,
			Code:   r.Code,
			At:     r.Touched,
		}
	case s.Stopping != nil:
		s.Status = record.Stopping
		return s
	case s.Pending != nil, !r.Started && r.Meta.Waits():
		s.Status = record.Queued
		return s
	case r.Started, r.ReadErr != nil && r.Output > 0: // it has written output
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

// exit returns the end in state.json with the code in exit_code. The end may be damaged or
// written by a later version: a code that is no exit code is not known, an end without a
// status that means one is known by its code only, and a job without any of that is lost.
func (r *Record) exit() record.Exit {
	e := r.State.Exit
	if e.Code != nil && !ValidCode(*e.Code) {
		e.Code = nil
	}
	if !isWord(e.Signal) {
		e.Signal = ""
	}
	if !isWord(string(e.Reason)) {
		e.Reason = ""
	}
	if r.Code != nil {
		e.Code = r.Code
	}
	switch {
	case e.Status.Finished():
	case e.Code != nil:
		e.Status = record.Exited
	default:
		e.Status, e.Reason = record.Lost, record.ReasonHolderDied
		e.Error = cmp.Or(e.Error, "state.json does not say how it ended")
	}
	if e.Status == record.Lost {
		e.Code = nil
	}
	return e
}

// isWord reports whether s has only characters that names of signals and reasons have. A job can write
// its own record, and programs print these words as they are.
func isWord(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// ReadError is the error for a record that may exist but could not be read, for a reason
// that has nothing to do with the job: too many open files, or missing permissions.
type ReadError struct {
	File string // name in the directory
	Err  error
}

func (e *ReadError) Error() string {
	err := e.Err
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return e.File + " cannot be read: " + err.Error()
}

func (e *ReadError) Unwrap() error { return e.Err }

// Temporary reports whether there was an error because the system lacked resources, such as open
// files.
func (e *ReadError) Temporary() bool { return e != nil && plainfile.IsShortage(e.Err) }

// ErrNoMeta is the error for a directory without meta.json: a job on a host that is being
// created, or the remains of one.
var ErrNoMeta = errors.New("the directory has no meta.json")

// Read reads the records of a job directory. Damage is not an error: the result lacks what
// cannot be parsed. The errors are ErrNoMeta, fs.ErrNotExist for a missing directory, and a
// [ReadError], after which fields that are missing in the result may still be recorded.
func Read(dir string) (Record, error) {
	return read(dir, recordFiles{ReadMeta, ReadState, readExitCode})
}

// recordFiles are the functions that read the files of a job directory. Tests replace
// them to act between two reads.
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
	case plainfile.IsShortage(err):
		r.noteReadError(MetaFile, err)
		meta = Meta{}
	case err != nil:
		if fi, statErr := os.Stat(dir); statErr == nil && !fi.IsDir() {
			return r, fs.ErrNotExist
		}
		r.Problem = "meta.json: " + strings.TrimPrefix(ReasonOf(err), "meta.json: ")
		meta = Meta{}
	}
	meta.ID = record.ID(r.ID) // the directory's name is authoritative
	r.Meta = meta
	// exit_code is written after state.json and therefore read before it: if there is a
	// code, state.json has the end.
	if r.Code, err = from.code(dir); err != nil {
		r.noteReadError(ExitCodeFile, err)
	}
	st, err := from.state(dir)
	if err == nil {
		r.State, r.Started = st, true
	} else {
		r.noteReadError(StateFile, err)
		r.State.Backgrounded = r.Meta.Waits() && Backgrounded(dir)
	}
	r.statLogs(dir)
	r.addShellExit(dir)
	// If the directory was moved to the trash between these reads, the records are
	// incomplete.
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return Record{ID: r.ID}, err
	}
	if r.ReadErr != nil && r.mayBeMore() {
		return r, r.ReadErr
	}
	return r, nil
}

// mayBeMore reports whether what could not be read may change what is known of the job.
func (r *Record) mayBeMore() bool {
	if r.ReadErr.Temporary() {
		return true
	}
	return !r.Finished() && r.Problem == ""
}

// noteReadError sets r.ReadErr to the first error after which a file may still exist.
func (r *Record) noteReadError(file string, err error) {
	if r.ReadErr == nil && MayExist(err) {
		r.ReadErr = &ReadError{file, err}
	}
}

// MayExist reports whether a record may exist although reading it failed with err: the
// system refused access. Such a record must not be replaced.
func MayExist(err error) bool {
	for _, answered := range []error{fs.ErrNotExist, plainfile.ErrNotRegular, plainfile.ErrTooLong} {
		if errors.Is(err, answered) {
			return false
		}
	}
	_, system := errors.AsType[*fs.PathError](err)
	return system
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
	r.Output = max(r.Output, r.State.Output) // the log of a job on a host is usually only there
	if r.Touched.IsZero() {
		if fi, err := os.Stat(dir); err == nil {
			r.Touched = fi.ModTime()
		}
	}
}

// inDir is a faster filepath.Join for file names, because a list calls it for every file.
func inDir(dir, name string) string { return dir + string(filepath.Separator) + name }

func ReadState(dir string) (record.State, error) {
	data, err := plainfile.Read(filepath.Join(dir, StateFile), MaxRecord)
	if err != nil {
		return record.State{}, err
	}
	return DecodeState(data)
}

// DecodeState decodes the content of a state.json.
func DecodeState(data []byte) (record.State, error) {
	var s record.State
	if err := json.Unmarshal(data, &s); err != nil {
		return record.State{}, fmt.Errorf("state.json: %w", err)
	}
	dropImpossible(&s.StartedAt, &s.Deadline, &s.Exit.At)
	if s.Stopping != nil {
		dropImpossible(&s.Stopping.At, &s.Stopping.Deadline)
	}
	if s.Pending != nil {
		dropImpossible(&s.Pending.StartsAt)
	}
	if s.Runs != nil {
		dropImpossible(&s.Runs.NextAt)
		if s.Runs.Last != nil {
			dropImpossible(&s.Runs.Last.At)
		}
	}
	return s, nil
}

// dropImpossible clears times that no clock had. Readers add durations to times and convert
// them to other zones, and JSON cannot represent years beyond 9999: one job with such a time
// would make a whole list fail.
func dropImpossible(times ...*time.Time) {
	for _, t := range times {
		if year := t.UTC().Year(); year < 1000 || year > 9000 {
			*t = time.Time{}
		}
	}
}

// WriteState replaces state.json atomically, without flushing it. The caller must hold the
// job's lock.
func WriteState(dir string, s *record.State) error { return writeState(dir, s) }

func writeState(dir string, s *record.State, opts ...atomicfile.Option) error {
	s.Version = Version
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("state.json: %w", err)
	}
	return atomicfile.Write(filepath.Join(dir, StateFile), append(data, '\n'), opts...)
}

// Finish records the end of a job: it writes and flushes state.json with s.Exit, then
// exit_code if the code is known. The caller must hold the job's lock.
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

// Reserve reserves the disk space that Finish needs, so that the end can be recorded even
// if the disk is full by then. Finish releases the rest.
func Reserve(dir string) error {
	return errors.Join(
		atomicfile.Reserve(filepath.Join(dir, StateFile), stateReserve),
		atomicfile.Reserve(filepath.Join(dir, ExitCodeFile), len("255\n")))
}

// stateReserve is enough for a state.json with the survivors of most jobs, in bytes.
const stateReserve = 16 << 10

// WriteExitCode creates and flushes exit_code. An existing one is never replaced.
func WriteExitCode(dir string, code int) error {
	data := append(strconv.AppendInt(nil, int64(code), 10), '\n')
	err := atomicfile.Create(filepath.Join(dir, ExitCodeFile), data, atomicfile.Sync(), atomicfile.FromReserve())
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// Sync flushes the records that the start of a job wrote.
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

// ReadExitCode reads exit_code. ok is false if it is missing or invalid.
func ReadExitCode(dir string) (code int, ok bool) {
	read, err := readExitCode(dir)
	if err != nil || read == nil {
		return 0, false
	}
	return *read, true
}

// readExitCode returns nil if exit_code is missing or invalid.
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

// ParseExitCode parses the content of exit_code: decimal digits and a newline, with spaces
// allowed around the digits. Anything else is not ok, such as a file that is incomplete
// after a power failure, or a number that is no exit code.
func ParseExitCode(data []byte) (code int, ok bool) {
	text, whole := strings.CutSuffix(string(data), "\n")
	if !whole || len(data) > maxExitCode {
		return 0, false
	}
	text = strings.TrimRight(strings.TrimLeft(text, " "), " \r")
	if len(text) > len("4294967295") {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || !ValidCode(int(n)) {
		return 0, false
	}
	return int(n), true
}

// ValidCode reports whether a process of this system can exit with code: 8 bits, on Windows
// 32.
func ValidCode(code int) bool {
	if runtime.GOOS == "windows" {
		return uint64(code) <= math.MaxUint32
	}
	return uint64(code) <= math.MaxUint8
}

// EndedAt returns when the job ended, as far as known.
func (r *Record) EndedAt() time.Time {
	if r.State.Exit.Known() && !r.State.Exit.At.IsZero() {
		return r.State.Exit.At
	}
	return r.Touched
}

// ReasonOf returns the message of err without the operation and directory that package os
// adds.
func ReasonOf(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		if p.Path != "" {
			return filepath.Base(p.Path) + ": " + p.Err.Error()
		}
		return p.Err.Error()
	}
	return err.Error()
}
