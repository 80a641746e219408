package engine

import (
	"encoding/json"
	"math"
	"time"
)

// jobJSON is the JSON form of a [Job] as it is read.
type jobJSON struct {
	ID           ID                `json:"id"`
	Name         string            `json:"name"`
	Command      []string          `json:"command"`
	Script       string            `json:"script"`
	Host         string            `json:"host"`
	Dir          string            `json:"dir"`
	Kind         Kind              `json:"kind"`
	Backgrounded bool              `json:"backgrounded"`
	Status       Status            `json:"status"`
	Reason       Reason            `json:"reason"`
	ExitCode     *int              `json:"exit_code"`
	Signal       string            `json:"signal"`
	Error        string            `json:"error"`
	PID          int               `json:"pid"`
	StartedAt    time.Time         `json:"started_at"`
	EndedAt      time.Time         `json:"ended_at"`
	Uptime       float64           `json:"uptime_seconds"`
	OutputPath   string            `json:"output_path"`
	StdoutPath   string            `json:"stdout_path"`
	StderrPath   string            `json:"stderr_path"`
	OutputBytes  int64             `json:"output_bytes"`
	DroppedBytes int64             `json:"dropped_bytes"`
	LogLimit     int64             `json:"log_limit"`
	Waiting      bool              `json:"waiting_for_input"`
	Title        string            `json:"title"`
	Progress     *Progress         `json:"progress"`
	Ports        []int             `json:"ports"`
	CPU          *float64          `json:"cpu_percent"`
	RSS          int64             `json:"rss_bytes"`
	Size         Size              `json:"size"`
	Cwd          string            `json:"cwd"`
	Paused       bool              `json:"paused"`
	Timeout      float64           `json:"timeout_seconds"`
	DeadlineAt   time.Time         `json:"deadline_at"`
	Grace        float64           `json:"grace_seconds"`
	StopDeadline time.Time         `json:"stop_deadline_at"`
	EnvNames     []string          `json:"env_names"`
	Survivors    []Process         `json:"survivors"`
	EndedBy      string            `json:"ended_by"`
	Restarted    ID                `json:"restarted_from"`
	Link         Link              `json:"link"`
	LinkError    string            `json:"link_error"`
	StaleSince   time.Time         `json:"stale_since"`
	Machine      string            `json:"machine"`
	CreatedAt    time.Time         `json:"created_at"`
	CreatedBy    string            `json:"created_by"`
	Labels       map[string]string `json:"labels"`
}

// UnmarshalJSON reads the JSON form. What that leaves out (token, backend, usage)
// stays empty.
func (j *Job) UnmarshalJSON(data []byte) error {
	var v jobJSON
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*j = Job{
		ID: v.ID, Name: v.Name, Command: v.Command, Script: v.Script, Host: v.Host, Dir: v.Dir, Kind: v.Kind,
		Backgrounded: v.Backgrounded, Status: v.Status, Paused: v.Paused, PID: v.PID, CreatedAt: v.CreatedAt,
		StartedAt: v.StartedAt, StopDeadline: v.StopDeadline, Deadline: v.DeadlineAt,
		OutputPath: v.OutputPath, StdoutPath: v.StdoutPath, StderrPath: v.StderrPath, Output: v.OutputBytes,
		Dropped: v.DroppedBytes, LogLimit: v.LogLimit, Waiting: v.Waiting, Title: v.Title, Progress: v.Progress,
		Ports: v.Ports, CPU: v.CPU, RSS: v.RSS, Size: v.Size, Cwd: v.Cwd, Timeout: secondsOf(v.Timeout),
		Grace: secondsOf(v.Grace), EnvNames: v.EnvNames, RestartedFrom: v.Restarted, Link: v.Link, LinkError: v.LinkError,
		StaleSince: v.StaleSince, Machine: v.Machine, CreatedBy: v.CreatedBy, Labels: v.Labels, Split: v.StdoutPath != "",
	}
	if v.Status.Finished() {
		j.Exit = Exit{
			Status: v.Status, Code: v.ExitCode, Signal: v.Signal, Reason: v.Reason, EndedBy: v.EndedBy, Error: v.Error,
			At: v.EndedAt, Ran: secondsOf(v.Uptime), Survivors: v.Survivors,
		}
	}
	return nil
}

func secondsOf(s float64) time.Duration {
	return time.Duration(math.Round(s*1000)) * time.Millisecond
}
