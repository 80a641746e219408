package project

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/httpget"
	"github.com/hobjobs/hob/internal/shellword"
)

func (p *parser) processCompose(v *value) {
	top := p.fields(v, "")
	top.ignore("version", "description", "is_tui_disabled", "ordered_shutdown",
		"log_location", "log_level", "log_length", "log_configuration", "log_format")
	p.owner = processCompose
	c := compose{
		p:        p,
		shell:    []string{"sh", "-c"},
		elevated: []string{"sudo"},
		dotenv:   p.variables(),
		global:   map[string]string{},
		replicas: map[string]int{},
	}
	if bash, err := exec.LookPath("bash"); err == nil && bash != "" {
		c.shell[0] = "bash"
	}
	c.verbatim = p.truth(top.get("disable_env_expansion"), "disable_env_expansion")
	p.expand = c.expand
	c.vars = c.templateVars(top.object("vars")).with(nil, 0)
	c.current = c.vars
	p.isLenient = !p.truth(top.get("is_strict"), "is_strict")
	if shell := top.object("shell"); shell.v != nil {
		c.shell = []string{shell.text("shell_command"), cmp.Or(shell.text("shell_argument"), "-c")}
		c.elevated = []string{shell.text("elevated_shell_command"), shell.text("elevated_shell_argument")}
		if c.elevated[0] == "" {
			c.elevated = []string{"sudo"}
		}
		if c.shell[0] == "" {
			p.fail(shell.v.line, "shell has no shell_command, so no process can be started")
		}
		shell.rest()
	}
	p.environment(top.get("environment"), "environment", c.global)
	p.extendProcesses(top.get("processes"))
	processes := p.fields(top.get("processes"), "processes")
	if processes.v != nil {
		for _, f := range processes.v.fields {
			p.add(c.process(f.name, f.line, processes.object(f.name), 0))
		}
	}
	top.rest()
	for name, n := range c.replicas {
		p.plan.replace(name, n, func(i int) string {
			return fmt.Sprintf("%s-%0*d", name, len(strconv.Itoa(n)), i)
		})
	}
	c.renderReplicas(processes)
	c.dropUnknownNeeds()
	c.checkHealth()
	c.checkLogFiles()
}

// checkLogFiles notes the log files that commands and probes of the file read: hob does not write them.
func (c *compose) checkLogFiles() {
	for _, log := range c.logFiles {
		name := filepath.Base(log.text)
		isRead := slices.ContainsFunc(c.p.plan.Processes, func(p Process) bool {
			return strings.Contains(p.Script+"\n"+p.Ready.Probe.Script+"\n"+p.Health.Script, name)
		})
		if isRead {
			c.p.note(log.line, "log_location: hob does not write %s, which a command of the file uses; the output is in hob log", log.text)
		}
	}
}

// renderReplicas reads the processes with replicas again for each of them: templates may have its number.
func (c *compose) renderReplicas(processes *fields) {
	for i := range c.p.plan.Processes {
		proc := &c.p.plan.Processes[i]
		if proc.Copy < 2 {
			continue
		}
		own := c.process(proc.Base, proc.Line, processes.object(proc.Base), proc.Copy-1)
		own.Name, own.Base, own.Copy, own.Needs = proc.Name, proc.Base, proc.Copy, proc.Needs
		*proc = own
	}
}

// templateVars reads an object of variables for templates.
func (c *compose) templateVars(f *fields) templateVars {
	vars := templateVars{}
	if f.v != nil {
		for _, v := range f.v.fields {
			vars[v.name] = f.text(v.name)
		}
	}
	return vars
}

// expand replaces the templates and the variables in a text of the file.
func (c *compose) expand(s string) (string, error) {
	s, ok := c.render(s)
	switch {
	case !ok:
		return s, errTemplate
	case c.verbatim:
		return s, nil
	}
	return expandEnv(s, c.lookup)
}

var errTemplate = errors.New("templates other than {{.NAME}} with a name of vars, and {{or A B}}, are not supported")

