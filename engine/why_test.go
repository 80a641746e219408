package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
)

// The ends that are known from the records of the job, of its host or of its scheduler.
func TestExplainRecordedEnds(t *testing.T) {
	code := func(n int) *int { return &n }
	const last = "step 41 of 90"
	for name, c := range map[string]struct {
		exit    engine.Exit
		runs    int // restarts
		output  string
		summary string
		cause   string
	}{
		"oom by Slurm": {
			exit:    engine.Exit{Status: engine.Killed, Reason: engine.ReasonOOM, Signal: "SIGKILL", EndedBy: "slurm"},
			summary: "Out of memory (SIGKILL)", cause: "out_of_memory",
		},
		"oom by Slurm, recorded code": {
			exit:    engine.Exit{Status: engine.Killed, Reason: engine.ReasonOOM, Code: code(137), Signal: "SIGKILL", EndedBy: "slurm"},
			summary: "Out of memory (SIGKILL)", cause: "out_of_memory",
		},
		"oom here": {
			exit:    engine.Exit{Status: engine.Killed, Reason: engine.ReasonSignal, Code: code(137), Signal: "SIGKILL", OOMKills: 1},
			summary: "Killed by the kernel because memory ran out (SIGKILL)", cause: "out_of_memory",
		},
		"preempted": {
			exit:    engine.Exit{Status: engine.Lost, Reason: engine.ReasonPreempted, Error: "Slurm ended it for another job, and its end was not recorded"},
			summary: "Preempted: its scheduler needed the resources for another job", cause: "preempted",
		},
		"node failed": {
			exit:    engine.Exit{Status: engine.Lost, Reason: engine.ReasonNodeFailed, Error: "its node failed"},
			summary: "Lost: its node failed; output until then is kept", cause: "lost",
		},
		"time limit of Slurm": {
			exit:    engine.Exit{Status: engine.Killed, Reason: engine.ReasonTimeout, EndedBy: "slurm"},
			summary: "Timed out at the time limit of Slurm", cause: "timeout",
		},
		"time limit of Slurm, recorded code": {
			exit:    engine.Exit{Status: engine.Killed, Reason: engine.ReasonTimeout, Code: code(143), Signal: "SIGTERM", EndedBy: "slurm"},
			summary: "Timed out at the time limit of Slurm (SIGTERM)", cause: "timeout",
		},
		"canceled in Slurm": {
			exit:    engine.Exit{Status: engine.Killed, Reason: engine.ReasonKill, EndedBy: "slurm"},
			summary: "Stopped by Slurm", cause: "stopped",
		},
		"not accepted by a node": {
			exit:    engine.Exit{Status: engine.Failed, Reason: engine.ReasonSpawn, Error: "Slurm gives the reason JobLaunchFailure"},
			summary: "Could not be started: Slurm gives the reason JobLaunchFailure", cause: "",
		},
		"unknown to Slurm": {
			exit:    engine.Exit{Status: engine.Lost, Reason: engine.ReasonHolderDied, Error: "Slurm no longer knows the job, and its end was not recorded"},
			summary: "Lost: Slurm no longer knows the job, and its end was not recorded", cause: "lost",
		},
		"directory on the host removed": {
			exit:    engine.Exit{Status: engine.Lost, Reason: engine.ReasonHolderDied, Error: "its directory on the host no longer exists"},
			summary: "Lost: its directory on the host no longer exists", cause: "lost",
		},
		"host restarted": {
			exit:    engine.Exit{Status: engine.Lost, Reason: engine.ReasonReboot, Error: "the host was restarted"},
			summary: "Lost: the machine restarted; output until then is kept", cause: "lost",
		},
		"holder died": {
			exit:    engine.Exit{Status: engine.Lost, Reason: engine.ReasonHolderDied},
			summary: "Lost: its supervisor process died; output until then is kept", cause: "lost",
		},
		"dependency": {
			exit:    engine.Exit{Status: engine.Failed, Reason: engine.ReasonDependency, Error: "build-7k2qm exited 1"},
			summary: "Was not started: build-7k2qm exited 1", cause: "dependency",
		},
		"signal by a client": {
			exit:    engine.Exit{Status: engine.Killed, Reason: engine.ReasonSignal, Code: code(137), Signal: "SIGKILL", EndedBy: "cli"},
			summary: "Killed by SIGKILL, sent by you", cause: "signal",
		},
		"restarted": {
			exit: engine.Exit{Status: engine.Exited, Reason: engine.ReasonExit, Code: code(1)}, runs: 3,
			output:  "sh: 1: frob: not found",
			summary: "Exited 1: command not found: frob; it had been restarted 3 times", cause: "command_not_found",
		},
		"code of a signal": {
			exit:    engine.Exit{Status: engine.Exited, Reason: engine.ReasonExit, Code: code(143)},
			summary: "Exited 143, the code for a process that was killed by SIGTERM (terminated)", cause: "signal",
		},
		"code of a signal after an error": {
			exit:    engine.Exit{Status: engine.Exited, Reason: engine.ReasonExit, Code: code(143)},
			output:  "a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.",
			summary: "Exited 143, the code for a process that was killed by SIGTERM (terminated)", cause: "signal",
		},
		"code of an interrupt": {
			exit:    engine.Exit{Status: engine.Exited, Reason: engine.ReasonExit, Code: code(130)},
			output:  "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\nKeyboardInterrupt",
			summary: "Exited 130: interrupted: KeyboardInterrupt (a.py:1)", cause: "interrupted",
		},
		"error that was got over": {
			exit:    engine.Exit{Status: engine.Exited, Reason: engine.ReasonExit, Code: code(3)},
			output:  "Port 5173 is in use, trying another one...\nready in 300 ms\n12 of 14 checks passed",
			summary: "Exited 3, and its output does not show why; it ends with \"12 of 14 checks passed\"", cause: "",
		},
		"error before other output": {
			exit:    engine.Exit{Status: engine.Exited, Reason: engine.ReasonExit, Code: code(3)},
			output:  "cat: list: No such file or directory\n12 of 14 checks passed",
			summary: "Exited 3, and this line may say why: cat: list: No such file or directory; its output ends with \"12 of 14 checks passed\"", cause: "error",
		},
		"code that cannot be read": {
			exit:    engine.Exit{Status: engine.Exited, Reason: engine.ReasonExit, Error: "its exit code cannot be read"},
			summary: "Ended, exit code unknown, and its output does not show why; it ends with \"step 41 of 90\"", cause: "",
		},
		"only a code is known": {
			exit:    engine.Exit{Status: engine.Exited, Code: code(1)},
			output:  "sh: 1: frob: not found",
			summary: "Exited 1: command not found: frob", cause: "command_not_found",
		},
		"virtual execution": {
			exit:    engine.Exit{Status: engine.Failed, Reason: engine.ReasonExit, Error: "dial tcp [::1]:9: connect: connection refused"},
			summary: "Failed: dial tcp [::1]:9: connect: connection refused", cause: "connection_refused",
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, f := withFake(t)
			id := start(t, e, engine.Spec{}).ID
			job := f.Job(id)
			job.Print(last + "\n" + c.output + "\n")
			if c.runs > 0 {
				job.Runs(&engine.Runs{Count: c.runs})
			}
			job.End(c.exit)
			x, err := e.Handle(id).Explain(t.Context(), true)
			if err != nil {
				t.Fatal(err)
			}
			if x.Summary != c.summary || x.Cause != c.cause {
				t.Errorf("%q: %q, want %q: %q", x.Cause, x.Summary, c.cause, c.summary)
			}
			// An agent's answer has the sentence or the ending, which say the same.
			brief, err := e.Handle(id).Explain(t.Context(), false)
			found := brief.Finding
			if err != nil {
				t.Fatal(err)
			}
			if want := c.summary; c.cause == "" {
				if found != "" {
					t.Errorf("finding %q of an unknown cause", found)
				}
			} else if found != want {
				t.Errorf("finding %q", found)
			}
		})
	}
}

