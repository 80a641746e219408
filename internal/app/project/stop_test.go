package project

import (
	"testing"
	"time"
)

// A process is asked to end as the owner of its file does it.
func TestStopOfMprocs(t *testing.T) {
	for text, want := range map[string]Shutdown{
		"SIGINT":                           {Signal: "SIGINT"},
		"SIGTERM":                          {},
		"SIGKILL":                          {Signal: "SIGKILL"},
		"hard-kill":                        {Signal: "SIGKILL"},
		"{send-keys: [<C-c>]}":             {Signal: "SIGINT"},
		"{send-keys: [\":\", q, <Enter>]}": {Command: `hob write --keys "$HOB_JOB_ID" : q Enter`},
		"{send-keys: [<M-Up>, <Esc>]}":     {Command: `hob write --keys "$HOB_JOB_ID" M-Up Escape`},
	} {
		p := load(t, write(t, "mprocs.yaml", "procs:\n  a:\n    shell: x\n    stop: "+text+"\n"))
		equal(t, text, p.Processes[0].Shutdown, want)
		equal(t, "notes of "+text, notesOf(p), "")
	}
	for text, want := range map[string]string{
		"{send-keys: [<Hyper-x>]}": "mprocs.yaml:4: procs.a.stop.send-keys: the key <Hyper-x> is not known; the process gets SIGTERM",
		"SIGNONE":                  `mprocs.yaml:4: procs.a.stop is not supported (no signal "SIGNONE"; use a name such as TERM or a number); the process gets SIGTERM`,
		"{other: 1}":               "mprocs.yaml:4: procs.a.stop is not supported; the process gets SIGTERM",
	} {
		p := load(t, write(t, "mprocs.yaml", "procs:\n  a:\n    shell: x\n    stop: "+text+"\n"))
		equal(t, text, p.Processes[0].Shutdown, Shutdown{})
		equal(t, "notes of "+text, notesOf(p), want)
	}
}

func TestShutdownOfProcessCompose(t *testing.T) {
	p := load(t, write(t, "process-compose.yaml", `shell: {shell_command: bash, shell_argument: -c}
processes:
  db:
    command: postgres
    shutdown: {signal: 2, timeout_seconds: 7}
  box:
    command: docker run --name box x
    shutdown: {command: docker stop box}
  only:
    command: x
    shutdown: {signal: 15, parent_only: yes}
`))
	equal(t, "by a signal", p.Processes[0].Shutdown, Shutdown{Signal: "SIGINT", Grace: 7 * time.Second})
	equal(t, "by a command", p.Processes[1].Shutdown, Shutdown{Command: "bash -c 'docker stop box'"})
	equal(t, "the parent only", p.Processes[2].Shutdown, Shutdown{})
	equal(t, "notes", notesOf(p), "process-compose.yaml:11: processes.only.shutdown.parent_only is not supported; all processes get the signal")
}