func (c *compose) render(s string) (rendered string, ok bool) {
	return c.current.render(s, func(text string) bool {
		if !c.verbatim {
			text, _ = expandEnv(text, c.lookup) // an error has text, too
		}
		return text == ""
	})
}

// dropUnknownNeeds notes needs of processes that the files do not describe. process-compose only logs them, unless
// the file is strict.
func (c *compose) dropUnknownNeeds() {
	if !c.p.isLenient {
		return
	}
	for i := range c.p.plan.Processes {
		proc := &c.p.plan.Processes[i]
		proc.Needs = slices.DeleteFunc(proc.Needs, func(n Need) bool {
			isUnknown := c.p.plan.find(n.Name) == nil
			if isUnknown {
				c.p.note(n.Line, "%s does not wait for %q, which the file does not describe", proc.base(), n.Name)
			}
			return isUnknown
		})
	}
}

type compose struct {
	p        *parser
	shell    []string
	elevated []string          // what processes with more rights are run with
	verbatim bool              // variables are not expanded
	vars     templateVars      // of all processes
	current  templateVars      // of the process that is read
	dotenv   []envFile         // variables of all processes, from files
	global   map[string]string // likewise, from the file itself
	replicas map[string]int    // of processes with more than one
	logFiles []value           // of processes; they are not written
}

// lookup returns the value of a variable for the texts of the file.
func (c *compose) lookup(name string) (string, bool) {
	if s, ok := c.p.lookup(name); ok {
		return s, true
	}
	for _, f := range slices.Backward(c.dotenv) {
		if s, ok := f.env[name]; ok {
			return s, true
		}
	}
	return "", false
}

func (c *compose) process(name string, line int, f *fields, replica int) Process {
	f.ignore("description", "is_tty", "is_interactive", "disable_ansi_colors",
		"log_location", "log_configuration", "truncate_log", "monitor_for", "monitor_silence_threshold",
		"launch_timeout_seconds") // how long the output of a daemon's command is read
	c.current = c.vars.with(c.templateVars(f.object("vars")), replica)
	proc := c.p.process(name, line)
	proc.Shell = c.shell
	if f.truth("is_template_disabled") {
		proc.Script = c.shellText(f.raw("command"))
	} else {
		proc.Script = c.command(f)
	}
	if dir := f.text("working_dir"); dir != "" {
		proc.Dir = c.p.path(dir)
	}
	list := f.texts("entrypoint")
	switch {
	case len(list) == 0:
	case proc.Script != "":
		c.p.note(f.line("entrypoint"), "%s is not used beside command", f.path("entrypoint"))
	default:
		proc.Shell, proc.Command = nil, list
	}
	if log := f.peek("log_location"); log != nil {
		c.logFiles = append(c.logFiles, value{line: log.line, text: c.p.text(log, f.path("log_location"))})
	}
	if !proc.Runs() {
		c.p.fail(line, "%s has no command", f.at)
	}
	if f.truth("is_elevated") {
		c.elevate(&proc)
	}
	proc.Successes = c.successCodes(f)
	if !f.truth("is_dotenv_disabled") {
		proc.addFiles(c.dotenv)
	}
	if file := f.text("env_file"); file != "" {
		if !filepath.IsAbs(file) {
			file = filepath.Join(proc.Dir, file)
		}
		proc.addEnv(c.p.dotenv(file), c.p.shown(file))
	}
	proc.addEnv(c.global, "")
	own := map[string]string{}
	c.p.environment(f.get("environment"), f.path("environment"), own)
	proc.addEnv(own, "")
	proc.OnRequest = f.truth("disabled") || f.truth("is_foreground") || c.isScheduled(f)
	c.needs(&proc, f.object("depends_on"))
	c.restart(&proc, f.object("availability"))
	c.ready(&proc, f)
	c.liveness(&proc, f.object("liveness_probe"))
	proc.IsDaemon = f.truth("is_daemon")
	c.stop(&proc, f.object("shutdown"))
	proc.IsReplica = true
	if n := f.number("replicas"); n > maxCopies {
		c.p.fail(f.line("replicas"), "%s: there can be %d at most", f.path("replicas"), maxCopies)
	} else if n > 1 {
		c.replicas[name] = n
	}
	f.rest()
	return proc
}

