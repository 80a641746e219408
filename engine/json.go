package engine

import (
	"bytes"
	"encoding/json"
	"math"
	"time"

	"github.com/hobjobs/hob/engine/record"
)

// jobJSON is the JSON form of a [Job]: every field is present, and a pointer is null
// where the field does not apply.
type jobJSON struct {
	ID           ID                `json:"id"`
	Name         string            `json:"name"`
	Command      []string          `json:"command"`
	Script       *string           `json:"script"`
	Host         *string           `json:"host"`
	Dir          *string           `json:"dir"`
	Kind         *Kind             `json:"kind"`
	Backgrounded bool              `json:"backgrounded"`
	Status       Status            `json:"status"`
	Reason       *Reason           `json:"reason"`
	ExitCode     *int              `json:"exit_code"`
	Signal       *string           `json:"signal"`
	Error        *string           `json:"error"`
	Summary      *string           `json:"summary"`
	PID          *int              `json:"pid"`
	StartedAt    *time.Time        `json:"started_at"`
	EndedAt      *time.Time        `json:"ended_at"`
	Uptime       *float64          `json:"uptime_seconds"`
	OutputPath   *string           `json:"output_path"`
	StdoutPath   *string           `json:"stdout_path"`
	StderrPath   *string           `json:"stderr_path"`
	OutputBytes  int64             `json:"output_bytes"`
	DroppedBytes int64             `json:"dropped_bytes"`
	LogLimit     *int64            `json:"log_limit"`
	Waiting      bool              `json:"waiting_for_input"`
	NeedsInput   bool              `json:"needs_input"`
	Program      *programJSON      `json:"program"`
	LastCommand  *LastCommand      `json:"last_command"`
	Title        *string           `json:"title"`
	Progress     *Progress         `json:"progress"`
	Port         *int              `json:"port"`
	Ports        []int             `json:"ports"`
	CPU          *float64          `json:"cpu_percent"`
	RSS          *int64            `json:"rss_bytes"`
	Size         *Size             `json:"size"`
	Cwd          *string           `json:"cwd"`
	Paused       bool              `json:"paused"`
	Timeout      *float64          `json:"timeout_seconds"`
	DeadlineAt   *time.Time        `json:"deadline_at"`
	Grace        float64           `json:"grace_seconds"`
	StopSignal   *string           `json:"stop_signal"`
	StopCommand  *string           `json:"stop_command"`
	Health       *healthJSON       `json:"health"`
	StopDeadline *time.Time        `json:"stop_deadline_at"`
	EnvNames     []string          `json:"env_names"`
	Survivors    []Process         `json:"survivors"`
	EndedBy      *string           `json:"ended_by"`
	Restarted    *ID               `json:"restarted_from"`
	Link         Link              `json:"link"`
	LinkError    *string           `json:"link_error"`
	StaleSince   *time.Time        `json:"stale_since"`
	Machine      *string           `json:"machine"`
	Queue        *queueJSON        `json:"queue"`
	Scheduler    *schedulerJSON    `json:"scheduler"`
	Restart      *restartJSON      `json:"restart"`
	Revive       bool              `json:"revive"`
	CreatedAt    *time.Time        `json:"created_at"`
	CreatedBy    *string           `json:"created_by"`
	Labels       map[string]string `json:"labels"`

	NotifyFailed *notifyFailureJSON `json:"notify_failed"`
}

// notifyFailureJSON is the JSON form of a [NotifyFailure].
type notifyFailureJSON struct {
	Event  string    `json:"event"`
	At     time.Time `json:"at"`
	Error  string    `json:"error"`
	Output *string   `json:"output"`
}

// queueJSON is the JSON form of a [Pending].
type queueJSON struct {
	Name        *string    `json:"name"`
	Position    *int       `json:"position"`
	Reason      string     `json:"reason"`
	After       []ID       `json:"after"`
	StartsAt    *time.Time `json:"starts_at"`
	SchedulerID *string    `json:"scheduler_id"`
	Partition   *string    `json:"partition"`
}

// schedulerJSON is the JSON form of a [Scheduled].
type schedulerJSON struct {
	ID        *string `json:"id"`
	Partition *string `json:"partition"`
	Node      *string `json:"node"`
}

