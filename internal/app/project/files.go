package project

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hobjobs/hob/internal/plainfile"
)

// overrideOf returns the file beside a process-compose file that process-compose merges into it; "" if there is none.
func overrideOf(file string) string {
	ext := filepath.Ext(file)
	base := strings.TrimSuffix(file, ext)
	for _, ext := range []string{ext, ".yaml", ".yml"} {
		path := base + ".override" + ext
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}

// findSecond returns the first process-compose file in dir that has one of its further names; "" if there is none. These
// names are above all those of another program, so that such a file must have the field processes.
func findSecond(dir string) string {
	hasProcesses := regexp.MustCompile(`(?m)^"?processes"?\s*:`)
	for _, name := range []string{"compose.yaml", "compose.yml"} {
		path := filepath.Join(dir, name)
		data, err := plainfile.ReadLinked(path, maxFile)
		if err == nil && hasProcesses.Match(data) {
			return path
		}
	}
	return ""
}

// linesPerFile is more than the lines of any file. The number of a line has the number of its file in it, because
// the values of several files are merged: see place.
const linesPerFile = 1 << 24

// place returns the file of a line, as shown, and the line in it.
func (p *parser) place(line int) (file string, inFile int) {
	if n := line / linesPerFile; n > 0 {
		return p.merged[n-1], line % linesPerFile
	}
	return p.plan.File, line
}

// mergeFiles merges further files into the value of the first one. As with process-compose, the values of later
// files replace those of earlier ones, objects are merged, and so are variables.
func (p *parser) mergeFiles(top *value, files []string) error {
	if err := p.extendFile(top, p.plan.Dir, filepath.Join(p.plan.Dir, p.plan.File)); err != nil {
		return err
	}
	for _, file := range files {
		more, err := p.parseMore(file)
		if err != nil {
			return err
		}
		if err := p.extendFile(&more, filepath.Dir(absolute(file)), absolute(file)); err != nil {
			return err
		}
		top.merge(&more)
	}
	p.plan.Merged = p.merged
	return nil
}

// moveLines adds n to the lines of a value.
func (v *value) moveLines(n int) {
	v.line += n
	for i := range v.items {
		v.items[i].moveLines(n)
	}
	for i := range v.fields {
		v.fields[i].line += n
		v.fields[i].value.moveLines(n)
	}
}

// merge merges a value of a later file.
func (v *value) merge(later *value) {
	if v.kind != objectValue || later.kind != objectValue {
		*v = *later
		return
	}
	for _, f := range later.fields {
		at := slices.IndexFunc(v.fields, func(own field) bool { return own.name == f.name })
		switch {
		case at < 0:
			v.fields = append(v.fields, f)
		case f.value.kind == listValue && v.fields[at].value.kind == listValue:
			own := &v.fields[at].value
			own.items = slices.Concat(own.items, f.value.items)
		default:
			v.fields[at].value.merge(&f.value)
		}
	}
}

// files returns the files of the source: those that were named, or those in its directory.
func (s Source) files() ([]string, error) {
	if len(s.Files) > 0 {
		return s.Files, nil
	}
	dir := s.Dir
	if dir == "" {
		dir = "."
	}
	file, err := Find(dir)
	mayMerge := strings.HasPrefix(filepath.Base(file), "process-compose")
	if errors.Is(err, ErrNoFile) {
		if second := findSecond(dir); second != "" {
			file, err, mayMerge = second, nil, true
		}
	}
	if err != nil {
		return nil, err
	}
	files := []string{file}
	if override := overrideOf(file); mayMerge && override != "" {
		files = append(files, override)
	}
	return files, nil
}
