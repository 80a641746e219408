package project

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/hobjobs/hob/internal/shellword"
)

// tasks parses a tasks.json of Visual Studio Code. Tasks in the background, and those that run when
// the folder opens, are started; the others, such as builds and deployments, only if they are named or
// needed.
func (p *parser) tasks(v *value) {
	top := p.fields(v, "")
	top.ignore("presentation", "problemMatcher", "echoCommand", "$schema")
	if version := cmp.Or(top.text("version"), "2.0.0"); version != "2.0.0" {
		p.fail(top.line("version"), "version %s of tasks.json is not supported", version)
	}
	p.expand = p.expandTask
	t := tasks{p: p, background: map[string]bool{}, env: p.givenVariables()}
	p.unexpanded = func(_ int, err error) { t.missing = err.Error() }
	t.defaults = append(system(v), *v)
	p.readInputs(top.get("inputs"))
	top.ignore("options", "type", "linux", "osx", "windows")
	list := top.get("tasks")
	if list != nil && list.kind != listValue {
		p.fail(list.line, "tasks must be a list")
	} else if list != nil {
		for i := range list.items {
			t.task(&list.items[i], fmt.Sprintf("tasks[%d]", i))
		}
	}
	top.rest()
	t.resolveNeeds()
}

type tasks struct {
	p          *parser
	defaults   []value         // objects whose options and type hold for all tasks
	background map[string]bool // the tasks in the background
	env        []envFile
	sequences  []step
	missing    string // why the current task cannot run outside of the editor
}

// systemName returns the field with what holds for this system alone.
func systemName() string {
	switch runtime.GOOS {
	case "darwin":
		return "osx"
	case "windows":
		return "windows"
	}
	return "linux"
}

// system returns the object of v for this system, if there is one.
func system(v *value) []value {
	if own := v.get(systemName()); own.is(objectValue) {
		return []value{*own}
	}
	return nil
}

// merge returns an object with the fields of all objects; the first one with a field counts. Options
// are merged field by field.
func merge(objects []value, only ...string) *value {
	merged := value{kind: objectValue, line: objects[0].line}
	for _, v := range objects {
		for _, f := range v.fields {
			if len(only) > 0 && !slices.Contains(only, f.name) {
				continue
			}
			at := slices.IndexFunc(merged.fields, func(m field) bool { return m.name == f.name })
			switch {
			case at < 0:
				merged.fields = append(merged.fields, f)
			case f.name == "options", f.name == "env":
				have := &merged.fields[at].value
				if have.is(objectValue) && f.value.is(objectValue) {
					*have = *merge([]value{*have, f.value})
				}
			}
		}
	}
	return &merged
}

func (t *tasks) task(v *value, at string) {
	p := t.p
	if v.kind != objectValue {
		p.fail(v.line, "%s must be an object", at)
		return
	}
	t.missing, p.asks = "", nil
	own := append(system(v), *v)
	f := p.fields(merge(append(own, *merge(t.defaults, "options", "type"))), at)
	f.v.line = v.line
	f.ignore("group", "presentation", "detail", "icon", "hide", "promptOnClose", "linux", "osx", "windows")
	proc := p.process(f.text("label"), v.line)
	proc.addFiles(t.env)
	if proc.Name == "" {
		proc.Name = f.text("taskName")
	}
	options := f.object("options")
	if dir := options.text("cwd"); dir != "" {
		proc.Dir = p.path(dir)
	}
	proc.Unset = p.environment(options.get("env"), options.path("env"), proc.Env)
	known := t.command(&proc, f, options.object("shell"))
	options.rest()
	run := f.object("runOptions")
	run.ignore("instanceLimit", "reevaluateOnRerun", "instancePolicy")
	background := f.truth("isBackground")
	switch run.text("runOn") {
	case "folderOpen":
	case "default":
		proc.OnRequest = true
	default:
		proc.OnRequest = !background
	}
	run.rest()
	t.needs(&proc, f)
	t.ready(&proc, f.get("problemMatcher"), f.path("problemMatcher"))
	switch {
	case t.missing != "":
		p.note(v.line, "%q is left out: %s", proc.Name, t.missing)
		return
	case !known:
		return
	case !proc.Runs() && len(proc.Needs) == 0:
		p.note(v.line, "%q is left out: it has no command", proc.Name)
		return
	}
	f.rest()
	proc.Asks = p.asks
	t.background[proc.Name] = background
	p.add(proc)
}

