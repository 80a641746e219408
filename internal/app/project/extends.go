package project

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/hobjobs/hob/internal/plainfile"
)

// In a file of process-compose, extends names what an object is based on: in the file itself another file, and in a
// process another process. The values of the object replace those of its base.

// extendFile merges a file into the one that it extends. dir is the directory of the file, and path has the files that
// extend it.
func (p *parser) extendFile(v *value, dir string, path ...string) error {
	name := v.get("extends")
	if name == nil {
		return nil
	}
	file := filepath.Clean(p.raw(name, "extends"))
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	if slices.Contains(path, file) {
		place, line := p.place(name.line)
		return &Error{place, line, "extends: " + p.shown(file) + " extends itself"}
	}
	base, err := p.parseMore(file)
	if err != nil {
		return err
	}
	if err := p.extendFile(&base, filepath.Dir(file), append(path, file)...); err != nil {
		return err
	}
	base.beginIn(filepath.Dir(file))
	v.remove("extends")
	base.merge(v)
	*v = base
	return nil
}

// parseMore parses a further file of the project.
func (p *parser) parseMore(file string) (value, error) {
	p.merged = append(p.merged, p.shown(absolute(file)))
	number := len(p.merged)
	data, err := plainfile.ReadLinked(file, maxFile)
	if err != nil {
		return value{}, err
	}
	more, err := parseYAML(data)
	if err != nil {
		mistake := p.mistake(err)
		mistake.File = p.merged[number-1]
		return value{}, mistake
	}
	more.moveLines(number * linesPerFile)
	return more, nil
}

// beginIn makes the directories of the processes relative to that of their file.
func (v *value) beginIn(dir string) {
	processes := v.get("processes")
	if !processes.is(objectValue) {
		return
	}
	for i := range processes.fields {
		proc := &processes.fields[i].value
		own := proc.get("working_dir")
		switch {
		case !proc.is(objectValue):
		case own == nil:
			proc.remove("working_dir") // without a value
			proc.fields = append(proc.fields, field{
				name:  "working_dir",
				line:  proc.line,
				value: value{line: proc.line, kind: textValue, text: dir},
			})
		case own.kind == textValue && !beginsElsewhere(own.text):
			own.text = filepath.Join(dir, own.text)
		}
	}
}

// beginsElsewhere reports whether a path begins with a directory of its own.
func beginsElsewhere(path string) bool {
	return filepath.IsAbs(path) || strings.HasPrefix(path, "~") || strings.HasPrefix(path, "$")
}

// extendProcesses merges processes into those that they extend.
func (p *parser) extendProcesses(processes *value) {
	if !processes.is(objectValue) {
		return
	}
	for i := range processes.fields {
		p.extendProcess(processes, i, nil)
	}
}

// extendProcess merges a process into the one that it extends. path has the processes that extend it.
func (p *parser) extendProcess(processes *value, i int, path []string) {
	f := &processes.fields[i]
	path = append(path, f.name)
	name := f.value.get("extends")
	if name == nil {
		return
	}
	base, line := p.raw(name, "extends"), name.line
	at := slices.IndexFunc(processes.fields, func(f field) bool { return f.name == base })
	f.value.remove("extends")
	switch {
	case slices.Contains(path, base):
		p.fail(line, "extends: %s extends itself", base)
	case at < 0:
		p.fail(line, "extends: the file describes no process %q", base)
	default:
		p.extendProcess(processes, at, path)
		merged := processes.fields[at].value.clone()
		merged.merge(&f.value)
		merged.line = f.value.line
		f.value = merged
	}
}

// remove removes a field.
func (v *value) remove(name string) {
	v.fields = slices.DeleteFunc(v.fields, func(f field) bool { return f.name == name })
}

// clone returns a copy that shares nothing with v.
func (v *value) clone() value {
	c := *v
	c.items, c.fields = slices.Clone(v.items), slices.Clone(v.fields)
	for i := range c.items {
		c.items[i] = c.items[i].clone()
	}
	for i := range c.fields {
		c.fields[i].value = c.fields[i].value.clone()
	}
	return c
}
