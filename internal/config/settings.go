package config

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/themes"
)

const day = 24 * time.Hour

// defaults returns the settings as they are without file and environment.
func defaults() *Config {
	all := Means{Bell: true, OSC: true, Title: true}
	return &Config{
		Run:    Run{AfterBackground: "panes", Size: Size{Cols: 120, Rows: 40}, Grace: 5 * time.Second},
		Log:    Log{Limit: units.GiB, Follow: true},
		Keep:   Keep{Finished: 7 * day, Jobs: 500, Bytes: 10 * units.GiB},
		Notify: Notify{Waiting: all, Failed: all, Finished: all},
		Agent: Agent{
			Yield: 20 * time.Second, Timeout: 30 * time.Minute, TTL: 7 * day, MaxOutputChars: 200_000,
		},
		UI:    UI{Mouse: true},
		Theme: Theme{Name: "terminal", Mode: "auto", Tokens: map[string]string{}},
		Hosts: map[string]Host{},
	}
}

func defaultHost() Host { return Host{Transport: "auto", ConnectTimeout: 10 * time.Second} }

// table lists every setting of fixed name, bound to c, section by section.
func table(c *Config) []*setting {
	return []*setting{
		choice("run.after_background", &c.Run.AfterBackground,
			"where the key that backgrounds a job leads", "panes", "shell"),
		cells("run.size", &c.Run.Size, "size of a job's terminal where the caller has none"),
		duration("run.grace", &c.Run.Grace, 0, time.Hour, "from the polite signal to SIGKILL"),
		duration("run.timeout", &c.Run.Timeout, 0, 365*day, "a job is killed after that long; 0s: never"),

		size("log.limit", &c.Log.Limit, 2*units.MiB, "how large one log may grow before its oldest part is dropped"),
		flag("log.follow", &c.Log.Follow, "follow the output of a running job"),
		flag("log.wrap", &c.Log.Wrap, "wrap long lines"),
		flag("log.timestamps", &c.Log.Timestamps, "show the time of each line"),
		flag("log.line_numbers", &c.Log.LineNumbers, "show line numbers"),

		duration("keep.finished", &c.Keep.Finished, time.Minute, 3650*day, "how long a finished job is kept"),
		count("keep.jobs", &c.Keep.Jobs, bounds{lo: 1, hi: 1_000_000}, "how many finished jobs are kept"),
		size("keep.bytes", &c.Keep.Bytes, units.MiB, "how much room finished jobs may take together"),

		command("notify.command", &c.Notify.Command,
			"run at the end of a job that nobody watches").taking("a line for sh, or a list of words"),
		means("notify.waiting", &c.Notify.Waiting, "how it asks for you when a job waits for input"),
		means("notify.failed", &c.Notify.Failed, "the same when a job fails"),
		means("notify.finished", &c.Notify.Finished, "the same when a job ends well"),

		ticks("agent.yield_ms", &c.Agent.Yield, time.Millisecond, bounds{lo: 10, hi: 120_000, orZero: true},
			"an agent's command goes to the background after that many milliseconds; 0: at once").
			in("HOB_YIELD_MS", "PI_BASH_YIELD_MS"),
		ticks("agent.timeout_sec", &c.Agent.Timeout, time.Second, bounds{hi: 365 * 24 * 60 * 60},
			"an agent's command is killed after that many seconds; 0: never").in("HOB_TIMEOUT_SEC"),
		ticks("agent.ttl_ms", &c.Agent.TTL, time.Millisecond, bounds{lo: 60_000, hi: int64(3650 * day / time.Millisecond)},
			"an agent's finished jobs are kept that many milliseconds").
			in("HOB_JOB_TTL_MS", "PI_BASH_JOB_TTL_MS"),
		count("agent.max_output_chars", &c.Agent.MaxOutputChars, bounds{lo: 1000, hi: 200_000}, "characters in one answer").
			in("HOB_MAX_OUTPUT_CHARS", "PI_BASH_MAX_OUTPUT_CHARS"),
		flag("agent.aliases", &c.Agent.Aliases, "offer bash_output, bash_background_list and bash_background_terminate too"),

		flag("ui.ascii", &c.UI.ASCII, "no glyphs outside ASCII"),
		flag("ui.reduced_motion", &c.UI.ReducedMotion, "minutes instead of seconds, no traces, no spinners"),
		flag("ui.mouse", &c.UI.Mouse, "take the mouse: wheel, click, selection"),
		text("ui.pager", &c.UI.Pager, "empty: $PAGER, else less"),
		text("ui.editor", &c.UI.Editor, "empty: $VISUAL, else $EDITOR, else vi"),

		choice("theme.name", &c.Theme.Name, "the colours", themes.Names()...),
		choice("theme.mode", &c.Theme.Mode, "what the terminal's background is: auto asks it", "auto", "dark", "light"),
	}
}

// hostTable lists the settings of one host, bound to h.
func hostTable(name string, h *Host) []*setting {
	prefix := "hosts." + keyText(name) + "."
	return []*setting{
		choice(prefix+"transport", &h.Transport, "native never runs the ssh program, openssh always, auto where it is needed", "auto", "native", "openssh"),
		text(prefix+"state_dir", &h.StateDir, "where jobs are kept there; empty: HOB_STATE_DIR or the usual place"),
		duration(prefix+"connect_timeout", &h.ConnectTimeout, time.Second, 10*time.Minute, "how long to wait for the connection"),
	}
}

// Source says where a value came from.
type Source string

// The sources, in the order in which they give way.
const (
	FromDefault Source = "default"
	FromFile    Source = "file"
	FromEnv     Source = "environment"
)

// Origin is where the value of one setting came from.
type Origin struct {
	Source Source
	Line   int    // of the file
	Env    string // the variable
	file   string
}

func (o Origin) String() string {
	switch o.Source {
	case FromFile:
		return fmt.Sprintf("%s:%d", filepath.Base(o.file), o.Line)
	case FromEnv:
		return "$" + o.Env
	}
	return "default"
}

// Problem is one thing that is wrong with the file or the environment.
type Problem struct {
	File    string // empty: the environment
	Line    int    // 0: the file as a whole
	Name    string // the setting, action, token or variable; may be empty
	Message string
}

// Error begins with file and line as compilers do.
func (p Problem) Error() string {
	s := p.Message
	if p.Name != "" {
		s = p.Name + ": " + s
	}
	switch {
	case p.File == "":
		return s
	case p.Line == 0:
		return p.File + ": " + s
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, s)
}
