package project

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/internal/shellword"
)

// parser fills a plan. It keeps the first error; what is called after it has no effect that counts.
type parser struct {
	plan   *Plan
	lookup func(name string) (string, bool) // of environment variables
	err    error
	source Source
	merged []string         // further files, as shown
	inputs map[string]Input // of a tasks.json
	asks   []Input          // those without a value that the current task uses
	// owner is the program whose rules replace variables in files of variables; empty: none are replaced.
	owner string
	// isLenient: a need of a process that the file does not describe is no mistake.
	isLenient bool

	// expand replaces the variables in a text of the file; nil: there are none.
	expand func(s string) (string, error)
	// unexpanded is called with its errors; nil: they become notes.
	unexpanded func(line int, err error)
}

func (p *parser) note(line int, format string, args ...any) {
	file, line := p.place(line)
	n := Note{file, line, fmt.Sprintf(format, args...)}
	if !slices.Contains(p.plan.Notes, n) { // a part of the file may be read for several copies
		p.plan.Notes = append(p.plan.Notes, n)
	}
}

func (p *parser) fail(line int, format string, args ...any) {
	if p.err == nil {
		file, line := p.place(line)
		p.err = &Error{file, line, fmt.Sprintf(format, args...)}
	}
}

// process returns a process without a command, in the directory of the project.
func (p *parser) process(name string, line int) Process {
	return Process{
		Name: name,
		Line: line,
		Dir:  p.plan.Dir,
		Env:  map[string]string{},
	}
}

// maxProcesses limits the processes of a file. Each one is compared with the others.
const maxProcesses = 1000

func (p *parser) add(proc Process) {
	if len(p.plan.Processes) == maxProcesses {
		p.fail(proc.Line, "there are more than %d processes", maxProcesses)
		return
	}
	for _, other := range p.plan.Processes {
		if other.Name == proc.Name {
			p.fail(proc.Line, "duplicate process %q; first on line %d", proc.Name, other.Line)
		}
	}
	if strings.TrimSpace(proc.Name) == "" {
		p.fail(proc.Line, "the name of a process is empty")
	}
	p.plan.Processes = append(p.plan.Processes, proc)
}

// path returns the absolute path of a directory or file of the project.
func (p *parser) path(s string) string {
	if s == "~" || strings.HasPrefix(s, "~/") {
		if home, ok := p.lookup("HOME"); ok {
			s = home + s[1:]
		}
	}
	if filepath.IsAbs(s) {
		return filepath.Clean(s)
	}
	return filepath.Join(p.plan.Dir, s)
}

