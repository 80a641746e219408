package engine

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/hostname"
	"github.com/hobjobs/hob/internal/jobname"
	"github.com/hobjobs/hob/internal/queue"
	"github.com/hobjobs/hob/internal/shellword"
	"github.com/hobjobs/hob/internal/units"
)

// A JobOption is an option of a job as users write it: a flag of hob run, an option in the form of a
// pane, an argument of an agent's tool. Clients read them from [JobOptions], so that an option has the
// same name, the same values and the same limits everywhere.
type JobOption struct {
	Field string // the field of Spec that it sets
	Name  string // "log-limit"; a flag is --log-limit
	Short string // the one-letter flag, without its dash; may be empty
	// Value is the placeholder of its value; empty: it takes none.
	Value string
	// Default is the value of a flag that is given without one; empty: a value is required.
	Default  string
	Values   []string // values to offer; there may be others
	Repeated bool     // each use adds a value
	Usage    string   // what it does, in the imperative
	// Excludes are the names of options that cannot be given with it.
	Excludes []string
	// Editable means that a user can change it in the form for a job.
	Editable bool
	// Argument is how agents set it; nil: they cannot.
	Argument *JobArgument
	// Set sets the field to a value, or adds it. value is empty if the option takes none.
	Set func(s *Spec, value string) error
	// Typed returns the values with which Set sets the field as in s, none for its default. nil: a form
	// shows the option only when it is typed.
	Typed func(s Spec) []string

	// check returns why s cannot have this option, with the names of options in braces. given means that
	// the user gave the option, so that it must have an effect.
	check func(s Spec, given bool) (problem, hint string)
}

// JobArgument is a [JobOption] as an argument of an agent's tool.
type JobArgument struct {
	Name        string
	Aliases     []string // names in the tools of other programs
	List        bool     // it takes several values
	Number      bool     // it takes a whole number
	Description string
}

// AutoPort is the value of [Spec].Port that stands for a free port: the same for the same directory
// and name, as long as it is free. The job's record has the number.
const AutoPort = -1

// MinLogLimit is the least [Spec].LogLimit, in bytes.
const MinLogLimit = 2 << 20

// RestartPolicies names the values of [Spec].Restart in messages.
const RestartPolicies = "always[:N] or on-failure[:N]"

