package project

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/plainfile"
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

// Source is what describes a project.
type Source struct {
	File string // empty: the first one that Find finds in Dir
	Dir  string // empty: the current directory
}

// The labels of jobs whose Source has more than the directory of the project.
const fileLabel = "project-file"

// labels returns the labels from which sourceOf restores the source.
func (s Source) labels() map[string]string {
	labels := map[string]string{}
	if s.File != "" {
		labels[fileLabel] = absolute(s.File)
	}
	return labels
}

// sourceOf returns the source of a job that was started by an [Up].
func sourceOf(j engine.Job) Source {
	return Source{File: j.Labels[fileLabel], Dir: j.Labels[projectLabel]}
}

// sameFiles reports whether both sources have the same file, explicitly or by default.
func (s Source) sameFiles(other Source) bool { return maps.Equal(s.labels(), other.labels()) }

// absolute returns an absolute path, or path itself if that is not possible.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// Load reads the files of a project. lookup returns the values of environment variables. A mistake in a file is an
// *[Error].
func (s Source) Load(lookup func(name string) (string, bool)) (*Plan, error) {
	file := s.File
	if file == "" {
		var err error
		if file, err = Find(cmp.Or(s.Dir, ".")); err != nil {
			return nil, err
		}
	}
	return Load(file, lookup)
}

// maxFile limits the size of a file, in bytes.
const maxFile = 1 << 20

// Load reads a file. lookup returns the values of environment variables. A mistake in the file is an
// *[Error].
func Load(file string, lookup func(name string) (string, bool)) (*Plan, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	data, err := plainfile.ReadLinked(file, maxFile)
	if err != nil {
		return nil, err
	}
	dir := DirOf(file)
	shown, err := filepath.Rel(dir, file)
	if err != nil {
		shown = file
	}
	p := &parser{plan: &Plan{File: filepath.ToSlash(shown), Dir: dir, Notes: []Note{}}, lookup: lookup}
	return p.parse(filepath.Base(file), data)
}

// parse parses a file in the format that its name shows, or else its content.
func (p *parser) parse(name string, data []byte) (*Plan, error) {
	ext := strings.ToLower(filepath.Ext(name))
	parse, isTree := parseYAML, true
	switch ext {
	case ".yaml", ".yml":
	case ".json", ".jsonc":
		parse = parseJSON
	default: // perhaps YAML nevertheless
		isTree = false
	}
	if strings.HasPrefix(name, "Procfile") && !isTree {
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
	for _, proc := range p.plan.Processes {
		for _, n := range proc.Needs {
			if p.plan.find(n.Name) == nil {
				p.fail(n.Line, "%s needs %q, which the file does not describe", proc.Name, n.Name)
			}
		}
	}
	if p.err != nil {
		return nil, p.err
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

// procfile parses a Procfile: lines of the form NAME: COMMAND. As with foreman, the variables of the
// file .env are set, and PORT: it is 100 higher for each further process if it has a value, and a free
// port otherwise.
func (p *parser) procfile(data []byte) {
	entry := regexp.MustCompile(`^([A-Za-z0-9_-]+):\s*(\S.*)$`)
	env := p.dotenv(p.path(dotenvFile))
	base, hasPort := env["PORT"]
	if !hasPort {
		base, hasPort = p.lookup("PORT")
	}
	for i, line := range strings.Split(strings.TrimPrefix(string(data), "\ufeff"), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		m := entry.FindStringSubmatch(line)
		if m == nil {
			p.note(i+1, "not of the form NAME: COMMAND, where NAME has only letters, digits, - and _")
			continue
		}
		proc := p.process(m[1], i+1)
		proc.Script, proc.FreePort = m[2], !hasPort
		proc.addEnv(env, dotenvFile)
		if hasPort {
			proc.Env["PORT"] = portOf(base, len(p.plan.Processes))
		}
		p.add(proc)
	}
}