// command returns the script of a process. Its variables are left to the shell, so that values do not
// become part of the command, which is recorded and shown.
func (c *compose) command(f *fields) string {
	script, ok := c.render(f.raw("command"))
	if !ok {
		c.p.note(f.line("command"), "%s: %v", f.path("command"), errTemplate)
	}
	return c.shellText(script)
}

// shellText returns a script as the shell gets it.
func (c *compose) shellText(script string) string {
	if c.verbatim {
		return script
	}
	return strings.ReplaceAll(script, "$$", "$")
}

// stop sets how the process is asked to end. Its command is run by the shell of the file.
func (c *compose) stop(proc *Process, f *fields) {
	proc.Shutdown.Grace = f.seconds("timeout_seconds")
	proc.Shutdown.Signal = c.p.signal(f.get("signal"), f.path("signal"))
	if f.get("command") != nil {
		proc.Shutdown.Command = shellword.Join(append(slices.Clone(c.shell), c.command(f)))
		if proc.IsDaemon {
			proc.Shutdown.Command += endsLasting
		}
	}
	if f.truth("parent_only") {
		c.p.note(f.line("parent_only"), "%s is not supported; all processes get the signal", f.path("parent_only"))
	}
	f.rest()
}

func (c *compose) needs(proc *Process, on *fields) {
	if on.v == nil {
		return
	}
	for _, dep := range on.v.fields {
		f := on.object(dep.name)
		need := Need{Name: dep.name, Line: dep.line}
		switch condition := f.text("condition"); condition {
		case "process_started", "":
		case "process_completed":
			need.Until = Completed
		case "process_completed_successfully":
			need.Until = Succeeded
		case "process_healthy", "process_log_ready":
			need.Until = IsReady
		default:
			c.p.fail(f.line("condition"), "unknown condition %q", condition)
		}
		f.rest()
		proc.Needs = append(proc.Needs, need)
	}
}

func (c *compose) restart(proc *Process, f *fields) {
	limit := f.number("max_restarts")
	switch policy := f.text("restart"); policy {
	case "":
	case "no", "false":
		proc.NoRestart = true
	case "always":
		proc.Restart = "always"
	case "on_failure", "on-failure":
		proc.Restart = "on-failure"
	case "exit_on_failure":
		proc.NoRestart, proc.EndsAll.OnFailure = true, true
	default:
		c.p.fail(f.line("restart"), "unknown restart policy %q", policy)
	}
	if limit > 0 && proc.Restart != "" {
		proc.Restart += ":" + strconv.Itoa(limit)
	}
	proc.Backoff = f.seconds("backoff_seconds")
	proc.EndsAll.OnEnd = f.truth("exit_on_end")
	proc.EndsAll.OnSkipped = f.truth("exit_on_skipped")
	f.rest()
}

// ready sets how to find out that the process is ready.
func (c *compose) ready(proc *Process, f *fields) {
	if line := f.text("ready_log_line"); line != "" {
		if _, err := regexp.Compile(line); err != nil {
			c.p.note(f.line("ready_log_line"), "%s is not a regular expression that hob understands", f.path("ready_log_line"))
		} else {
			proc.Ready.Line = line
		}
	}
	f = f.object("readiness_probe")
	proc.Ready.Probe = c.probe(proc, f)
	if attempts := proc.Ready.Probe.Failures; attempts > 0 {
		// Without a period hob tries more often than process-compose, so it counts the time of the attempts.
		each := cmp.Or(f.seconds("period_seconds"), 10*time.Second) + cmp.Or(f.seconds("timeout_seconds"), time.Second)
		proc.Ready.Limit = proc.Ready.Probe.Delay + time.Duration(min(attempts, maxAttempts))*each
	}
}

