// Package hostjob is hob's holder on a host: what the program hob-holder does there for clients elsewhere, in
// addition to holding a job. A client runs it over its connection, once for each request:
//
//	hob-holder launch             starts a job; [Launch] on stdin, [Launched] on stdout
//	hob-holder list BASE ID[=SUM[=wait]]…  the states of jobs: [Listing]
//	hob-holder act DIR            acts on a job; [Act] on stdin, [Done] on stdout
//	hob-holder measure BASE ID…   what jobs use now: [Measured]
//	hob-holder port BASE          a free port; [Port] on stdin, [Found] on stdout
//	hob-holder queue BASE         lists and changes queues; [Queues] on stdin, [Queued] on stdout
//	hob-holder connect DIR        joins stdin and stdout with the job's holder
//
// Such a job is a local job of the host, with a directory, a holder and a queue. Its directory also has the files of
// a launch, as docs/remote-layout.md describes: token, owner, claim and holder.
//
// The types are JSON and are only ever extended: the two sides are of different builds. The package links what
// a holder may, because hob-holder is the program of each job.
package hostjob

import (
	"encoding/json"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/queue"
)

// Files of a job's directory that a launch makes, in addition to those of a local job and of package jobdir.
const (
	OwnerFile  = "owner"  // the machine of the client that made it
	HolderFile = "holder" // the path of hob-holder, as it was launched
)

// Launch is the request to start a job. It may be sent any number of times: the job is started at most once.
type Launch struct {
	Base  string `json:"base"` // the directory of all jobs
	ID    string `json:"id"`   // name of the job's directory
	Owner string `json:"owner"`
	// Meta is what to run, as files have it. Its Dir may be empty or begin with ~, for the home directory there.
	Meta jobdir.Meta `json:"meta"`
	// Env is added to the environment of this program.
	Env map[string][]byte `json:"env,omitempty"`
	// After and AfterAny are the jobs for which it waits, without those that have ended.
	After    []record.ID `json:"after,omitempty"`
	AfterAny []record.ID `json:"after_any,omitempty"`
	// InPlaceOf is the token of the lost job that this one replaces; empty: none.
	InPlaceOf string `json:"in_place_of,omitempty"`
	// Notify and Events are those of [localjob.Config].
	Notify string   `json:"notify,omitempty"`
	Events []string `json:"events,omitempty"`
}

// The results of a launch, beside that of an error.
const (
	Begun     = "begun"     // it was started now
	Exists    = "exists"    // it was started before
	Abandoned = "abandoned" // it is never to be started
	Taken     = "taken"     // the directory belongs to another job
	Replaced  = "replaced"  // the lost job was started again by another program, as Why
	Shared    = "shared"    // the directory is the record of the client
	Homeless  = "homeless"  // the directory of jobs cannot hold it
	Refused   = "refused"   // nothing was started
)

// Launched is the answer to [Launch].
type Launched struct {
	Result string  `json:"result"`
	Why    string  `json:"why,omitempty"`
	List   Listing `json:"list"` // of that job, if it was started
}

// Listing has the states of jobs, by the names of their directories.
type Listing struct {
	Now  time.Time           `json:"now"`
	Up   record.Milliseconds `json:"up"` // how long the machine has run, without suspended time
	Boot string              `json:"boot"`
	Jobs map[string]*Job     `json:"jobs"`
}

// Wait is for a job of which the client needs to know now whether its holder answers. The listing then waits for answers
// as long as a list of the machine's own jobs does, and asks more holders.
const Wait = "wait"

// Job is what is known of a job.
type Job struct {
	Sum   string `json:"sum,omitempty"`  // changes with the rest
	Same  bool   `json:"same,omitempty"` // it has the Sum that was given, and nothing else is set
	Gone  bool   `json:"gone,omitempty"` // there is no such directory
	Token string `json:"token,omitempty"`
	// Program is the path of the hob-holder that was launched.
	Program string `json:"program,omitempty"`
	State   State  `json:"state,omitzero"`
	// Sizes are those of its logs and of the times of their bytes, Holes what was freed of them, Strange the logs that are no regular files.
	Sizes   map[string]int64        `json:"sizes,omitempty"`
	Holes   map[string]record.Range `json:"holes,omitempty"`
	Strange []string                `json:"strange,omitempty"`
	// Held means that a process holds the job: its logs may grow.
	Held bool `json:"held,omitempty"`
}

