package project

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestMistakes(t *testing.T) {
	for _, test := range []struct{ name, content, want string }{
		{"Procfile", "web: a\nweb: b\n", `Procfile:2: duplicate process "web"; first on line 1`},
		{"Procfile", manyProcesses(), "Procfile:1001: there are more than 1000 processes"},
		{"Procfile", "\n", "Procfile: it describes no processes"},
		{"Procfile", "# web\n\nmy web: x\n", "Procfile:3: not of the form NAME: COMMAND, where NAME has only letters, digits, - and _; the file describes no processes"},
		{"Procfile", "größe: x\n", "Procfile:1: not of the form NAME: COMMAND, where NAME has only letters, digits, - and _; the file describes no processes"},
		{"process-compose.yaml", "processes:\n  a: {command: x}\n---\nprocesses:\n  b: {command: y}\n", "process-compose.yaml:3: a second document; hob reads files with one"},
		{"process-compose.yaml", "processes:\n\ta: {command: x}\n", "process-compose.yaml:2: indented with a tab; YAML needs spaces"},
		{"process-compose.yaml", "- a\n", "process-compose.yaml:1: the file must be an object"},
		{"process-compose.yaml", "processes:\n  a: {command: x}\n  b:\n    command: y\n    depends_on: [a]\n", "process-compose.yaml:5: processes.b.depends_on must be an object"},
		{"process-compose.yaml", "# none\n", "process-compose.yaml: it describes no processes"},
		{"process-compose.yaml", "processes:\n  a:\n    command: x\n  a:\n    command: y\n", `process-compose.yaml:4: duplicate field "a"`},
		{"process-compose.yaml", "is_strict: true\nprocesses:\n  a: {command: x, depends_on: {b: {condition: process_started}}}\n", `process-compose.yaml:3: a needs "b", which the file does not describe`},
		{"process-compose.yaml", "processes:\n  a:\n    command: [x]\n", "process-compose.yaml:3: processes.a.command must be text"},
		{"process-compose.yaml", "processes:\n  a:\n    description: x\n", "process-compose.yaml:2: processes.a has no command"},
		{"process-compose.yaml", "processes:\n  a:\n", "process-compose.yaml:2: processes.a has no command"},
		{"process-compose.yaml", "processes:\n  a:\n    extends: b\n", "process-compose.yaml:3: extends: the file describes no process \"b\""},
		{"process-compose.yaml", "processes:\n  a:\n    extends: b\n  b:\n    extends: a\n", "process-compose.yaml:5: extends: a extends itself"},
		{"process-compose.yaml", "extends: ./process-compose.yaml\nprocesses:\n  a:\n    command: a\n", "process-compose.yaml:1: extends: process-compose.yaml extends itself"},
		{"process-compose.yaml", "processes:\n  a:\n    command: a\n    success_exit_codes: [256]\n", "process-compose.yaml:4: processes.a.success_exit_codes: exit codes are numbers from 0 to 255"},
		{"process-compose.yaml", "processes:\n  a: {command: x}\nshell: {command: zsh}\n", "process-compose.yaml:3: shell has no shell_command, so no process can be started"},
		{"process-compose.yaml", "processes:\n  a:\n    command: x\n    environment:\n      V: 1\n      V: 2\n", `process-compose.yaml:6: duplicate field "V"`},
		{"process-compose.yaml", "processes:\n  a: {command: x, replicas: 1000}\n", "process-compose.yaml:2: processes.a.replicas: there can be 100 at most"},
		{"process-compose.yaml", "processes: [a]\n", "process-compose.yaml:1: processes must be an object"},
		{"process-compose.yaml", "", "process-compose.yaml: it describes no processes"},
		{"mprocs.yaml", "procs:\n  a: {shell: x, cmd: [y]}\n", "mprocs.yaml:2: procs.a has both shell and cmd"},
		{"mprocs.yaml", "procs:\n  a: &a {shell: x, b: *a}\n", "mprocs.yaml:2: the file describes too much"},
		{"other.yaml", "services: {}\n", "other.yaml: unknown format: it has none of the fields processes, procs and tasks"},
		{"tasks.json", `{"tasks":` + strings.Repeat("[", 900_000), "tasks.json:1: the file describes too much"},
		{"tasks.json", `{"tasks":` + strings.Repeat("[", 90_000) + strings.Repeat("]", 90_000) + "}", "tasks.json:1: the file describes too much"},
		{"tasks.json", `{"version": "0.1.0", "command": "x"}`, "tasks.json:1: version 0.1.0 of tasks.json is not supported"},
		{"tasks.json", "{\n\"tasks\": [\n{\"label\": \"a\", \"command\": \"x\"},\n{\"label\": \"a\", \"command\": \"x\"}]}", `tasks.json:4: duplicate process "a"; first on line 3`},
	} {
		_, err := loadFile(write(t, test.name, test.content))
		var mistake *Error
		if !errors.As(err, &mistake) || err.Error() != test.want {
			t.Errorf("%s: %q, want %q", test.name, err, test.want)
		}
	}
	for name, content := range map[string]string{
		"process-compose.yaml": "processes:\n  a: x: y\n",
		"tasks.json":           "{\n\"tasks\": [}",
	} {
		if _, err := loadFile(write(t, name, content)); err == nil || !strings.HasPrefix(err.Error(), name+":2: ") {
			t.Errorf("%s: %v, want an error with line 2", name, err)
		}
	}
}

func manyProcesses() string {
	var b strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&b, "p%d: x\n", i)
	}
	return b.String()
}

func TestCycle(t *testing.T) {
	p := load(t, write(t, "process-compose.yaml", `processes:
  a: {command: x, depends_on: {b: {condition: process_started}}}
  b: {command: x, depends_on: {c: {condition: process_started}}}
  c: {command: x, depends_on: {a: {condition: process_started}}}
`))
	_, err := p.Select(nil)
	if want := "process-compose.yaml:2: circular dependency: a → b → c → a"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
