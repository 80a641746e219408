package project

import (
	"path/filepath"
	"testing"
)

func TestTasksAsTheEditorReadsThem(t *testing.T) {
	file := filepath.Join(t.TempDir(), "two words", ".vscode", "tasks.json")
	writeFile(t, file, `{
	"inputs": [
		{"id": "mode", "type": "pickString", "default": "dev", "options": ["dev", "prod"]},
		{"id": "token", "type": "promptString"}
	],
	"tasks": [
		{"label": "path", "type": "shell", "command": "${workspaceFolder}/run", "args": ["${workspaceFolder}/in"]},
		{"label": "line", "type": "shell", "command": "cd ${workspaceFolderBasename} && run"},
		{"label": "mode", "type": "shell", "command": "serve --mode ${input:mode}"},
		{"label": "token", "type": "shell", "command": "serve --token ${input:token}"},
		{"label": "watch", "type": "shell", "command": "watch", "isBackground": true},
		{"label": "asked", "type": "shell", "command": "watch", "isBackground": true, "runOptions": {"runOn": "default"}},
		{"label": "opened", "type": "shell", "command": "watch", "runOptions": {"runOn": "folderOpen"}}
	]
}`)
	p := load(t, file)
	dir := filepath.Dir(filepath.Dir(file))
	equal(t, "path", process(t, p, "path").Script, "'"+dir+"/run' '"+dir+"/in'")
	equal(t, "line", process(t, p, "line").Script, "cd two words && run")
	equal(t, "mode", process(t, p, "mode").Script, "serve --mode dev")
	equal(t, "notes", notesOf(p), `.vscode/tasks.json:10: "token" is left out: ${input:token} has no default; hob up asks for it in a terminal`)
	for name, want := range map[string]bool{"watch": false, "asked": true, "opened": false, "mode": true} {
		equal(t, name, process(t, p, name).OnRequest, want)
	}
}

func TestMprocsCommands(t *testing.T) {
	p := load(t, write(t, "mprocs.yaml", `x-common: &common {autorestart: true}
procs:
  text: {cmd: "serve --port 1", x-note: y}
  list: {cmd: [serve, "a b"]}
`))
	equal(t, "text", process(t, p, "text").Script, "serve --port 1")
	equal(t, "list", process(t, p, "list").Command, []string{"serve", "a b"})
	equal(t, "notes", notesOf(p), "")
}

func TestProcessComposeRestartLimits(t *testing.T) {
	p := load(t, write(t, "process-compose.yaml", `processes:
  always: {command: a, availability: {restart: always, max_restarts: 3}}
  failure: {command: a, availability: {restart: on_failure, max_restarts: 2}}
  endless: {command: a, availability: {restart: always, max_restarts: 0}}
  never: {command: a, availability: {restart: "no", max_restarts: 2}}
`))
	for name, want := range map[string]string{"always": "always:3", "failure": "on-failure:2", "endless": "always", "never": ""} {
		equal(t, name, process(t, p, name).Restart, want)
	}
	equal(t, "notes", notesOf(p), "")
}