// command sets the command of a task. It reports false for a type of task that only an extension of
// the editor runs.
func (t *tasks) command(proc *Process, f, shell *fields) bool {
	p := t.p
	kind := f.text("type")
	if kind == "npm" {
		script := f.text("script")
		proc.Command = []string{"npm", "run", script}
		if dir := f.text("path"); dir != "" {
			proc.Dir = filepath.Join(proc.Dir, dir)
		}
		if proc.Name == "" {
			proc.Name = "npm: " + script
		}
		return true
	}
	command, quoted := t.word(f.get("command"), f.path("command"))
	if proc.Name == "" {
		proc.Name = command
	}
	var words []string
	args := f.get("args")
	if args != nil && args.kind != listValue {
		p.fail(args.line, "%s must be a list", f.path("args"))
		args = nil
	}
	switch kind {
	case "process":
		proc.Command = []string{command}
		if args != nil {
			proc.Command = append(proc.Command, p.texts(args, f.path("args"))...)
		}
		if command == "" {
			proc.Command = nil
		}
		return true
	case "shell", "":
		words = []string{quoted}
		if args != nil {
			for i := range args.items {
				_, word := t.word(&args.items[i], f.path("args"))
				words = append(words, word)
			}
		}
		proc.Script = strings.TrimSpace(strings.Join(words, " "))
		if program := shell.text("executable"); program != "" {
			proc.Shell = append([]string{program}, shell.texts("args")...)
			if len(proc.Shell) == 1 {
				proc.Shell = append(proc.Shell, "-c")
			}
		}
		shell.rest()
		return true
	}
	p.note(f.v.line, "%q is left out: only the editor runs tasks of the type %s", cmp.Or(proc.Name, f.at), kind)
	return false
}

// isBrokenByVariable reports whether the value of a variable, such as a directory, brought the first space into a
// word. The editor quotes it then.
func isBrokenByVariable(text, expanded string) bool {
	return !strings.Contains(text, " ") && strings.Contains(expanded, " ") && !strings.ContainsAny(text[:1], `'"`)
}

// word returns a command or an argument, as it is and as it appears on the command line of a shell:
// quoted as the file says, or if it contains a space.
func (t *tasks) word(v *value, at string) (plain, quoted string) {
	if !v.is(objectValue) {
		s := t.p.text(v, at)
		switch {
		case v == nil:
			return s, s
		case s == "", isBrokenByVariable(v.text, s):
			return s, shellword.Quote(s)
		case strings.HasSuffix(at, "command"), strings.ContainsAny(s[:1], `'"`): // as the shell reads it
			return s, s
		case strings.ContainsAny(s, " \t\n"):
			return s, shellword.Quote(s)
		}
		return s, s
	}
	f := t.p.fields(v, at)
	s := strings.Join(f.texts("value"), " ")
	how := f.text("quoting")
	f.rest()
	if how == "weak" {
		return s, `"` + strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(s) + `"`
	}
	return s, shellword.Quote(s)
}

// needs sets what a task waits for. Until is set by resolveNeeds, when all tasks are known.
func (t *tasks) needs(proc *Process, f *fields) {
	sequence := f.text("dependsOrder") == "sequence"
	on := f.get("dependsOn")
	if on == nil {
		return
	}
	names := []value{*on}
	if on.kind == listValue {
		names = on.items
	}
	at := f.path("dependsOn")
	for i := range names {
		v := &names[i]
		name := ""
		if v.kind == objectValue { // the task of an extension, such as {"type": "npm", "script": "watch"}
			d := t.p.fields(v, at)
			name = d.text("type") + ": " + d.text("script")
			d.rest()
		} else {
			name = t.p.text(v, at)
		}
		if i > 0 && sequence {
			t.sequences = append(t.sequences, step{proc.Needs[i-1].Name, name, v.line})
		}
		proc.Needs = append(proc.Needs, Need{Name: name, Line: v.line})
	}
}

// step is a task that another one has to wait for if both are started.
type step struct {
	before, after string
	line          int
}