// programJSON is the JSON form of a [Program], and of each of its records.
type programJSON struct {
	reportJSON
	Records []recordJSON `json:"records"`
}

// reportJSON is the JSON form of a [ProgramReport] without its ID.
type reportJSON struct {
	State   ProgramState `json:"state"`
	Kind    *ProgramKind `json:"kind"`
	App     *string      `json:"app"`
	Title   *string      `json:"title"`
	Message *string      `json:"message"`
	Percent *int         `json:"percent"`
	At      time.Time    `json:"at"`
}

type recordJSON struct {
	ID string `json:"id"`
	reportJSON
}

func programForm(p *Program) *programJSON {
	if p == nil {
		return nil
	}
	v := &programJSON{reportJSON: reportForm(p.ProgramReport), Records: make([]recordJSON, len(p.Reports))}
	for i, r := range p.Reports {
		v.Records[i] = recordJSON{ID: r.ID, reportJSON: reportForm(r)}
	}
	return v
}

func reportForm(r ProgramReport) reportJSON {
	return reportJSON{
		State:   r.State,
		Kind:    orNull(r.Kind),
		App:     orNull(r.App),
		Title:   orNull(r.Title),
		Message: orNull(r.Message),
		Percent: r.Percent,
		At:      r.At,
	}
}

// program returns what programForm was made of.
func (v *programJSON) program() *Program {
	if v == nil {
		return nil
	}
	reports := make([]ProgramReport, len(v.Records))
	for i, r := range v.Records {
		reports[i] = r.report(r.ID)
	}
	return record.NewProgram(reports)
}

func (v *reportJSON) report(id string) ProgramReport {
	return ProgramReport{
		ID:      id,
		State:   v.State,
		Kind:    orZero(v.Kind),
		App:     orZero(v.App),
		Title:   orZero(v.Title),
		Message: orZero(v.Message),
		Percent: v.Percent,
		At:      v.At,
	}
}

// healthJSON is the JSON form of a [HealthCheck] and its result.
type healthJSON struct {
	Check    string             `json:"check"`
	State    record.HealthState `json:"state"`
	Since    *time.Time         `json:"since"`
	Failures int                `json:"failures"`
	Output   *string            `json:"output"`
}

// healthForm returns the form of a job that has a check; nil for others. The health of a job that does not
// run is not known.
func healthForm(j *Job) *healthJSON {
	if j.HealthCheck.Check == "" {
		return nil
	}
	v := &healthJSON{Check: j.HealthCheck.Check, State: record.HealthUnknown}
	if h := j.Health; h != nil {
		v.State, v.Since, v.Failures, v.Output = h.State, timeOrNull(h.Since), h.Failures, orNull(h.Output)
	}
	return v
}

// restartJSON is the JSON form of a restart policy and its [Runs].
type restartJSON struct {
	Policy string     `json:"policy"`
	Count  int        `json:"count"`
	NextAt *time.Time `json:"next_at"`
	// PauseMS is a constant pause before each restart, null if it grows.
	PauseMS *record.Milliseconds `json:"pause_ms"`
}

// MarshalJSON returns the JSON form of the command line: every field is present, and null where it
// does not apply.
func (j Job) MarshalJSON() ([]byte, error) {
	v := j.form(time.Now())
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false) // the output is not for HTML, and "&&" is common in commands
	err := enc.Encode(&v)
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), err
}

