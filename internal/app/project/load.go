package project

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ErrNoFile is returned by [Find] if a directory has none of the files.
var ErrNoFile = errors.New("no Procfile, process-compose.yaml, mprocs.yaml or .vscode/tasks.json")

// Find returns the first file in dir that describes processes.
func Find(dir string) (string, error) {
	for _, name := range []string{
		"Procfile", "process-compose.yaml", "process-compose.yml", "mprocs.yaml", "mprocs.yml", ".vscode/tasks.json",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if _, err := os.Stat(path); err == nil {
			return path, nil
		} else if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return "", err
		}
	}
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return "", fmt.Errorf("%w in %s", ErrNoFile, dir)
}

// DirOf returns the directory of the project that a file describes.
func DirOf(file string) string {
	dir := filepath.Dir(file)
	if filepath.Base(dir) == ".vscode" {
		return filepath.Dir(dir)
	}
	return dir
}

// maxFile limits the size of a file, in bytes.
const maxFile = 1 << 20

// parse parses a file in the format that its name shows, or else its content.
func (p *parser) parse(name string, data []byte, more ...string) (*Plan, error) {
	ext := strings.ToLower(filepath.Ext(name))
	parse, isTree := parseYAML, true
	switch ext {
	case ".yaml", ".yml":
	case ".json", ".jsonc":
		parse = parseJSON
	default: // perhaps YAML nevertheless
		isTree = false
	}
	if strings.HasPrefix(name, "Procfile") && !isTree && len(more) == 0 {
		p.procfile(data)
		return p.finish()
	}
	top, err := parse(data)
	switch {
	case err != nil && !isTree:
		p.procfile(data)
	case err != nil:
		return nil, p.mistake(err)
	case top.get("processes") != nil, strings.HasPrefix(name, "process-compose"):
		if err := p.mergeFiles(&top, more); err != nil {
			return nil, err
		}
		p.processCompose(&top)
	case top.get("procs") != nil, strings.HasPrefix(name, "mprocs"):
		p.mprocs(&top)
	case top.get("tasks") != nil, name == "tasks.json":
		p.tasks(&top)
	case isTree:
		p.fail(0, "unknown format: it has none of the fields processes, procs and tasks")
	default:
		p.procfile(data)
	}
	if len(more) > len(p.plan.Merged) {
		return nil, &Error{p.plan.File, 0, "only files of process-compose can be merged"}
	}
	return p.finish()
}

// position is how the errors of the libraries begin.
var position = regexp.MustCompile(`^line (\d+)(?:, column \d+)?: `)

// mistake returns the error of a library as an Error, with its line.
func (p *parser) mistake(err error) *Error {
	e := &Error{File: p.plan.File, Text: err.Error()}
	if m := position.FindStringSubmatch(e.Text); m != nil {
		e.Line, _ = strconv.Atoi(m[1])
		e.Text = strings.TrimPrefix(e.Text, m[0])
	}
	return e
}

// finish checks that there are processes, and that every need is one of them.
func (p *parser) finish() (*Plan, error) {
	if len(p.plan.Processes) == 0 {
		for _, n := range p.plan.Notes { // what is not understood may have been meant as a process
			if n.File == p.plan.File {
				p.fail(n.Line, "%s; the file describes no processes", n.Text)
			}
		}
		p.fail(0, "it describes no processes")
	}
	for i := range p.plan.Processes {
		proc := &p.plan.Processes[i]
		for _, n := range proc.Needs {
			if p.plan.find(n.Name) == nil {
				p.fail(n.Line, "%s needs %q, which the file does not describe", proc.Name, n.Name)
			}
		}
		proc.File, proc.Line = p.place(proc.Line)
	}
	if p.err != nil {
		return nil, p.err
	}
	for i := range p.plan.Processes {
		if proc := &p.plan.Processes[i]; proc.Restart == "" && !proc.NoRestart {
			proc.Restart = p.source.Restart
		}
	}
	slices.SortStableFunc(p.plan.Notes, func(a, b Note) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	p.plan.Notes = slices.Compact(p.plan.Notes) // a file of variables may be that of several processes
	return p.plan, nil
}

// find returns a process by its name, nil if there is none.
func (p *Plan) find(name string) *Process {
	for i := range p.Processes {
		if p.Processes[i].Name == name {
			return &p.Processes[i]
		}
	}
	return nil
}
