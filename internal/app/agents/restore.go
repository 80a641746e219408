package agents

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// restore makes a removal exact: a file that is still as a setup wrote it becomes what it was before.
// Of other files, only what hob added is removed.
func (p *Plan) restore(parts []part) {
	for i := range p.Files {
		f := &p.Files[i]
		if f.New == nil { // hob's own file
			continue
		}
		for _, before := range f.earlier() {
			if f.isSetupOf(before, parts) {
				f.New = before
				break
			}
		}
	}
}

// earlier returns what the file may have been before a setup: its copies, newest first, and no file,
// unless it is the target of a link.
func (f *File) earlier() (all [][]byte) {
	dir, prefix := filepath.Dir(f.Path), filepath.Base(f.Path)+copyMark
	entries, _ := os.ReadDir(dir) // without copies, the entries of hob are removed
	for _, e := range slices.Backward(entries) {
		if !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		if text, err := os.ReadFile(filepath.Join(dir, e.Name())); err == nil {
			all = append(all, text)
		}
	}
	if !isLink(f.given) {
		all = append(all, nil)
	}
	return all
}

// isSetupOf reports whether a setup of before, which has nothing of hob, results in the file.
func (f *File) isSetupOf(before []byte, parts []part) bool {
	text := before
	for _, part := range parts {
		if resolve(part.path()) != f.Path {
			continue
		}
		var out outcome
		var err error
		if text, out, err = part.add(text); err != nil || out != added {
			return false
		}
	}
	return bytes.Equal(text, f.Old)
}