// maxAttempts limits the attempts of a probe.
const maxAttempts = 10_000

// The times of a probe for which the file has none.
const (
	execEvery    = time.Second
	getEvery     = 200 * time.Millisecond
	probeTimeout = 10 * time.Second
)

// probe reads a probe of a process. The result does not exist if hob cannot carry it out.
func (c *compose) probe(proc *Process, f *fields) Probe {
	probe := Probe{
		Delay:     f.seconds("initial_delay_seconds"),
		Every:     cmp.Or(f.seconds("period_seconds"), execEvery),
		Timeout:   cmp.Or(f.seconds("timeout_seconds"), probeTimeout),
		Successes: f.number("success_threshold"),
		Failures:  f.number("failure_threshold"),
	}
	if run := f.object("exec"); run.v != nil {
		probe.Script, probe.Dir = c.command(run), proc.Dir
		if dir := run.text("working_dir"); dir != "" {
			probe.Dir = c.p.path(dir)
		}
		run.rest()
	}
	if get := f.object("http_get"); get.v != nil {
		probe.Get, probe.Code = c.httpGet(get), get.number("status_code")
		probe.Every = cmp.Or(f.seconds("period_seconds"), getEvery)
		get.rest()
	}
	f.rest()
	if !probe.exists() {
		return Probe{}
	}
	return probe
}

// liveness sets the health check of the process, which the holder of its job carries out, and notes what
// that cannot do.
func (c *compose) liveness(proc *Process, f *fields) {
	proc.Health = c.probe(proc, f)
	if proc.Health.exists() && f.seconds("period_seconds") == 0 {
		proc.Health.Every = record.HealthEvery
	}
	switch {
	case !proc.Health.exists():
		return
	case proc.Health.Get != nil && len(proc.Health.Get.Header) > 0:
		c.p.note(f.line("http_get"), "%s: headers are not supported; exec with curl can send them", f.path("http_get"))
	case proc.Restart == "":
		c.p.note(f.line("liveness_probe"), "%s: the process has no restart policy, so it is not started again; hob shows that it is unhealthy", f.at)
	}
}

// httpGet reads what a probe asks for; nil if hob cannot ask that.
func (c *compose) httpGet(f *fields) *httpget.Target {
	t := &httpget.Target{Host: f.text("host"), Path: f.text("path"), Header: map[string]string{}}
	scheme := f.text("scheme")
	if headers := f.object("headers"); headers.v != nil {
		for _, h := range headers.v.fields {
			t.Header[h.name] = headers.text(h.name)
		}
	}
	var err error
	t.Port, err = strconv.Atoi(cmp.Or(f.text("port"), f.text("num_port")))
	if err != nil || t.Port < 1 || t.Port > 65535 {
		c.p.note(f.line("port"), "%s: the port is not a number, so the probe is ignored", f.at)
		return nil
	}
	if scheme != "" && !strings.EqualFold(scheme, "http") {
		c.p.note(f.line("scheme"), "%s: %s is not supported, so the probe is ignored; exec with curl can ask it", f.at, scheme)
		return nil
	}
	if t.Path != "" && !strings.HasPrefix(t.Path, "/") {
		t.Path = "/" + t.Path
	}
	return t
}

// checkHealth notes needs that cannot be waited for.
func (c *compose) checkHealth() {
	for _, proc := range c.p.plan.Processes {
		for i, n := range proc.Needs {
			other := c.p.plan.find(n.Name)
			if n.Until == IsReady && other != nil && !other.Ready.shown() {
				proc.Needs[i].Until = Started
				c.p.note(n.Line, "%s", unknownReady(proc.base(), n.Name))
			}
		}
	}
}

// unknownReady is the note for a need that cannot be waited for.
func unknownReady(name, need string) string {
	return fmt.Sprintf("%s does not wait until %s is ready: nothing in the file shows it", name, need)
}