// shown returns the path of a file relative to the project, if it is in it.
func (p *parser) shown(path string) string {
	if rel, err := filepath.Rel(p.plan.Dir, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// text returns a text of the file with its variables replaced.
func (p *parser) text(v *value, at string) string {
	s := p.raw(v, at)
	if p.expand == nil || s == "" {
		return s
	}
	expanded, err := p.expand(s)
	switch {
	case err == nil:
		return expanded
	case p.unexpanded != nil:
		p.unexpanded(v.line, err)
	default:
		p.note(v.line, "%s: %v", at, err)
	}
	return s
}

// raw returns a text as it is in the file. nil and null are "".
func (p *parser) raw(v *value, at string) string {
	switch {
	case v == nil, v.kind == nullValue:
		return ""
	case v.kind != textValue:
		p.fail(v.line, "%s must be text", at)
		return ""
	}
	return v.text
}

// texts returns a list of texts; a single text is a list of one.
func (p *parser) texts(v *value, at string) []string {
	if v == nil || v.kind == textValue {
		if s := p.text(v, at); s != "" {
			return []string{s}
		}
		return nil
	}
	if v.kind != listValue {
		p.fail(v.line, "%s must be a list", at)
	}
	var all []string
	for i := range v.items {
		all = append(all, p.text(&v.items[i], at))
	}
	return all
}

// number returns a number that is not negative, 0 for nil.
func (p *parser) number(v *value, at string) int {
	s := p.text(v, at)
	if s == "" {
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		p.fail(v.line, "%s must be a whole number that is not negative", at)
	}
	return n
}

// truth returns a truth value, in the words of YAML 1.1; false for nil.
func (p *parser) truth(v *value, at string) bool {
	switch s := strings.ToLower(p.text(v, at)); s {
	case "true", "yes", "on":
		return true
	case "", "false", "no", "off":
		return false
	}
	p.fail(v.line, "%s must be true or false", at)
	return false
}

// named reports whether name can be that of a variable; if not, it is noted.
func (p *parser) named(name string, line int, at string) bool {
	ok := shellword.IsName(name)
	if !ok {
		p.note(line, "%s: %s", at, notVariable)
	}
	return ok
}

// environment adds variables to env: an object, or a list of NAME=VALUE. It returns the names whose
// value is null.
func (p *parser) environment(v *value, at string, env map[string]string) (unset []string) {
	if v == nil {
		return nil
	}
	if v.kind == listValue {
		for i := range v.items {
			name, text, ok := strings.Cut(p.text(&v.items[i], at), "=")
			if !ok || name == "" {
				p.fail(v.items[i].line, "%s must have the form NAME=VALUE", at)
				continue
			}
			if p.named(name, v.items[i].line, at) {
				env[name] = text
			}
		}
		return nil
	}
	if v.kind != objectValue {
		p.fail(v.line, "%s must be a list or an object", at)
	}
	for i := range v.fields {
		f := &v.fields[i]
		if f.again {
			p.fail(f.line, "duplicate field %q", f.name)
		}
		if !p.named(f.name, f.line, at) {
			continue
		}
		if f.value.kind == nullValue {
			unset = append(unset, f.name)
			delete(env, f.name)
			continue
		}
		env[f.name] = p.text(&f.value, at+"."+f.name)
	}
	return unset
}

// fields is an object of the file whose fields are read one by one. rest notes the others.
type fields struct {
	p    *parser
	at   string // its place in the file, such as "processes.web"
	v    *value // nil: there is none
	used map[string]bool
}

// fields returns the fields of an object. nil has none.
func (p *parser) fields(v *value, at string) *fields {
	if v != nil && v.kind != objectValue {
		if v.kind != nullValue {
			p.fail(v.line, "%s must be an object", cmp.Or(at, "the file"))
		}
		v = nil
	}
	return &fields{p, at, v, map[string]bool{}}
}

// get returns the value of a field, nil if there is none.
func (f *fields) get(name string) *value {
	f.used[name] = true
	if f.v == nil {
		return nil
	}
	if again := f.v.repeated(name); again != nil {
		f.p.fail(again.line, "duplicate field %q", name)
	}
	return f.peek(name)
}

// peek returns the value of a field that hob does not use, so that mistakes in it do not count.
func (f *fields) peek(name string) *value {
	if f.v == nil {
		return nil
	}
	return f.v.get(name)
}

func (f *fields) path(name string) string    { return strings.TrimPrefix(f.at+"."+name, ".") }
func (f *fields) text(name string) string    { return f.p.text(f.get(name), f.path(name)) }
func (f *fields) raw(name string) string     { return f.p.raw(f.get(name), f.path(name)) }
func (f *fields) texts(name string) []string { return f.p.texts(f.get(name), f.path(name)) }
func (f *fields) number(name string) int     { return f.p.number(f.get(name), f.path(name)) }
func (f *fields) truth(name string) bool     { return f.p.truth(f.get(name), f.path(name)) }
func (f *fields) object(name string) *fields { return f.p.fields(f.get(name), f.path(name)) }

// maxSeconds limits a time: that is a day.
const maxSeconds = 24 * 60 * 60

// seconds returns a number of seconds.
func (f *fields) seconds(name string) time.Duration {
	return time.Duration(min(f.number(name), maxSeconds)) * time.Second
}

// line returns the line of a field, or that of the object if it has no such field.
func (f *fields) line(name string) (line int) {
	if v := f.get(name); v != nil {
		return v.line
	}
	if f.v != nil {
		return f.v.line
	}
	return 0
}

// ignore marks fields that make no difference to how processes run.
func (f *fields) ignore(names ...string) {
	for _, name := range names {
		f.used[name] = true
	}
}

// rest notes the fields that were not read.
func (f *fields) rest() {
	if f.v == nil {
		return
	}
	for i := range f.v.fields {
		field := &f.v.fields[i]
		switch {
		case field.again:
			f.p.note(field.line, "%s: duplicate field", f.path(field.name))
		case strings.HasPrefix(field.name, "x-"): // an extension, which often carries an anchor
		case !f.used[field.name]:
			f.p.note(field.line, "%s is not supported", f.path(field.name))
		}
	}
}
