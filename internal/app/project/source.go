package project

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/plainfile"
)

// Source is what describes a project: files, and what the command line adds to them.
type Source struct {
	Files    []string // of one format; none: those that Find finds in Dir
	Dir      string   // empty: the current directory
	EnvFiles []string // replace the file .env
	Restart  string   // the policy of processes for which the file has none
	// Answers are the values of inputs that a tasks.json asks for.
	Answers map[string]string
	// KeepAsking keeps the tasks that use an input without a value, see [Process].Asks.
	KeepAsking bool
}

// The labels of jobs whose Source has more than the directory of the project.
const (
	filesLabel    = "project-file"
	envFilesLabel = "project-env-file"
	restartLabel  = "project-restart"
	answersLabel  = "project-answers"
)

// labels returns the labels from which sourceOf restores the source.
func (s Source) labels() map[string]string {
	labels := map[string]string{}
	for label, text := range map[string]string{filesLabel: pathsText(s.Files), envFilesLabel: pathsText(s.EnvFiles), restartLabel: s.Restart, answersLabel: answersText(s.Answers)} {
		if text != "" {
			labels[label] = text
		}
	}
	return labels
}

// sourceOf returns the source of a job that was started by an [Up].
func sourceOf(j engine.Job) Source {
	return Source{
		Files:    pathsOf(j.Labels[filesLabel]),
		Dir:      j.Labels[projectLabel],
		EnvFiles: pathsOf(j.Labels[envFilesLabel]),
		Restart:  j.Labels[restartLabel],
		Answers:  answersOf(j.Labels[answersLabel]),
	}
}

// sameFiles reports whether both sources have the same files, explicitly or by default.
func (s Source) sameFiles(other Source) bool {
	return maps.Equal(Source{Files: s.Files}.labels(), Source{Files: other.Files}.labels())
}

// pathsText returns the absolute forms of paths as one text: a path, or several as a JSON array.
func pathsText(paths []string) string {
	all := make([]string, len(paths))
	for i, path := range paths {
		all[i] = absolute(path)
	}
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	text, _ := json.Marshal(all) // cannot fail
	return string(text)
}

// pathsOf is the inverse of pathsText.
func pathsOf(text string) (paths []string) {
	if text == "" {
		return nil
	}
	if json.Unmarshal([]byte(text), &paths) != nil {
		return []string{text}
	}
	return paths
}

// absolute returns an absolute path, or path itself if that is not possible.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// Load reads the files. lookup returns the values of environment variables. A mistake in a file is an *[Error].
func (s Source) Load(lookup func(name string) (string, bool)) (*Plan, error) {
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	p := &parser{lookup: lookup, source: s}
	p.begin(absolute(files[0]))
	for _, path := range s.EnvFiles {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("--env-file: %w", err)
		}
	}
	data, err := plainfile.ReadLinked(absolute(files[0]), maxFile)
	if err != nil {
		return nil, err
	}
	return p.parse(filepath.Base(files[0]), data, files[1:]...)
}

// begin begins the plan of the project that a file describes.
func (p *parser) begin(file string) {
	dir := DirOf(file)
	shown, err := filepath.Rel(dir, file)
	if err != nil {
		shown = file
	}
	p.plan = &Plan{File: filepath.ToSlash(shown), Dir: dir, Notes: []Note{}}
}
