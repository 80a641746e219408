package project

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hobjobs/hob/internal/httpget"
)

// write writes files into a new directory, and returns the path of the first one.
func write(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(dir, files[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, files[0])
}

// variables returns a lookup of pairs of name and value.
func variables(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

// loadFile reads one file. The pairs are names and values of environment variables.
func loadFile(file string, pairs ...string) (*Plan, error) {
	return Source{Files: []string{file}}.Load(variables(pairs...))
}

func load(t *testing.T, file string, pairs ...string) *Plan {
	t.Helper()
	p, err := loadFile(file, pairs...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// notes returns the notes of a plan, one on each line.
func notesOf(p *Plan) string {
	var lines []string
	for _, n := range p.Notes {
		lines = append(lines, n.String())
	}
	return strings.Join(lines, "\n")
}

// process returns a process of a plan.
func process(t *testing.T, p *Plan, name string) Process {
	t.Helper()
	proc := p.find(name)
	if proc == nil {
		t.Fatalf("no process %q among %v", name, p.Names())
	}
	return *proc
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Process{}, "File", "EnvFrom", "AddedPath", "PS", "FirstPort", "NoRestart", "IsReplica")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestProcfile(t *testing.T) {
	file := write(t, "Procfile", "# the application\nweb: bundle exec thin start -p $PORT\n\njob:bundle exec rake jobs:work\nnot a process\nmy-job_2: sleep 1 # all of it\r\n",
		".env", "FOO=bar\nexport QUOTED=\"two words\" # comment\nSINGLE='a # b'\n\nno value\n")
	p := load(t, file)
	web := process(t, p, "web")
	want := Process{
		Name: "web", Line: 2, Script: "bundle exec thin start -p $PORT", Dir: filepath.Dir(file), FreePort: true,
		Env: map[string]string{"FOO": "bar", "QUOTED": "two words", "SINGLE": "a # b"},
	}
	equal(t, "web", web, want)
	equal(t, "names", p.Names(), []string{"web", "job", "my-job_2"})
	equal(t, "command", process(t, p, "my-job_2").Script, "sleep 1 # all of it")
	equal(t, "notes", notesOf(p), ".env:5: "+notVariable+"\nProcfile:5: not of the form NAME: COMMAND, where NAME has only letters, digits, - and _")
}

// As foreman does, hob accepts a byte order mark, lines that end with CR and LF, and indentation.
func TestOddProcfile(t *testing.T) {
	p := load(t, write(t, "Procfile", "\ufeffweb:\techo\ta\r\n\r\n # c\r\n  worker: b\r\n"))
	equal(t, "names", p.Names(), []string{"web", "worker"})
	equal(t, "command", process(t, p, "web").Script, "echo\ta")
	equal(t, "indented", process(t, p, "worker").Script, "b")
	equal(t, "notes", notesOf(p), "")
}

// With a base port, each process has a port of its own.
func TestPortsOfAProcfile(t *testing.T) {
	p := load(t, write(t, "Procfile", "a: x\nb: x\nc: x\n"), "PORT", "5000")
	for i, want := range []string{"5000", "5100", "5200"} {
		if got := p.Processes[i]; got.Env["PORT"] != want || got.FreePort {
			t.Errorf("%s has the port %q (free: %v), want %s", got.Name, got.Env["PORT"], got.FreePort, want)
		}
	}
}

func TestProcessCompose(t *testing.T) {
	file := write(t, "process-compose.yaml", `version: "0.5"
environment:
  - "GLOBAL=1"
  - "PLACE=${HOME}/x"
shell:
  shell_command: "zsh"
  shell_argument: "-c"
processes:
  db:
    command: "echo $$HOME ${USER}"
    working_dir: "data"
    environment:
      - "LOCAL=two=2"
    readiness_probe:
      http_get:
        host: 127.0.0.1
        port: 5432
      period_seconds: 10
    availability:
      restart: on_failure
      max_restarts: 5
      backoff_seconds: 2
    shutdown:
      command: "stop it"
      timeout_seconds: 10
  migrate:
    command: ./migrate
    depends_on:
      db:
        condition: process_healthy
  api:
    command: ./api
    ready_log_line: "ready to accept"
    depends_on: {migrate: {condition: process_completed_successfully}}
    availability: {restart: "always"}
    is_daemon: true
  web:
    command: ./web
    disabled: true
    depends_on:
      api:
        condition: process_log_ready
      migrate:
        condition: process_completed
      db:
        condition: process_started
      clock:
        condition: process_healthy
    liveness_probe:
      exec:
        command: "true"
  clock:
    command: date
    availability:
      restart: no
  cache:
    command: redis-server
    namespace: data
    readiness_probe:
      exec:
        command: "redis-cli ping"
        working_dir: tools
      period_seconds: 3
  search:
    command: x
    readiness_probe:
      http_get:
        host: search.example.com
        port: 9200
  server:
    command: python3 -m http.server 404{{.PC_REPLICA_NUM}}
    readiness_probe:
      http_get:
        port: "404{{.PC_REPLICA_NUM}}"
`, ".env", "DOT=1\n")
	p := load(t, file, "HOME", "/home/ann")
	dir := filepath.Dir(file)
	shell := []string{"zsh", "-c"}
	env := map[string]string{"DOT": "1", "GLOBAL": "1", "PLACE": "/home/ann/x"}
	equal(t, "processes", p.Processes, []Process{
		{
			Name: "db", Line: 9, Script: "echo $HOME ${USER}", Shell: shell, Dir: filepath.Join(dir, "data"),
			Env: map[string]string{"DOT": "1", "GLOBAL": "1", "PLACE": "/home/ann/x", "LOCAL": "two=2"},
			Ready: Ready{Probe: Probe{
				Get:   &httpget.Target{Host: "127.0.0.1", Port: 5432, Header: map[string]string{}},
				Every: 10 * time.Second, Timeout: 10 * time.Second,
			}},
			Restart:  "on-failure:5",
			Backoff:  2 * time.Second,
			Shutdown: Shutdown{Command: "zsh -c 'stop it'", Grace: 10 * time.Second},
		},
		{Name: "migrate", Line: 26, Script: "./migrate", Shell: shell, Dir: dir, Env: env, Needs: []Need{{Name: "db", Until: IsReady, Line: 29}}},
		{
			Name: "api", Line: 31, Script: "./api", Shell: shell, Dir: dir, Env: env, Ready: Ready{Line: "ready to accept"}, Restart: "always", IsDaemon: true,
			Needs: []Need{{Name: "migrate", Until: Succeeded, Line: 34}},
		},
		{
			Name: "web", Line: 37, Script: "./web", Shell: shell, Dir: dir, Env: env, OnRequest: true,
			Needs: []Need{
				{Name: "api", Until: IsReady, Line: 41}, {Name: "migrate", Until: Completed, Line: 43},
				{Name: "db", Line: 45}, {Name: "clock", Line: 47},
			},
			Health: Probe{Script: "true", Dir: dir, Every: 10 * time.Second, Timeout: 10 * time.Second},
		},
		{Name: "clock", Line: 52, Script: "date", Shell: shell, Dir: dir, Env: env},
		{
			Name: "cache", Line: 56, Script: "redis-server", Shell: shell, Dir: dir, Env: env, Ready: Ready{Probe: Probe{
				Script: "redis-cli ping", Dir: filepath.Join(dir, "tools"), Every: 3 * time.Second, Timeout: 10 * time.Second,
			}},
		},
		{
			Name: "search", Line: 64, Script: "x", Shell: shell, Dir: dir, Env: env, Ready: Ready{Probe: Probe{
				Get:   &httpget.Target{Host: "search.example.com", Port: 9200, Header: map[string]string{}},
				Every: 200 * time.Millisecond, Timeout: 10 * time.Second,
			}},
		},
		{Name: "server", Line: 70, Script: "python3 -m http.server 4040", Shell: shell, Dir: dir, Env: env, Ready: Ready{Probe: Probe{
			Get:   &httpget.Target{Port: 4040, Header: map[string]string{}},
			Every: 200 * time.Millisecond, Timeout: 10 * time.Second,
		}}},
	})
	equal(t, "notes", notesOf(p), strings.Join([]string{
		"process-compose.yaml:47: web does not wait until clock is ready: nothing in the file shows it",
		"process-compose.yaml:50: processes.web.liveness_probe: the process has no restart policy, so it is not started again; hob shows that it is unhealthy",
		"process-compose.yaml:58: processes.cache.namespace is not supported",
	}, "\n"))
}

func TestMprocs(t *testing.T) {
	file := write(t, "mprocs.yaml", `hide_keymap_window: true
procs:
  nvim:
    cmd: ["nvim", "a b"]
  server:
    shell: "nodemon server.js"
    cwd: <CONFIG_DIR>/server
    stop: SIGKILL
  webpack: "webpack serve"
  tests:
    shell:
      $select: os
      windows: "echo %TEXT%"
      $else: "echo $TEXT"
    env:
      NODE_ENV: test
      COUNT: 3
      GONE: null
      TEXT:
        $select: os
        plan9: no
        $else: other
    add_path: [bin]
    autostart: false
    autorestart: true
  removed: null
server: 127.0.0.1:4050
`)
	p := load(t, file, "PATH", "/bin")
	dir := filepath.Dir(file)
	none := map[string]string{}
	equal(t, "processes", p.Processes, []Process{
		{Name: "nvim", Line: 3, Command: []string{"nvim", "a b"}, Dir: dir, Env: none},
		{Name: "server", Line: 5, Script: "nodemon server.js", Dir: filepath.Join(dir, "server"), Env: none, Shutdown: Shutdown{Signal: "SIGKILL"}},
		{Name: "webpack", Line: 9, Script: "webpack serve", Dir: dir, Env: none},
		{
			Name: "tests", Line: 10, Script: "echo $TEXT", Dir: dir, OnRequest: true, Restart: "always", Unset: []string{"GONE"},
			Env: map[string]string{"NODE_ENV": "test", "COUNT": "3", "TEXT": "other", "PATH": "/bin:" + filepath.Join(dir, "bin")},
		},
	})
	equal(t, "notes", notesOf(p), "mprocs.yaml:27: server is not supported")
}

func TestTasks(t *testing.T) {
	file := write(t, ".vscode/tasks.json", `{
	// comments and trailing commas are fine
	"version": "2.0.0",
	"options": {"env": {"ALL": "1"}},
	"tasks": [
		{
			"label": "watch", "type": "shell", "command": "tsc", "args": ["-w", "two words", {"value": "it's", "quoting": "strong"}],
			"isBackground": true, "problemMatcher": {"base": "$tsc-watch", "owner": "x"},
			"options": {"cwd": "${workspaceFolder}/client", "env": {"ONE": "1"}},
		},
		{
			"label": "serve", "type": "process", "command": "node", "args": ["server.js", "${env:MODE}"], "isBackground": true,
			"dependsOn": ["build", "watch"], "dependsOrder": "sequence",
			"problemMatcher": [{"pattern": {"regexp": ""}, "background": {"beginsPattern": "x", "endsPattern": "Compiled \\d+"}}],
			"group": "build",
		},
		{"label": "build", "type": "npm", "script": "compile", "path": "client"},
		{"label": "all", "dependsOn": ["serve"], "runOptions": {"runOn": "folderOpen"}},
		{"label": "here", "type": "shell", "command": "cat ${file}"},
		{"label": "needs here", "type": "shell", "command": "ls", "dependsOn": "here"},
		{"type": "typescript", "tsconfig": "tsconfig.json"},
		{"label": "deploy", "type": "shell", "command": "false", "linux": {"command": "deploy"}, "osx": {"command": "deploy"}, "dependsOn": "npm: test", "weight": 3},
	],
	"inputs": [],
}
`)
	p := load(t, file, "MODE", "fast")
	dir := filepath.Dir(filepath.Dir(file))
	all := map[string]string{"ALL": "1"}
	equal(t, "processes", p.Processes, []Process{
		{
			Name: "watch", Line: 6, Script: `tsc -w 'two words' 'it'\''s'`, Dir: filepath.Join(dir, "client"),
			Env:   map[string]string{"ALL": "1", "ONE": "1"},
			Ready: Ready{Line: `Found \d+ errors?\. Watching for file changes`},
			Needs: []Need{{Name: "build", Until: Succeeded, Line: 13, IfChosen: true}},
		},
		{
			Name: "serve", Line: 11, Command: []string{"node", "server.js", "fast"}, Dir: dir, Env: all, Ready: Ready{Line: `Compiled \d+`},
			Needs: []Need{{Name: "build", Until: Succeeded, Line: 13}, {Name: "watch", Until: IsReady, Line: 13}},
		},
		{Name: "build", Line: 17, Command: []string{"npm", "run", "compile"}, Dir: filepath.Join(dir, "client"), Env: all, OnRequest: true},
		{Name: "all", Line: 18, Dir: dir, Env: all, Needs: []Need{{Name: "serve", Until: IsReady, Line: 18}}},
		{Name: "deploy", Line: 22, Script: "deploy", Dir: dir, Env: all, OnRequest: true, Needs: []Need{{Name: "npm: test", Until: Succeeded, Line: 22}}},
		{Name: "npm: test", Line: 22, Command: []string{"npm", "run", "test"}, Dir: dir, Env: map[string]string{}, OnRequest: true},
	})
	equal(t, "notes", notesOf(p), strings.Join([]string{
		`.vscode/tasks.json:19: "here" is left out: ${file} has a value only in the editor`,
		`.vscode/tasks.json:20: "needs here" is left out: it depends on "here", which hob cannot start`,
		`.vscode/tasks.json:21: "tasks[6]" is left out: only the editor runs tasks of the type typescript`,
		`.vscode/tasks.json:22: tasks[7].weight is not supported`,
	}, "\n"))
	chosen, err := p.Select(nil)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "chosen", namesOf(chosen), []string{"build", "watch", "serve"})
}

func namesOf(procs []Process) (names []string) {
	for _, p := range procs {
		names = append(names, p.Name)
	}
	return names
}

func TestSelect(t *testing.T) {
	p := load(t, write(t, "process-compose.yaml", `
processes:
  web: {command: x, depends_on: {api: {condition: process_started}}}
  api: {command: x, depends_on: {db: {condition: process_started}}}
  db: {command: x}
  shell: {command: x, disabled: true}
`))
	for _, test := range []struct{ names, want string }{
		{"", "db api web"}, {"api", "db api"}, {"shell", "shell"}, {"shell db", "db shell"},
	} {
		got, err := p.Select(strings.Fields(test.names))
		if err != nil || strings.Join(namesOf(got), " ") != test.want {
			t.Errorf("%q: %v, %v; want %s", test.names, namesOf(got), err, test.want)
		}
	}
	if _, err := p.Select([]string{"wbe"}); !errors.Is(err, ErrUnknownName) || !strings.Contains(err.Error(), "did you mean web?") {
		t.Errorf("unknown name: %v", err)
	}
}

// A file with another name is recognized by what it contains.
func TestFormatByContent(t *testing.T) {
	for name, content := range map[string]string{
		"dev.yaml": "processes: {web: {command: x}}", "dev.yml": "procs: {web: x}", "dev.json": `{"tasks": [{"label": "web", "command": "x"}]}`,
		"services": "web: x", "Procfile.dev": "web: x",
	} {
		equal(t, name, load(t, write(t, name, content)).Names(), []string{"web"})
	}
}

func TestFind(t *testing.T) {
	file := write(t, ".vscode/tasks.json", "{}", "mprocs.yml", "")
	dir := DirOf(file)
	for _, name := range []string{"mprocs.yml", ".vscode/tasks.json"} {
		want := filepath.Join(dir, name)
		if got, err := Find(dir); got != want || err != nil {
			t.Fatalf("%q, %v; want %s", got, err, want)
		}
		if err := os.Remove(want); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Find(dir); !errors.Is(err, ErrNoFile) {
		t.Errorf("an empty directory: %v", err)
	}
}

func TestExpandEnv(t *testing.T) {
	lookup := variables("A", "1", "EMPTY", "")
	for s, want := range map[string]string{
		"$A ${A} $$A": "1 1 $A", "${NO}x": "x", "${NO:-d} ${EMPTY:-d} ${EMPTY-d}": "d d ", "$ 5": "$ 5", "end$": "end$", "$A_B": "",
	} {
		if got, err := expandEnv(s, lookup); got != want || err != nil {
			t.Errorf("%q: %q, %v; want %q", s, got, err, want)
		}
	}
	for _, s := range []string{"${A^^}", "${A", "${}"} {
		if got, err := expandEnv(s, lookup); err == nil {
			t.Errorf("%q: %q, want an error", s, got)
		}
	}
}

// Whatever a file contains, it is a plan or an error.
func FuzzLoad(f *testing.F) {
	f.Add("Procfile", "web: a\n")
	f.Add("process-compose.yaml", "processes: {a: {command: x, depends_on: {a: {condition: process_healthy}}}}")
	f.Add("process-compose.yaml", "vars: {A: 1}\nprocesses: {a: {command: '{{.A}}{{or \"\" .B}}', replicas: 2, vars: , is_daemon: on}, b: }")
	f.Add("mprocs.yaml", "procs: &a {b: {<<: *a, shell: {$select: os}}}")
	f.Add("tasks.json", `{"tasks": [{"label": "a", "dependsOn": [null, {"type": []}], "dependsOrder": "sequence"}]}`)
	f.Add("x", "\x00{[")
	f.Fuzz(func(t *testing.T, name, content string) {
		name = filepath.Base(name)
		dir := t.TempDir()
		p := &parser{plan: &Plan{File: name, Dir: dir}, lookup: variables("A", "1")}
		plan, err := p.parse(name, []byte(content))
		if err != nil {
			return
		}
		procs, err := plan.Select(nil)
		if err != nil {
			return
		}
		for _, proc := range procs {
			if proc.Name == "" || !proc.Runs() || !filepath.IsAbs(proc.Dir) {
				t.Errorf("%+v", proc)
			}
		}
		for _, n := range plan.Notes {
			if n.Line < 1 {
				t.Errorf("a note without a line: %v", n)
			}
		}
	})
}

// Fields whose names begin with x- are extensions by definition: they carry anchors.
func TestProcessComposeExtensions(t *testing.T) {
	file := write(t, "process-compose.yaml", "x-common: &c {restart: on_failure}\nprocesses:\n  a: {command: run, availability: *c}\n")
	p := load(t, file)
	if got := notesOf(p); got != "" {
		t.Errorf("notes %q", got)
	}
	if a := process(t, p, "a"); a.Restart != "on-failure" {
		t.Errorf("restart %q", a.Restart)
	}
}

// The limits of a probe become a time, in which each attempt of the file could have failed.
func TestLimitOfAProbe(t *testing.T) {
	for _, test := range []struct {
		name, probe string
		want        time.Duration
	}{
		{"none", "exec: {command: x}, period_seconds: 3", 0},
		{"attempts", "exec: {command: x}, failure_threshold: 3, period_seconds: 4, timeout_seconds: 2", 18 * time.Second},
		{"defaults", "http_get: {port: 1}, failure_threshold: 3", 33 * time.Second},
		{"a delay", "http_get: {port: 1}, failure_threshold: 1, initial_delay_seconds: 20", 31 * time.Second},
		{"huge", "exec: {command: x}, failure_threshold: 9999999999, period_seconds: 9999999999, timeout_seconds: 9999999999", 20_000 * 24 * time.Hour},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := load(t, write(t, "process-compose.yaml", "processes: {a: {command: x, readiness_probe: {"+test.probe+"}}}\n"))
			equal(t, "limit", process(t, p, "a").Ready.Limit, test.want)
		})
	}
}