// A job that fails again and again is also explained in the moment in which it runs once more.
func TestExplainRunAfterFailures(t *testing.T) {
	e, f := withFake(t)
	id := start(t, e, engine.Spec{}).ID
	failed := engine.Exit{Status: engine.Exited, Reason: engine.ReasonExit, Code: new(1), Summary: "connection refused"}
	f.Job(id).Runs(&engine.Runs{Count: 4, Failures: 4, Last: &failed})
	x, err := e.Handle(id).Explain(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	if _, before, _ := strings.Cut(x.Summary, "; "); before != "before that, it failed 4×: connection refused" {
		t.Errorf("%q", x.Summary)
	}
}

// A program whose message names no port has been told one by its command line.
func TestExplainPortOfCommandLine(t *testing.T) {
	const python, unknown = "OSError: [Errno 98] Address already in use", "port in use: OSError: [Errno 98] Address already in use"
	for name, c := range map[string]struct {
		command []string
		script  string
		output  string
		says    string
	}{
		"http.server":            {command: []string{"python3", "-m", "http.server", "8000"}, output: python, says: "port 8000 is in use"},
		"http.server, bound":     {command: []string{"python3", "-m", "http.server", "--bind", "127.0.0.1", "8000"}, output: python, says: "port 8000 is in use"},
		"runserver":              {script: "python manage.py runserver 8001", output: "Error: That port is already in use.", says: "port 8001 is in use"},
		"runserver, address":     {script: "python manage.py runserver 0.0.0.0:8001", output: "Error: That port is already in use.", says: "port 8001 is in use"},
		"flag":                   {command: []string{"app", "--port", "5173"}, output: python, says: "port 5173 is in use"},
		"flag with =":            {command: []string{"app", "--port=5173"}, output: python, says: "port 5173 is in use"},
		"short flag":             {command: []string{"app", "-p", "5173", "-w", "4"}, output: python, says: "port 5173 is in use"},
		"short flag, no space":   {command: []string{"app", "-p5173"}, output: python, says: "port 5173 is in use"},
		"flag of Go":             {command: []string{"app", "-http-port", "81"}, output: python, says: "port 81 is in use"},
		"address":                {command: []string{"app", ":8080"}, output: python, says: "port 8080 is in use"},
		"address after a flag":   {command: []string{"app", "--listen=0.0.0.0:8080"}, output: python, says: "port 8080 is in use"},
		"address of IPv6":        {command: []string{"app", "[::]:8080"}, output: python, says: "port 8080 is in use"},
		"variable":               {script: "PORT=3000 node server.js", output: python, says: "port 3000 is in use"},
		"the same twice":         {script: "PORT=3000 app --port 3000", output: python, says: "port 3000 is in use"},
		"two ports":              {command: []string{"app", "--port", "5173", "--listen", ":8080"}, output: python, says: unknown},
		"two flags":              {script: "app -p 5173 -p 5174", output: python, says: unknown},
		"no port":                {command: []string{"app"}, output: python, says: unknown},
		"a year":                 {command: []string{"app", "--year", "2024"}, output: python, says: unknown},
		"a report":               {command: []string{"app", "--report", "2024"}, output: python, says: unknown},
		"port of the database":   {command: []string{"app", "--db-port", "5432"}, output: python, says: unknown},
		"variable of a database": {script: "DB_PORT=5432 app", output: python, says: unknown},
		"URL":                    {command: []string{"app", "--api", "http://localhost:9000/"}, output: python, says: unknown},
		"another machine":        {command: []string{"app", "db:5432"}, output: python, says: unknown},
		"number of processes":    {command: []string{"app", "-p", "16"}, output: python, says: unknown},
		"too large":              {command: []string{"app", "--port", "70000"}, output: python, says: unknown},
		"the message has one":    {command: []string{"app", "--port", "5173"}, output: "listen tcp :9000: bind: address already in use", says: "port 9000 is in use"},
		"another cause":          {command: []string{"app", "--port", "5173"}, output: "ls: x: Permission denied", says: "ls: x: Permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			e, f := withFake(t)
			id := start(t, e, engine.Spec{Command: c.command, Script: c.script}).ID
			job := f.Job(id)
			job.Print(c.output + "\n")
			code := 1
			job.End(engine.Exit{Status: engine.Exited, Reason: engine.ReasonExit, Code: &code})
			x, err := e.Handle(id).Explain(t.Context(), true)
			if err != nil {
				t.Fatal(err)
			}
			if want := "Exited 1: " + c.says; x.Summary != want {
				t.Errorf("%q, want %q", x.Summary, want)
			}
		})
	}
}

func TestExplainUnreachableHost(t *testing.T) {
	f := newFake("web1")
	e := open(t, engine.WithBackend(f))
	id := start(t, e, engine.Spec{Host: "web1"}).ID
	f.Cut(engine.ErrUnreachable)
	x, err := e.Handle(id).Explain(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(engine.Explanation{Summary: x.Summary, Evidence: []engine.Evidence{}}, x); diff != "" {
		t.Error(diff)
	}
	if !strings.HasPrefix(x.Summary, "Unknown: web1 is unreachable (") {
		t.Error(x.Summary)
	}
}
