package engine

import (
	"maps"
	"slices"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/statedir"
)

// Spec describes what to run and how. It is plain data; the zero value of every field but the
// command is a reasonable default.
type Spec struct {
	// Command is the argument vector. Exactly one of Command and Script is set.
	Command []string
	// Script is run by `sh -c`.
	Script string
	Name   string // empty: derived from the command
	Dir    string // empty: the caller's working directory
	Host   string // empty: this machine
	// Env is added to the environment. Values are never stored on disk, names are.
	Env map[string]string
	// EnvDigests are stored for variables of Env, so that the caller can later find out which values have
	// changed. They must not reveal the values.
	EnvDigests map[string]string

	PTY   bool // a pseudo-terminal; otherwise the output goes directly to log files
	Stdin bool // without PTY: a pipe that can be written to; otherwise /dev/null
	// TTYStdin, without PTY: stdin is a terminal, so that programs prompt for input, while stdout and
	// stderr go directly to the log. The log does not have what is typed.
	TTYStdin bool
	Split    bool // stdout.log and stderr.log instead of output.log; cannot be combined with PTY
	Size     Size // zero: 120x40

	Timeout time.Duration // 0: none
	Grace   time.Duration // 0: five seconds
	// StopSignal is the signal that asks the job to end, by any name or number that the system knows.
	// SIGKILL follows after Grace. Empty: SIGTERM.
	StopSignal string
	// StopCommand ends the job: it is run by sh -c in the job's directory and environment. StopSignal
	// follows if it fails, or if the job has not ended after Grace. Empty: there is none.
	StopCommand string
	// Health is how to find out whether the running job works. If it does not, the job is unhealthy, and
	// with Restart the command is started again.
	Health   HealthCheck
	LogLimit int64 // bytes; 0: the engine's default, negative: none
	Labels   map[string]string

	Backgrounded  bool   // no client waits for it, from the start
	Notify        bool   // notify of its end even while it is in the foreground
	CreatedBy     string // empty: the engine's client name
	RestartedFrom ID
	// Single is for a process of a project. If a job with the same values of the labels group, project and
	// process runs on this machine, Start returns that one. It first waits for the end of one that is being
	// stopped.
	Single bool

	// Restart starts the command again when it ends, as the same job: "always" or "on-failure",
	// with ":N" for N times at most. Empty: never. Timeout is that of all runs together.
	Restart string
	// RestartPause is the pause before each restart. 0: one second, which doubles each time up to a minute.
	RestartPause time.Duration

	// Revive marks the job: it is to be started again after a reboot, see [Engine.Revive].
	Revive bool

	// Queue is the queue of this machine whose slot the job needs to start; empty: none. See
	// [Engine.Queues].
	Queue string
	// After are jobs that must have exited with 0 before this one starts; if one ends in another way,
	// this one fails. AfterAny are jobs that must have ended in any way. A job that has ended when this
	// one is requested counts too, also if it was cleared. The others must be on the same Host, which
	// is this machine or a cluster.
	After, AfterAny []ID

	// SchedulerArgs are options for the scheduler of a cluster, for a job on Host "slurm:LOGIN" those of
	// sbatch. They are stored, and a restart uses them again.
	SchedulerArgs []string

	// Port sets the variable PORT, AutoPort to a free port. 0: it is inherited, if it is set. Unlike
	// the values of Env it is stored, and a restart sets it again.
	Port int
}

// metaOf returns the record of the request s. Its inverse is [Job.Spec].
func (e *Engine) metaOf(s Spec, backend string, o startOptions) jobdir.Meta {
	m := jobdir.Meta{
		Boot: e.here.boot,
		Request: Request{
			Token:             o.token,
			Name:              s.Name,
			Command:           s.Command,
			Script:            s.Script,
			Dir:               s.Dir,
			Host:              s.Host,
			Backend:           backend,
			Kind:              KindFile,
			Split:             s.Split,
			Stdin:             InputNull,
			InitialSize:       s.Size,
			Timeout:           record.InMilliseconds(s.Timeout),
			Grace:             record.InMilliseconds(s.Grace),
			StopSignal:        s.StopSignal,
			StopCommand:       s.StopCommand,
			HealthCheck:       s.Health,
			LogLimit:          max(0, s.LogLimit),
			EnvNames:          slices.Sorted(maps.Keys(s.Env)),
			EnvDigests:        s.EnvDigests,
			Labels:            s.Labels,
			StartInBackground: s.Backgrounded,
			Notify:            s.Notify,
			Revive:            s.Revive,
			ClientMachine:     e.here.machine,
			CreatedAt:         e.cfg.now(),
			CreatedBy:         s.CreatedBy,
			RestartedFrom:     s.RestartedFrom,
			Port:              s.Port,
			Restart:           s.Restart,
			RestartPause:      record.InMilliseconds(s.RestartPause),
			Queue:             s.Queue,
			After:             s.After,
			AfterAny:          s.AfterAny,
			SchedulerArgs:     s.SchedulerArgs,
		},
	}
	if m.Token == "" {
		m.Token = statedir.NewToken()
	}
	if m.EnvNames == nil {
		m.EnvNames = []string{}
	}
	if s.Timeout > 0 {
		m.Timeout = max(1, m.Timeout)
	}
	m.Grace = max(1, m.Grace)
	switch {
	case s.PTY:
		m.Kind, m.Stdin = KindPTY, InputPTY
	case o.files[0] != nil:
		m.Stdin = InputInherited
	case s.TTYStdin:
		m.Stdin = InputTTY
	case s.Stdin:
		m.Stdin = InputPipe
	}
	return m
}

// Spec returns the request of j as a restart makes it, in the background. The values of Env are empty:
// they are not stored.
func (j Job) Spec() Spec {
	s := Spec{
		Command:       j.Command,
		Script:        j.Script,
		Name:          j.Name,
		Dir:           j.Dir,
		Host:          j.Host,
		PTY:           j.Kind == KindPTY,
		Stdin:         j.Stdin == InputPipe,
		TTYStdin:      j.Stdin == InputTTY,
		Split:         j.Split,
		Size:          j.InitialSize,
		Timeout:       j.Timeout.Duration(),
		Grace:         j.Grace.Duration(),
		StopSignal:    j.StopSignal,
		StopCommand:   j.StopCommand,
		Health:        j.HealthCheck,
		LogLimit:      j.LogLimit,
		EnvDigests:    j.EnvDigests,
		Labels:        j.Labels,
		Backgrounded:  true,
		Notify:        j.Notify,
		Revive:        j.Revive,
		RestartedFrom: j.ID,
		Port:          j.Port,
		Restart:       j.Restart,
		RestartPause:  j.RestartPause.Duration(),
		Queue:         j.Queue,
		After:         j.After,
		AfterAny:      j.AfterAny,
		SchedulerArgs: j.SchedulerArgs,
	}
	if s.LogLimit == 0 {
		s.LogLimit = -1
	}
	if len(j.EnvNames) > 0 {
		s.Env = make(map[string]string, len(j.EnvNames))
		for _, name := range j.EnvNames {
			s.Env[name] = ""
		}
	}
	return s
}