// JobOptions returns the options of a job, in the order in which clients offer them.
func JobOptions() []JobOption {
	return []JobOption{
		{
			Field:    "Name",
			Name:     "name",
			Short:    "n",
			Value:    "NAME",
			Editable: true,
			Usage:    "job name (default: derived from the command)",
			Argument: &JobArgument{
				Name:        "name",
				Aliases:     []string{"display_name", "description"},
				Description: "Name in lists (default: derived from the command)",
			},
			Set: func(s *Spec, v string) error { s.Name = v; return nil },
			Typed: func(s Spec) []string {
				if s.Name == jobname.Of(s.Command, s.Script) {
					return nil
				}
				return unlessZero(s.Name, s.Name)
			},
			check: func(s Spec, _ bool) (string, string) {
				if strings.HasPrefix(strings.TrimSpace(s.Name), "@") {
					return "a name that begins with @", "@ means the newest job; choose another name"
				}
				return "", ""
			},
		},
		{
			Field:    "Port",
			Name:     "port",
			Value:    "PORT",
			Values:   []string{"auto"},
			Editable: true,
			Usage:    "set PORT to this; auto: to a free port, the same each time",
			Set:      func(s *Spec, v string) (err error) { s.Port, err = parsePort(v); return err },
			Typed:    func(s Spec) []string { return unlessZero(s.Port, strconv.Itoa(s.Port)) },
			check: func(s Spec, _ bool) (string, string) {
				switch {
				case s.Port < AutoPort, s.Port > 65535:
					return fmt.Sprintf("port %d", s.Port), "use a port from 1 to 65535"
				case s.Port != 0 && hostname.OnCluster(s.Host):
					return "{port} cannot be used for jobs on a cluster", "set PORT with {env}"
				}
				return "", ""
			},
		},
		{
			Field:    "Restart",
			Name:     "restart",
			Value:    "WHEN",
			Values:   []string{"on-failure", "always", "no"},
			Editable: true,
			Usage:    "start it again when it ends: " + RestartPolicies + " (N times)",
			Argument: &JobArgument{Name: "restart", Description: "Start it again when it ends: " + RestartPolicies},
			Set:      setRestart,
			Typed:    func(s Spec) []string { return unlessZero(s.Restart, s.Restart) },
			check: func(s Spec, given bool) (string, string) {
				if given && hostname.OnCluster(s.Host) {
					return "{restart} cannot be used for jobs on a cluster", "run a loop there: while ! COMMAND; do sleep 1; done"
				}
				if _, err := record.ParseRestart(s.Restart); err != nil {
					return fmt.Sprintf("the restart policy %q", s.Restart), "use " + RestartPolicies
				}
				return "", ""
			},
		},
		{
			Field:    "RestartPause",
			Name:     "restart-pause",
			Value:    "DUR",
			Editable: true,
			Usage:    "pause before each restart (default 1s, doubling to 1m)",
			Argument: &JobArgument{
				Name:        "restartPause",
				Aliases:     []string{"restart_pause"},
				Description: "Pause before each restart, for example 5s (default: 1s, doubling up to 1m)",
			},
			Set:   func(s *Spec, v string) (err error) { s.RestartPause, err = units.ParseDuration(v); return err },
			Typed: func(s Spec) []string { return unlessZero(s.RestartPause, units.DurationText(s.RestartPause)) },
			check: func(s Spec, given bool) (string, string) {
				switch {
				case s.RestartPause < 0:
					return "a negative pause before restarts", "use a duration such as 5s"
				case given && s.Restart == "":
					return "{restart-pause} requires {restart}", "add {restart} on-failure, or remove {restart-pause}"
				}
				return "", ""
			},
		},
		{
			Field:    "Timeout",
			Name:     "timeout",
			Value:    "DUR",
			Editable: true,
			Usage:    "kill it after this long, in the background too",
			Set:      func(s *Spec, v string) (err error) { s.Timeout, err = units.ParseDuration(v); return err },
			Typed:    func(s Spec) []string { return unlessZero(s.Timeout, units.DurationText(s.Timeout)) },
			check: func(s Spec, _ bool) (string, string) {
				if s.Timeout < 0 {
					return "a negative timeout", "0 is none"
				}
				return "", ""
			},
		},
		{
			Field:    "StopSignal",
			Name:     "stop-signal",
			Value:    "SIGNAL",
			Editable: true,
			Values:   []string{"SIGINT", "SIGTERM", "SIGQUIT", "SIGHUP"},
			Usage:    "signal that hob kill sends first (default: SIGTERM)",
			Argument: &JobArgument{
				Name:        "stopSignal",
				Aliases:     []string{"stop_signal"},
				Description: "Signal that asks it to end (default: SIGTERM)",
			},
			Set:   func(s *Spec, v string) (err error) { s.StopSignal, err = parseStopSignal(v); return err },
			Typed: func(s Spec) []string { return unlessZero(s.StopSignal, s.StopSignal) },
			check: checkStopSignal,
		},
		{
			Field:    "StopCommand",
			Name:     "stop-command",
			Value:    "CMD",
			Editable: true,
			Usage:    "shell command that hob kill runs before it sends a signal",
			Argument: &JobArgument{
				Name:        "stopCommand",
				Aliases:     []string{"stop_command"},
				Description: "Shell command that ends it, run before the stop signal",
			},
			Set:   func(s *Spec, v string) (err error) { s.StopCommand, err = notEmpty(v); return err },
			Typed: func(s Spec) []string { return unlessZero(s.StopCommand, s.StopCommand) },
			check: func(s Spec, given bool) (string, string) {
				if given && hostname.OnCluster(s.Host) {
					return "{stop-command} cannot be used for jobs on a cluster", "let the command handle SIGTERM"
				}
				return "", ""
			},
		},
		{
			Field:    "Health",
			Name:     "health",
			Value:    "CHECK",
			Editable: true,
			Usage:    "check its health with a shell command, http://… or :PORT",
			Argument: &JobArgument{Name: "health", Description: "Health check while it runs: a shell command, http://… or :PORT"},
			Set:      func(s *Spec, v string) (err error) { s.Health.Check, err = notEmpty(v); return err },
			Typed:    func(s Spec) []string { return unlessZero(s.Health.Check, s.Health.Check) },
			check:    checkHealth,
		},
		{
			Field:    "Health",
			Name:     "health-every",
			Value:    "DUR",
			Editable: true,
			Usage:    "pause between two health checks (default 10s)",
			Argument: &JobArgument{
				Name:        "healthEvery",
				Aliases:     []string{"health_every"},
				Description: "With health: pause between two checks, for example 5s (default: 10s)",
			},
			Set: func(s *Spec, v string) error {
				every, err := units.ParseDuration(v)
				s.Health.Every = record.InMilliseconds(every)
				return err
			},
			Typed: func(s Spec) []string {
				return unlessZero(s.Health.Every, units.DurationText(s.Health.Every.Duration()))
			},
			check: needsHealth("health-every"),
		},
		{
			Field:    "Health",
			Name:     "health-failures",
			Value:    "N",
			Editable: true,
			Usage:    "failed checks in a row until it is unhealthy (default 3)",
			Argument: &JobArgument{
				Name:        "healthFailures",
				Aliases:     []string{"health_failures"},
				Number:      true,
				Description: "With health: failed checks in a row until it is unhealthy (default: 3)",
			},
			Set: func(s *Spec, v string) (err error) {
				s.Health.Failures, err = strconv.Atoi(v)
				if err != nil || s.Health.Failures < 1 {
					return errors.New("use a number from 1")
				}
				return nil
			},
			Typed: func(s Spec) []string { return unlessZero(s.Health.Failures, strconv.Itoa(s.Health.Failures)) },
			check: needsHealth("health-failures"),
		},
		{
			Field:    "Env",
			Name:     "env",
			Short:    "e",
			Value:    "NAME[=VALUE]",
			Repeated: true,
			Editable: true,
			Usage:    "set a variable, or pass NAME through",
			Set:      addVariable,
			Typed:    typedVariables,
			check:    checkVariables,
		},
		{
			Field:    "PTY",
			Name:     "pty",
			Excludes: []string{"no-pty"},
			Editable: true,
			Usage:    "allocate a terminal even if stdout is not one",
			Argument: &JobArgument{Name: "pty", Description: "Allocate a terminal, for full-screen programs"},
			Set:      func(s *Spec, _ string) error { s.PTY = true; return nil },
		},
		{
			Field:    "PTY",
			Name:     "no-pty",
			Editable: true,
			Usage:    "do not allocate a terminal",
			Set:      func(s *Spec, _ string) error { s.PTY = false; return nil },
		},
		{
			Field:    "Stdin",
			Name:     "stdin",
			Excludes: []string{"pty"},
			Editable: true,
			Usage:    "keep stdin open for hob write (without a terminal)",
			Set:      func(s *Spec, _ string) error { s.Stdin = true; return nil },
		},
		{
			Field:    "Split",
			Name:     "split",
			Excludes: []string{"pty"},
			Editable: true,
			Usage:    "log stdout and stderr separately (no terminal)",
			Argument: &JobArgument{Name: "split", Description: "Keep stdout and stderr in separate logs"},
			Set:      func(s *Spec, _ string) error { s.Split = true; return nil },
		},
		{
			Field:    "Size",
			Name:     "size",
			Value:    "COLSxROWS",
			Excludes: []string{"no-pty", "split"},
			Editable: true,
			Usage:    "terminal size (default: this terminal's, else 120x40)",
			Set: func(s *Spec, v string) (err error) {
				s.Size.Cols, s.Size.Rows, err = units.ParseSize(v)
				return err
			},
			check: func(s Spec, _ bool) (string, string) {
				if s.Size != (Size{}) && !isScreen(s.Size) {
					return fmt.Sprintf("a screen of %dx%d", s.Size.Cols, s.Size.Rows), "both dimensions must be from 1 to 4096"
				}
				return "", ""
			},
		},
		{
			Field:    "LogLimit",
			Name:     "log-limit",
			Value:    "BYTES",
			Editable: true,
			Usage:    "maximum log size (at least " + units.BytesText(MinLogLimit) + ")",
			Set: func(s *Spec, v string) (err error) {
				if s.LogLimit, err = units.ParseBytes(v); err == nil && s.LogLimit < MinLogLimit {
					return errors.New("it must be at least " + units.BytesText(MinLogLimit))
				}
				return err
			},
			check: func(s Spec, _ bool) (string, string) { return checkLogLimit(s.LogLimit) },
		},
		{
			Field:    "Notify",
			Name:     "notify",
			Editable: true,
			Usage:    "notify when it ends",
			Set:      func(s *Spec, _ string) error { s.Notify = true; return nil },
			Typed:    func(s Spec) []string { return unlessZero(s.Notify, "") },
			check: func(s Spec, given bool) (string, string) {
				if given && hostname.OnCluster(s.Host) {
					return "{notify} cannot be used for jobs on a cluster", "wait for the job here, and notify then"
				}
				return "", ""
			},
		},
		{
			Field:    "Revive",
			Name:     "revive",
			Editable: true,
			Usage:    "mark it for hob revive --marked, after a reboot",
			Set:      func(s *Spec, _ string) error { s.Revive = true; return nil },
			Typed:    func(s Spec) []string { return unlessZero(s.Revive, "") },
		},
		{
			Field:    "Host",
			Name:     "on",
			Value:    "HOST",
			Usage:    "run it on HOST over SSH (any name ssh accepts), or slurm:LOGIN",
			Argument: &JobArgument{Name: "host", Description: "Run on this host over SSH; slurm:LOGIN: on the cluster with this login node"},
			Set:      func(s *Spec, v string) (err error) { s.Host, err = notEmpty(v); return err },
		},
		{
			Field:    "SchedulerArgs",
			Name:     "sbatch",
			Value:    "OPTIONS",
			Repeated: true,
			Usage:    "with --on slurm:LOGIN: options for sbatch, separated by spaces",
			Argument: &JobArgument{Name: "sbatch", Description: "With host slurm:LOGIN: options for sbatch, separated by spaces"},
			Set: func(s *Spec, v string) error {
				words, ok := shellword.Fields(v)
				if !ok {
					return errors.New("unclosed quote, or a backslash at the end; close the quote, or escape it with a backslash")
				}
				s.SchedulerArgs = append(s.SchedulerArgs, words...)
				return nil
			},
			check: func(s Spec, given bool) (string, string) {
				if given && !hostname.OnCluster(s.Host) {
					return "{sbatch} is for jobs on a cluster", "with {on}, name its login node, for example slurm:login1"
				}
				return "", ""
			},
		},
		{
			Field: "Dir",
			Name:  "dir",
			Short: "C",
			Value: "DIR",
			Usage: "run it in this directory",
			Set:   func(s *Spec, v string) error { s.Dir = v; return nil },
		},
		{
			Field:    "Queue",
			Name:     "queue",
			Value:    "NAME",
			Default:  queue.Default,
			Usage:    "start it when this queue has a free slot (without NAME: " + queue.Default + ")",
			Argument: &JobArgument{Name: "queue", Description: "Start it when this queue has a free slot (usually one), for example " + queue.Default},
			Set:      func(s *Spec, v string) (err error) { s.Queue, err = notEmpty(v); return err },
			check: func(s Spec, _ bool) (string, string) {
				switch {
				case s.Queue == "":
				case hostname.OnCluster(s.Host):
					return "{queue} cannot be used for jobs on a cluster", "name a partition of the cluster: {sbatch} '-p PARTITION'"
				case !queue.ValidName(s.Queue):
					return fmt.Sprintf("%q cannot be the name of a queue", s.Queue), queue.NameHint
				}
				return "", ""
			},
		},
		{
			Field:    "After",
			Name:     "after",
			Value:    "ID",
			Repeated: true,
			Usage:    "start it when job ID has exited with 0; repeatable",
			Argument: &JobArgument{
				Name:        "after",
				List:        true,
				Description: "Start it once these jobs have exited with 0",
			},
			Set: func(s *Spec, v string) error { s.After = append(s.After, ID(v)); return nil },
		},
		{
			Field:    "AfterAny",
			Name:     "after-any",
			Value:    "ID",
			Repeated: true,
			Usage:    "start it when job ID has ended in any way; repeatable",
			Argument: &JobArgument{
				Name:        "afterAny",
				Aliases:     []string{"after_any"},
				List:        true,
				Description: "The same, whatever their exit code",
			},
			Set: func(s *Spec, v string) error { s.AfterAny = append(s.AfterAny, ID(v)); return nil },
		},
		{
			Field: "Script",
			Name:  "script",
			Short: "c",
			Value: "SCRIPT",
			Usage: "run this shell script instead of CMD",
			Set:   func(s *Spec, v string) error { s.Script = v; return nil },
		},
	}
}
