// Package jobdir reads and writes the files of a job directory. Only this package depends on their
// names and formats. Package internal/statedir has the directory of all jobs.
//
// A job directory contains meta.json (the request; written once, before the start),
// state.json (everything known since; one writer, the holder), the logs (package
// internal/logfile), times, events, exit_code (exists only if the end and its code are
// known; written after state.json), lock (held by the holder while it runs), seen (the user
// has seen that the job failed) and cursors/.
//
// # Formats
//
// Records are JSON, one object a file; events has one object a line. exit_code is a
// decimal number and a newline. A cursor is a decimal number: the offset up to which the
// client has read, for separate streams in the order that cursors/order defines. times
// is described in times.go.
//
// # Atomicity
//
// Records are replaced by renaming. Readers therefore need no lock.
package jobdir

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/plainfile"
)

// Version is the version of the records that this program writes. Readers accept later
// versions and ignore unknown fields.
const Version = 1

// Names of the files in a job directory.
const (
	MetaFile     = "meta.json"
	StateFile    = "state.json"
	OutputFile   = "output.log"
	StdoutFile   = "stdout.log"
	StderrFile   = "stderr.log"
	TimesFile    = "times"
	ExitCodeFile = "exit_code"
	LockFile     = "lock"
	EventsFile   = "events"
	CursorsDir   = "cursors"
	AliveFile    = "alive" // a pipe, see Alive
)

// Files in the directory of a job that was started for a client on another machine.
const (
	TokenFile  = "token"  // identifies the request
	ClaimDir   = "claim"  // the job was started, or is never to be
	FailedFile = "failed" // why it is never to be started, or could not be
)

// RevivedDir, beside the directories of jobs, has a file TOKEN.N for each start in the place of the lost job with that
// token: the name of the new job. Only the last of them may have run.
const RevivedDir = ".revived"

// ValidID reports whether id can be the name of a job directory.
func ValidID(id string) bool {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
	switch {
	case id == "", len(id) > 128, id[0] == '.':
		return false
	}
	return strings.Trim(id, allowed) == ""
}

// Meta is the content of meta.json: the request and some additional fields.
type Meta struct {
	Version int `json:"version"`
	record.Request
	// Boot is the boot of the client's machine in which the request was made: a job without
	// a state.json has no other record of it. Empty: not known.
	Boot string `json:"boot_id,omitempty"`
	// Held means that the lock was acquired before the directory became visible. So if
	// the lock is free, no program is about to start the job.
	Held bool        `json:"held,omitempty"`
	Raw  *RawRequest `json:"exact,omitempty"` // only in the file
}

func ReadMeta(dir string) (Meta, error) {
	data, err := plainfile.Read(filepath.Join(dir, MetaFile), MaxRecord)
	if err != nil {
		return Meta{}, err
	}
	return DecodeMeta(data)
}

// DecodeMeta decodes the content of a meta.json.
func DecodeMeta(data []byte) (Meta, error) {
	var m Meta
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("invalid: %w", err)
	}
	if m.Version < 1 {
		return m, errors.New("invalid: no version")
	}
	dropImpossible(&m.CreatedAt)
	m.ApplyRaw()
	return m, nil
}

// EncodeMeta is the inverse of DecodeMeta. It sets the version.
func EncodeMeta(m *Meta) ([]byte, error) {
	m.Version = Version
	return json.Marshal(m.WithRaw())
}

// RawRequest has those fields of a request that are not UTF-8, byte for byte. JSON strings
// cannot represent them, and with replacement characters they would name other files. The
// records contain the usual fields, too, for readers that only display them.
type RawRequest struct {
	Command [][]byte `json:"command,omitempty"`
	Script  []byte   `json:"script,omitempty"`
	Dir     []byte   `json:"dir,omitempty"`
}

// MarshalJSON implements [json.Marshaler]. It costs nothing until it is called, as that of record.Exit.
func (r RawRequest) MarshalJSON() ([]byte, error) {
	type plain RawRequest
	return json.Marshal(plain(r))
}

// WithRaw returns m as files have it: with Raw, if JSON strings cannot represent its fields.
func (m Meta) WithRaw() Meta {
	m.Raw = rawOf(&m)
	return m
}

// rawOf returns the fields of m that JSON strings cannot represent, nil if there are none.
func rawOf(m *Meta) *RawRequest {
	var e RawRequest
	if slices.ContainsFunc(m.Command, func(s string) bool { return !utf8.ValidString(s) }) {
		for _, word := range m.Command {
			e.Command = append(e.Command, []byte(word))
		}
	}
	if !utf8.ValidString(m.Script) {
		e.Script = []byte(m.Script)
	}
	if !utf8.ValidString(m.Dir) {
		e.Dir = []byte(m.Dir)
	}
	if e.Command == nil && e.Script == nil && e.Dir == nil {
		return nil
	}
	return &e
}

// ApplyRaw moves the fields of m.Raw to the request.
func (m *Meta) ApplyRaw() {
	e := m.Raw
	if e == nil {
		return
	}
	m.Raw = nil
	if e.Command != nil {
		m.Command = make([]string, len(e.Command))
		for i, word := range e.Command {
			m.Command[i] = string(word)
		}
	}
	if e.Script != nil {
		m.Script = string(e.Script)
	}
	if e.Dir != nil {
		m.Dir = string(e.Dir)
	}
}
