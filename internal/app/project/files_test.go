package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// loadDir loads the files that are found in a directory.
func loadDir(t *testing.T, dir string, files ...string) *Plan {
	t.Helper()
	p, err := Source{Dir: dir, Files: files}.Load(variables())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const base = `processes:
  web:
    command: serve
    environment: [A=1, B=1]
    depends_on:
      db: {condition: process_started}
  db: {command: db, working_dir: data}
`

const override = `processes:
  web:
    environment: [B=2, C=2]
    namespace: x
  db: {command: other}
  more: {command: more}
`

func TestOverrideIsMerged(t *testing.T) {
	for _, names := range [][2]string{
		{"process-compose.yaml", "process-compose.override.yaml"},
		{"process-compose.yml", "process-compose.override.yml"},
		{"compose.yaml", "compose.override.yaml"},
	} {
		dir := filepath.Dir(write(t, names[0], base, names[1], override))
		p := loadDir(t, dir)
		equal(t, "names", p.Names(), []string{"web", "db", "more"})
		equal(t, "variables", process(t, p, "web").Env, map[string]string{"A": "1", "B": "2", "C": "2"})
		db := process(t, p, "db")
		equal(t, "db", []string{db.Script, db.Dir}, []string{"other", filepath.Join(dir, "data")})
		equal(t, "notes", notesOf(p), names[1]+":4: processes.web.namespace is not supported")
		more := process(t, p, "more")
		equal(t, "place", Note{more.File, more.Line, ""}, Note{names[1], 6, ""})
	}
}

// Files that are named are merged in their order, and nothing else is.
func TestSeveralFiles(t *testing.T) {
	first := write(t, "process-compose.yaml", base, "process-compose.override.yaml", override, "third.yaml", "processes: {web: {command: third}}\n")
	dir := filepath.Dir(first)
	p := loadDir(t, dir, first, filepath.Join(dir, "third.yaml"))
	equal(t, "names", p.Names(), []string{"web", "db"})
	equal(t, "command", process(t, p, "web").Script, "third")
	_, err := Source{Files: []string{write(t, "Procfile", "a: x\n"), first}}.Load(variables())
	if want := "Procfile: only files of process-compose can be merged"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	bad := write(t, "bad.yaml", "processes:\n  a: x: y\n")
	if _, err := (Source{Files: []string{first, bad}}).Load(variables()); err == nil || err.Error()[:len(bad)+3] != bad+":2:" {
		t.Errorf("%v, want an error in %s", err, bad)
	}
}

// A mistake in the first file is named, also if another file is merged into it. Other formats have no such file.
func TestMistakeBesideOverride(t *testing.T) {
	dir := filepath.Dir(write(t, "process-compose.yaml", "processes:\n  a: x: y\n", "process-compose.override.yaml", override))
	_, err := Source{Dir: dir}.Load(variables())
	if err == nil || !strings.HasPrefix(err.Error(), "process-compose.yaml:2:") {
		t.Errorf("%v, want line 2", err)
	}
	p := loadDir(t, filepath.Dir(write(t, "Procfile", "a: x\n", "Procfile.override", "b: y\n")))
	equal(t, "names", p.Names(), []string{"a"})
}

// A compose.yaml of containers is not taken for one of process-compose.
func TestComposeFileOfContainers(t *testing.T) {
	dir := filepath.Dir(write(t, "compose.yaml", "services:\n  web: {image: x}\n"))
	if _, err := (Source{Dir: dir}).Load(variables()); err == nil {
		t.Error("no error")
	}
}

func TestReplicas(t *testing.T) {
	p := load(t, write(t, "process-compose.yaml", `processes:
  worker: {command: work, replicas: 2}
  web:
    command: serve
    depends_on: {worker: {condition: process_completed}}
`))
	equal(t, "names", p.Names(), []string{"worker-0", "worker-1", "web"})
	var needs []string
	for _, n := range process(t, p, "web").Needs {
		needs = append(needs, n.Name)
	}
	equal(t, "needs", needs, []string{"worker-0", "worker-1"})
	worker := process(t, p, "worker-1")
	for _, want := range []string{"PC_PROC_NAME=worker", "PC_REPLICA_NUM=1", "HOB_PROCESS=worker-1"} {
		if !slices.Contains(worker.environ(), want) {
			t.Errorf("%s is missing", want)
		}
	}
}

// What process-compose only logs is a note.
func TestNotesInsteadOfMistakes(t *testing.T) {
	p := load(t, write(t, "process-compose.yaml", `processes:
  web:
    command: serve
    log_location: a
    log_location: b
    depends_on: {db: {condition: process_healthy}}
`))
	equal(t, "notes", notesOf(p), `process-compose.yaml:5: processes.web.log_location: duplicate field
process-compose.yaml:6: web does not wait for "db", which the file does not describe`)
	equal(t, "needs", len(process(t, p, "web").Needs), 0)
}

func TestSourceOfLabels(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, files := range [][]string{nil, {"a"}, {"a", "b"}} {
		var want []string
		for _, f := range files {
			want = append(want, filepath.Join(dir, f))
		}
		equal(t, "files", pathsOf(pathsText(files)), want)
	}
}

// writeFile writes a file with the directories above it.
func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