// State is a state as it is, with what the files of a job do not have.
type State struct{ record.State }

// derived are the fields of a state that are not stored.
type derived struct {
	Status     record.Status        `json:"status"`
	AfterNames map[record.ID]string `json:"after_names,omitempty"`
	Line       []byte               `json:"line,omitempty"`
	Bells      int                  `json:"bells,omitempty"`
	Link       record.Link          `json:"link,omitempty"`
	LinkError  string               `json:"link_error,omitempty"`
	StaleSince time.Time            `json:"stale_since,omitzero"`
	Unrecorded *record.Unrecorded   `json:"unrecorded,omitempty"`
}

type bothParts struct {
	Stored  record.State `json:"stored"`
	Derived derived      `json:"derived"`
}

// MarshalJSON implements [json.Marshaler].
func (s State) MarshalJSON() ([]byte, error) {
	d := derived{
		Status:     s.Status,
		Line:       []byte(s.Line),
		Bells:      s.Bells,
		Link:       s.Link,
		LinkError:  s.LinkError,
		StaleSince: s.StaleSince,
		Unrecorded: s.Unrecorded,
	}
	if s.Pending != nil {
		d.AfterNames = s.Pending.AfterNames
	}
	return json.Marshal(bothParts{s.State, d})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (s *State) UnmarshalJSON(text []byte) error {
	var both bothParts
	if err := json.Unmarshal(text, &both); err != nil {
		return err
	}
	d := both.Derived
	s.State = both.Stored
	s.Status, s.Line, s.Bells = d.Status, string(d.Line), d.Bells
	s.Link, s.LinkError, s.StaleSince = d.Link, d.LinkError, d.StaleSince
	s.Unrecorded = d.Unrecorded
	if s.Pending != nil {
		s.Pending.AfterNames = d.AfterNames
	}
	return nil
}

// Op is what to do with a job.
type Op string

// The operations.
const (
	OpSignal     Op = "signal"
	OpStop       Op = "stop"
	OpWrite      Op = "write"
	OpCloseInput Op = "close_input"
	OpKeys       Op = "keys"
	OpPaste      Op = "paste"
	OpResize     Op = "resize"
	OpScreen     Op = "screen"
	OpBackground Op = "background"
)

// Act is the request to act on a job. The fields are those of the operation.
type Act struct {
	Op   Op                  `json:"op"`
	Name string              `json:"name,omitempty"` // of a signal
	By   string              `json:"by,omitempty"`
	Data []byte              `json:"data,omitempty"`
	Keys []string            `json:"keys,omitempty"`
	Size record.Size         `json:"size,omitzero"`
	Stop *record.StopOptions `json:"stop,omitempty"`
}

// Measured is what jobs use, by the names of their directories.
type Measured map[string]Used

// Port is the request for a free port of the machine.
type Port struct {
	Dir  string `json:"dir,omitempty"` // of the job that is to have it, as in [Launch]
	Name string `json:"name,omitempty"`
}

// Found is the answer to [Port].
type Found struct {
	Failure *holder.Failure `json:"failure,omitempty"`
	Port    int             `json:"port,omitempty"`
}

// Used is what the processes of a job use.
type Used struct {
	CPU   record.Milliseconds `json:"cpu_ms"` // of those that live, so far
	RSS   int64               `json:"rss"`    // bytes
	Ports []int               `json:"ports,omitempty"`
}

// Queues is the request to list queues, to change that of Name, or to start queued jobs sooner. The zero value
// lists all.
type Queues struct {
	Name   string       `json:"name,omitempty"`
	Change queue.Change `json:"change,omitzero"`
	Now    []string     `json:"now,omitempty"`   // jobs to start without a slot
	First  []string     `json:"first,omitempty"` // jobs to put before all others
}

// Queued is the answer to [Queues].
type Queued struct {
	Failure *holder.Failure  `json:"failure,omitempty"`
	Queues  []queue.Overview `json:"queues"`
}

// Done is the answer to [Act].
type Done struct {
	Failure *holder.Failure    `json:"failure,omitempty"` // nil: it was done
	Stop    *record.StopReport `json:"stop,omitempty"`
	// Taken is how much of the data of OpWrite was written, if the job reads so slowly that there was no time for the
	// rest.
	Taken  int            `json:"taken,omitempty"`
	Screen *record.Screen `json:"screen,omitempty"`
}