// resolveNeeds completes the needs of all tasks.
func (t *tasks) resolveNeeds() {
	plan := t.p.plan
	t.addScripts()
	for left := -1; left != len(plan.Processes); { // until no task is left out because of another one
		left = len(plan.Processes)
		plan.Processes = slices.DeleteFunc(plan.Processes, func(proc Process) bool {
			for _, n := range proc.Needs {
				if plan.find(n.Name) == nil {
					t.p.note(n.Line, "%q is left out: it depends on %q, which hob cannot start", proc.Name, n.Name)
					return true
				}
			}
			return false
		})
	}
	for _, s := range t.sequences {
		if proc := plan.find(s.after); proc != nil && plan.find(s.before) != nil {
			proc.Needs = append(proc.Needs, Need{Name: s.before, Line: s.line, IfChosen: true})
		}
	}
	for _, proc := range plan.Processes {
		for i := range proc.Needs {
			t.until(proc.Name, &proc.Needs[i])
		}
	}
}

// addScripts adds the tasks that the editor finds in a package.json, if another task depends on them.
func (t *tasks) addScripts() {
	for _, proc := range slices.Clone(t.p.plan.Processes) {
		for _, n := range proc.Needs {
			script, ok := strings.CutPrefix(n.Name, "npm: ")
			if ok && t.p.plan.find(n.Name) == nil {
				npm := t.p.process(n.Name, n.Line)
				npm.Command, npm.OnRequest = []string{"npm", "run", script}, true
				t.p.add(npm)
			}
		}
	}
}

// until sets what of another task is waited for: a task in the background has to be ready, another one
// has to succeed.
func (t *tasks) until(name string, n *Need) {
	other := t.p.plan.find(n.Name)
	switch {
	case !other.Runs():
	case !t.background[n.Name]:
		n.Until = Succeeded
	case other.Ready.shown():
		n.Until = IsReady
	default:
		t.p.note(n.Line, "%s", unknownReady(name, n.Name))
	}
}

// ready finds the line with which a task in the background reports that it is ready: the end of its
// first run, as its problem matcher has it.
func (t *tasks) ready(proc *Process, matcher *value, at string) {
	if matcher == nil {
		return
	}
	matchers := []value{*matcher}
	if matcher.kind == listValue {
		matchers = matcher.items
	}
	for i := range matchers {
		m := &matchers[i]
		base := m.get("base")
		if base == nil {
			base = m
		}
		if base.kind == textValue && base.text == "$tsc-watch" {
			proc.Ready.Line = `Found \d+ errors?\. Watching for file changes`
		}
		background := m.get("background")
		if background == nil {
			continue
		}
		end := background.get("endsPattern")
		if end.is(objectValue) {
			end = end.get("regexp")
		}
		if !end.is(textValue) {
			continue
		}
		if _, err := regexp.Compile(end.text); err != nil {
			t.p.note(end.line, "%s: endsPattern is not a regular expression that hob understands", at)
			continue
		}
		proc.Ready.Line = end.text
	}
}

// expandTask replaces the variables of the editor that have a meaning outside of it.
func (p *parser) expandTask(s string) (string, error) {
	var err error
	expanded := regexp.MustCompile(`\$\{[^}]*\}?`).ReplaceAllStringFunc(s, func(variable string) string {
		name, closed := strings.CutSuffix(variable[len("${"):], "}")
		if id, ok := strings.CutPrefix(name, "input:"); closed && ok {
			text, unknown := p.input(id)
			err = cmp.Or(err, unknown)
			return text
		}
		text, ok := p.taskVariable(name)
		switch {
		case !closed:
			err = cmp.Or(err, errors.New("a closing } is missing"))
		case !ok:
			err = cmp.Or(err, fmt.Errorf("%s has a value only in the editor", variable))
		}
		return text
	})
	return expanded, err
}

func (p *parser) taskVariable(name string) (string, bool) {
	if env, ok := strings.CutPrefix(name, "env:"); ok {
		text, _ := p.lookup(env) // as in the editor, empty if it is not set
		return text, true
	}
	switch name {
	case "workspaceFolder", "workspaceRoot", "cwd":
		return p.plan.Dir, true
	case "workspaceFolderBasename", "workspaceRootFolderName":
		return filepath.Base(p.plan.Dir), true
	case "userHome":
		return p.lookup("HOME")
	case "pathSeparator", "/":
		return string(filepath.Separator), true
	}
	return "", false
}
