package project

import (
	"os/exec"
	"path/filepath"
	"testing"
	"time"
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

// A process may depend on single replicas, and templates have their numbers.
func TestProcessComposeReplicasAndTemplates(t *testing.T) {
	p := load(t, write(t, "process-compose.yaml", `vars: {BASE: 82, EMPTY: "", NAME: all}
processes:
  node:
    command: serve {{ .BASE }}{{.PC_REPLICA_NUM}} {{ or "${PORT}" .BASE }} {{or .EMPTY "none"}}
    working_dir: dir-{{ .NAME }}
    environment: ["ME={{.NAME}}-{{.PC_REPLICA_NUM}}"]
    vars: {NAME: own}
    replicas: 3
    readiness_probe: {http_get: {port: "{{.BASE}}2{{.PC_REPLICA_NUM}}"}}
  kept: {command: "echo {{.NAME}}", is_template_disabled: true}
  odd: {command: "docker ps {{.Names}}"}
  one: {command: one, depends_on: {node-1: {condition: process_healthy}}}
  all:
    command: all
    depends_on:
      node-2: {condition: process_completed}
      node: {condition: process_healthy}
`), "PORT", "7")
	node := process(t, p, "node-2")
	equal(t, "script", node.Script, "serve 822 ${PORT} none")
	equal(t, "dir", filepath.Base(node.Dir), "dir-own")
	equal(t, "env", node.Env, map[string]string{"ME": "own-2"})
	equal(t, "port", node.Ready.Probe.Get.Port, 8222)
	equal(t, "first port", process(t, p, "node-0").Ready.Probe.Get.Port, 8220)
	equal(t, "kept", process(t, p, "kept").Script, "echo {{.NAME}}")
	equal(t, "one", process(t, p, "one").Needs, []Need{{Name: "node-1", Until: IsReady, Line: 12}})
	equal(t, "all", process(t, p, "all").Needs, []Need{
		{Name: "node-2", Until: Completed, Line: 16},
		{Name: "node-0", Until: IsReady, Line: 17},
		{Name: "node-1", Until: IsReady, Line: 17},
	})
	equal(t, "notes", notesOf(p), "process-compose.yaml:11: processes.odd.command: "+errTemplate.Error())
}

func TestMprocsDependencies(t *testing.T) {
	p := load(t, write(t, "mprocs.yaml", "procs:\n  web: {cmd: [web], deps: [db]}\n  db: {cmd: [db]}\n"))
	equal(t, "needs", process(t, p, "web").Needs, []Need{{Name: "db", Line: 2}})
}

func TestProcessComposeLogFiles(t *testing.T) {
	p := load(t, write(t, "process-compose.yaml", `processes:
  web:
    command: serve
    entrypoint: [other]
    log_location: ./logs/web.log
    readiness_probe: {exec: {command: grep -q up logs/web.log}}
  quiet: {command: quiet, log_location: ./logs/quiet.log}
`))
	equal(t, "notes", notesOf(p), "process-compose.yaml:4: processes.web.entrypoint is not used beside command\n"+
		"process-compose.yaml:5: log_location: hob does not write ./logs/web.log, which a command of the file uses; the output is in hob log")
}

func TestProcessComposeExtends(t *testing.T) {
	file := write(t, "process-compose.yaml", `extends: base/all.yaml
processes:
  api:
    environment: [MODE=dev]
  worker:
    extends: api
    command: work
    environment: [QUEUE=mail]
    readiness_probe: {period_seconds: 3}
  leaf: {extends: worker, availability: {restart: always}}
`)
	dir := filepath.Dir(file)
	writeFile(t, filepath.Join(dir, "base", "all.yaml"), `processes:
  api:
    command: serve
    environment: [MODE=prod, LEVEL=1]
    readiness_probe: {exec: {command: "true"}, failure_threshold: 2}
  db: {command: serve-db, working_dir: data}
`)
	p := load(t, file)
	equal(t, "notes", notesOf(p), "")
	equal(t, "merged", p.Merged, []string{"base/all.yaml"})
	api, worker, leaf := process(t, p, "api"), process(t, p, "worker"), process(t, p, "leaf")
	equal(t, "directory of api", api.Dir, filepath.Join(dir, "base"))
	equal(t, "directory of db", process(t, p, "db").Dir, filepath.Join(dir, "base", "data"))
	equal(t, "variables of api", api.Env, map[string]string{"MODE": "dev", "LEVEL": "1"})
	equal(t, "probe of api", api.Ready.Probe.Every, execEvery)
	equal(t, "command of worker", worker.Script, "work")
	equal(t, "variables of leaf", leaf.Env, map[string]string{"MODE": "dev", "LEVEL": "1", "QUEUE": "mail"})
	equal(t, "probe of leaf", leaf.Ready.Probe.Every, 3*time.Second)
	equal(t, "restart of leaf", leaf.Restart, "always")
	equal(t, "restart of worker", worker.Restart, "")
}

func TestProcessComposeSuccessExitCodes(t *testing.T) {
	p := load(t, write(t, "process-compose.yaml", `shell: {shell_command: sh}
processes:
  three: {command: exit 3, success_exit_codes: [3, 143]}
  other: {command: exit 4, success_exit_codes: [3, 143]}
  zero: {command: "true", success_exit_codes: [3]}
  killed: {command: "kill -TERM $$$$", success_exit_codes: [3, 143]}
  list: {entrypoint: [sh, -c, exit 3], success_exit_codes: [3]}
`))
	equal(t, "notes", notesOf(p), "")
	for name, want := range map[string]int{"three": 0, "other": 4, "zero": 0, "killed": 0, "list": 0} {
		proc := process(t, p, name)
		argv := proc.argv()
		cmd := exec.Command(argv[0], argv[1:]...)
		if err := cmd.Run(); cmd.ProcessState == nil {
			t.Fatal(err)
		}
		equal(t, name, cmd.ProcessState.ExitCode(), want)
	}
}

// What process-compose does not start when it begins is not started either.
func TestProcessComposeSchedules(t *testing.T) {
	p := load(t, write(t, "process-compose.yaml", `processes:
  nightly: {command: a, schedule: {cron: "0 2 * * *"}}
  early: {command: a, schedule: {interval: 5m, run_on_start: true}}
  root: {command: a, is_elevated: true, launch_timeout_seconds: 2}
`))
	equal(t, "nightly on request", process(t, p, "nightly").OnRequest, true)
	equal(t, "early on request", process(t, p, "early").OnRequest, false)
	equal(t, "command of root", process(t, p, "root").Script, "sudo a")
	equal(t, "notes", notesOf(p), "process-compose.yaml:2: processes.nightly.schedule is not supported; hob starts the process on request only\n"+
		"process-compose.yaml:3: processes.early.schedule is not supported; hob starts the process once")
}