// form returns the JSON form of j, with the uptime at now.
func (j *Job) form(now time.Time) jobJSON {
	v := jobJSON{
		ID:           j.ID,
		Name:         j.Name,
		Script:       orNull(j.Script),
		Host:         orNull(j.Host),
		Dir:          orNull(j.Dir),
		Kind:         orNull(j.Kind),
		Backgrounded: j.Backgrounded,
		Status:       j.Status,
		Summary:      orNull(j.Summary(now)),
		PID:          orNull(j.Leader.PID),
		StartedAt:    timeOrNull(j.StartedAt),
		OutputPath:   orNull(j.OutputPath),
		StdoutPath:   orNull(j.StdoutPath),
		StderrPath:   orNull(j.StderrPath),
		OutputBytes:  j.Output,
		DroppedBytes: j.Dropped,
		LogLimit:     orNull(j.logCap()),
		Waiting:      j.Waiting,
		NeedsInput:   j.NeedsInput(),
		Program:      programForm(j.Program),
		LastCommand:  j.LastCommand,
		Title:        orNull(j.Title),
		Progress:     j.Progress,
		Ports:        j.Ports,
		RSS:          orNull(j.RSS),
		Size:         orNull(j.Size),
		Cwd:          orNull(j.Cwd),
		Paused:       j.Paused,
		DeadlineAt:   timeOrNull(j.Deadline),
		Grace:        inSeconds(j.Grace),
		StopSignal:   orNull(j.StopSignal),
		StopCommand:  orNull(j.StopCommand),
		Health:       healthForm(j),
		StopDeadline: timeOrNull(j.StopDeadline()),
		EnvNames:     j.EnvNames,
		EndedBy:      orNull(j.Exit.EndedBy),
		Restarted:    orNull(j.RestartedFrom),
		Port:         orNull(j.Port),
		Link:         j.Link,
		LinkError:    orNull(j.LinkError),
		StaleSince:   timeOrNull(j.StaleSince),
		Machine:      orNull(j.Machine),
		CreatedAt:    timeOrNull(j.CreatedAt),
		CreatedBy:    orNull(j.CreatedBy),
		Revive:       j.Revive,
		Labels:       j.Labels,
	}
	if len(j.Command) > 0 {
		v.Command = j.Command
	}
	if f := j.NotifyFailed; f != nil {
		v.NotifyFailed = &notifyFailureJSON{f.Event, f.At, f.Error, orNull(f.Output)}
	}
	if q := j.Pending; q != nil {
		v.Queue = &queueJSON{
			Name:        orNull(q.Name),
			Position:    orNull(q.Position),
			Reason:      j.plainWaitReason(now),
			After:       q.After,
			StartsAt:    timeOrNull(q.StartsAt),
			SchedulerID: orNull(j.Scheduled.ID),
			Partition:   orNull(j.Scheduled.Partition),
		}
		if q.After == nil {
			v.Queue.After = []ID{}
		}
	}
	if s := j.Scheduled; s != (Scheduled{}) {
		v.Scheduler = &schedulerJSON{
			ID:        orNull(s.ID),
			Partition: orNull(s.Partition),
			Node:      orNull(s.Node),
		}
	}
	if j.Restart != "" {
		v.Restart = &restartJSON{Policy: j.Restart, PauseMS: orNull(j.RestartPause)}
		if j.Runs != nil {
			v.Restart.Count, v.Restart.NextAt = j.Runs.Count, timeOrNull(j.Runs.NextAt)
		}
	}
	e, finished := j.Ended()
	if finished {
		v.Reason, v.ExitCode, v.Signal, v.Error = orNull(e.Reason), e.Code, orNull(e.Signal), orNull(e.Error)
		v.EndedAt = timeOrNull(e.At)
	}
	if j.Status == Queued {
		v.StartedAt = nil // a run may have ended
	} else if !j.StartedAt.IsZero() && !(finished && e.At.IsZero()) {
		v.Uptime = new(inSeconds(record.InMilliseconds(j.Uptime(now))))
	}
	if j.CPU != nil && !math.IsNaN(*j.CPU) && !math.IsInf(*j.CPU, 0) {
		v.CPU = new(math.Round(*j.CPU*10) / 10)
	}
	if j.Timeout > 0 {
		v.Timeout = new(inSeconds(j.Timeout))
	}
	if v.EnvNames == nil {
		v.EnvNames = []string{}
	}
	v.Survivors = make([]Process, len(j.Exit.Survivors))
	for i, p := range j.Exit.Survivors {
		v.Survivors[i] = Process{PID: p.PID, Command: p.Command}
	}
	if v.Labels == nil {
		v.Labels = map[string]string{}
	}
	return v
}

// orNull returns a pointer to v, or nil for the zero value, which means that the field does not
// apply.
func orNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// inSeconds divides milliseconds: Duration.Seconds returns 1.8319999999999999 for 1.832.
func inSeconds(m Milliseconds) float64 { return float64(m) / 1000 }

