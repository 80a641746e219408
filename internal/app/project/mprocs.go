package project

import (
	"os"
	"runtime"
	"strings"
)

func (p *parser) mprocs(v *value) {
	top := p.fields(v, "")
	top.ignore("hide_keymap_window", "mouse_scroll_speed", "scrollback", "proc_list_width", "proc_list_title", "proc_log",
		"keymap_procs", "keymap_term", "keymap_copy")
	p.expand = func(s string) (string, error) {
		if rest, ok := strings.CutPrefix(s, "<CONFIG_DIR>"); ok {
			return p.plan.Dir + rest, nil
		}
		return s, nil
	}
	env := p.givenVariables()
	if procs := p.fields(p.choose(top.get("procs")), "procs"); procs.v != nil {
		for _, f := range procs.v.fields {
			if f.value.kind != nullValue { // null removes a process of another file
				p.add(p.mproc(f, env))
			}
		}
	}
	top.rest()
}

func (p *parser) mproc(in field, env []envFile) Process {
	at := "procs." + in.name
	proc := p.process(in.name, in.line)
	proc.addFiles(env)
	v := p.choose(&in.value)
	switch v.kind {
	case textValue:
		proc.Script = p.raw(v, at)
	case listValue:
		proc.Command = p.texts(v, at)
	default:
		f := p.fields(p.chosen(v), at)
		f.ignore("log", "scrollback", "mouse_scroll_speed")
		proc.Script = f.raw("shell")
		cmd := f.get("cmd")
		switch {
		case cmd != nil && proc.Script != "":
			p.fail(in.line, "%s has both shell and cmd", at)
		case cmd.is(textValue):
			proc.Script = p.raw(cmd, f.path("cmd"))
		default:
			proc.Command = f.texts("cmd")
		}
		if dir := f.text("cwd"); dir != "" {
			proc.Dir = p.path(dir)
		}
		proc.Unset = p.environment(p.chosen(f.get("env")), f.path("env"), proc.Env)
		p.addPath(&proc, f.texts("add_path"))
		if start := f.get("autostart"); start != nil {
			proc.OnRequest = !f.truth("autostart")
		}
		if f.truth("autorestart") {
			proc.Restart = "always"
		}
		if deps := f.get("deps"); deps != nil {
			for _, name := range f.texts("deps") {
				proc.Needs = append(proc.Needs, Need{Name: name, Line: deps.line})
			}
		}
		proc.Shutdown = p.mprocsStop(p.choose(f.get("stop")), f.path("stop"))
		f.rest()
	}
	if !proc.Runs() {
		p.fail(in.line, "%s has no command", at)
	}
	return proc
}

// addPath adds directories to the variable PATH.
func (p *parser) addPath(proc *Process, dirs []string) {
	if len(dirs) == 0 {
		return
	}
	path, ok := proc.Env["PATH"]
	if !ok {
		path, _ = p.lookup("PATH")
	}
	for _, dir := range dirs {
		proc.AddedPath += string(os.PathListSeparator) + p.path(dir)
		path += string(os.PathListSeparator) + p.path(dir)
	}
	proc.Env["PATH"] = strings.TrimPrefix(path, string(os.PathListSeparator))
}

// chosen returns an object whose fields have been chosen, see choose.
func (p *parser) chosen(v *value) *value {
	if !v.is(objectValue) {
		return v
	}
	chosen := value{line: v.line, kind: objectValue}
	for _, f := range v.fields {
		f.value = *p.choose(&f.value)
		chosen.fields = append(chosen.fields, f)
	}
	return &chosen
}

// choose returns the value for this system if v is an object with the field $select, and else v.
func (p *parser) choose(v *value) *value {
	if !v.is(objectValue) {
		return v
	}
	by := v.get("$select")
	if by == nil {
		return v
	}
	if by.text != "os" {
		p.fail(by.line, "$select must be os")
		return &value{line: v.line}
	}
	name := runtime.GOOS
	if name == "darwin" {
		name = "macos"
	}
	for _, key := range []string{name, "$else"} {
		if got := v.get(key); got != nil {
			return got
		}
	}
	p.fail(v.line, "$select has no value for %s", name)
	return &value{line: v.line}
}
