package project

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

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
				t.p.add(Process{
					Name: n.Name, Line: n.Line, Command: []string{"npm", "run", script}, Dir: t.p.plan.Dir,
					Env: map[string]string{}, OnRequest: true,
				})
			}
		}
	}
}

// until sets what of another task is waited for: a task in the background has to be ready, another one
// has to succeed.
func (t *tasks) until(name string, n *Need) {
	other := t.p.plan.find(n.Name)
	switch {
	case !other.runs():
	case !t.background[n.Name]:
		n.Until = Succeeded
	case other.Ready != Ready{}:
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
		if end != nil && end.kind == objectValue {
			end = end.get("regexp")
		}
		if end == nil || end.kind != textValue {
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
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "${")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", errors.New("a closing } is missing")
		}
		text, ok := p.taskVariable(name)
		if !ok {
			return "", fmt.Errorf("${%s} has a value only in the editor", name)
		}
		b.WriteString(text)
		s = after
	}
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