// UnmarshalJSON reads the JSON form. Fields that the form omits (token, backend, usage) stay empty.
func (j *Job) UnmarshalJSON(data []byte) error {
	var v jobJSON
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*j = Job{
		Request: Request{
			ID:            v.ID,
			Name:          v.Name,
			Command:       v.Command,
			Script:        orZero(v.Script),
			Host:          orZero(v.Host),
			Dir:           orZero(v.Dir),
			Kind:          orZero(v.Kind),
			LogLimit:      orZero(v.LogLimit),
			Timeout:       ofSeconds(orZero(v.Timeout)),
			Grace:         ofSeconds(v.Grace),
			StopSignal:    orZero(v.StopSignal),
			StopCommand:   orZero(v.StopCommand),
			EnvNames:      v.EnvNames,
			Revive:        v.Revive,
			Labels:        v.Labels,
			Split:         orZero(v.StdoutPath) != "",
			CreatedAt:     orZero(v.CreatedAt),
			CreatedBy:     orZero(v.CreatedBy),
			RestartedFrom: orZero(v.Restarted),
			Port:          orZero(v.Port),
		},
		State: State{
			Status:       v.Status,
			Machine:      orZero(v.Machine),
			Leader:       Identity{PID: orZero(v.PID)},
			StartedAt:    orZero(v.StartedAt),
			Backgrounded: v.Backgrounded,
			Paused:       v.Paused,
			Waiting:      v.Waiting,
			Program:      v.Program.program(),
			LastCommand:  v.LastCommand,
			Title:        orZero(v.Title),
			Progress:     v.Progress,
			Cwd:          orZero(v.Cwd),
			Size:         orZero(v.Size),
			Deadline:     orZero(v.DeadlineAt),
			Output:       v.OutputBytes,
			Dropped:      v.DroppedBytes,
			Link:         v.Link,
			LinkError:    orZero(v.LinkError),
			StaleSince:   orZero(v.StaleSince),
		},
		OutputPath: orZero(v.OutputPath),
		StdoutPath: orZero(v.StdoutPath),
		StderrPath: orZero(v.StderrPath),
		Ports:      v.Ports,
		CPU:        v.CPU,
		RSS:        orZero(v.RSS),
	}
	if q := v.Queue; q != nil {
		j.Pending = &Pending{
			Name:     orZero(q.Name),
			Position: orZero(q.Position),
			Reason:   q.Reason,
			After:    q.After,
			StartsAt: orZero(q.StartsAt),
		}
	}
	if s := v.Scheduler; s != nil {
		j.Scheduled = Scheduled{
			ID:        orZero(s.ID),
			Partition: orZero(s.Partition),
			Node:      orZero(s.Node),
		}
	}
	if r := v.Restart; r != nil {
		j.RestartPause = orZero(r.PauseMS)
		j.Restart, j.Runs = r.Policy, &Runs{Count: r.Count, NextAt: orZero(r.NextAt)}
	}
	if h := v.Health; h != nil {
		j.HealthCheck.Check = h.Check
		if !v.Status.Finished() {
			j.Health = &Health{
				State:    h.State,
				Since:    orZero(h.Since),
				Failures: h.Failures,
				Output:   orZero(h.Output),
			}
		}
	}
	if f := v.NotifyFailed; f != nil {
		j.NotifyFailed = &NotifyFailure{
			Event:  f.Event,
			At:     f.At,
			Error:  f.Error,
			Output: orZero(f.Output),
		}
	}
	if v.StopDeadline != nil {
		j.Stopping = &StopRequest{Deadline: *v.StopDeadline}
	}
	if v.Status.Finished() {
		j.Exit = Exit{
			Status:    v.Status,
			Code:      v.ExitCode,
			Signal:    orZero(v.Signal),
			Reason:    orZero(v.Reason),
			EndedBy:   orZero(v.EndedBy),
			Error:     orZero(v.Error),
			At:        orZero(v.EndedAt),
			Ran:       ofSeconds(orZero(v.Uptime)),
			Survivors: v.Survivors,
		}
	}
	return nil
}

// orZero is the inverse of orNull.
func orZero[T any](v *T) (zero T) {
	if v == nil {
		return zero
	}
	return *v
}

func ofSeconds(s float64) Milliseconds { return Milliseconds(math.Round(s * 1000)) }
