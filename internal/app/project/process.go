package project

import (
	"cmp"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/engine"
)

// describe sets what the file says about the job of a process.
func (p *Process) describe(s *engine.Spec, key digestKey) {
	s.Command, s.Script = p.argv(), ""
	if s.Command == nil {
		s.Script = p.Script
	}
	s.Dir, s.Env, s.EnvDigests = p.Dir, p.Env, key.digests(*p)
	s.Restart, s.RestartPause = p.Restart, 0
	if p.Restart != "" {
		s.RestartPause = p.Backoff
	}
	s.Port = 0
	if p.FreePort {
		s.Port = engine.AutoPort
	}
	s.Health = p.HealthCheck()
	s.StopSignal, s.StopCommand = p.Shutdown.Signal, p.Shutdown.Command
	if p.Shutdown.Grace > 0 {
		s.Grace = p.Shutdown.Grace
	}
}

// addEnv adds variables from a file; from is empty for the file that describes the process.
func (p *Process) addEnv(env map[string]string, from string) {
	for name, value := range env {
		p.Env[name] = value
		delete(p.EnvFrom, name)
		if from == "" {
			continue
		}
		if p.EnvFrom == nil {
			p.EnvFrom = map[string]string{}
		}
		p.EnvFrom[name] = from
	}
}

// addFiles adds the variables of files.
func (p *Process) addFiles(files []envFile) {
	for _, f := range files {
		p.addEnv(f.env, f.name)
	}
}

// source returns the file that a variable is from; empty: the one that describes the process.
func (p *Process) source(name string) string { return p.EnvFrom[name] }

// startOptions returns the options for the start of the job.
func (p *Process) startOptions() []engine.StartOption {
	return []engine.StartOption{engine.WithEnviron(p.environ())}
}

// environ returns the environment that the process inherits, with the variables that tell it which process it is.
func (p *Process) environ() []string {
	environ := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(p.Unset, name)
	})
	environ = append(environ, "HOB_PROCESS="+p.Name)
	if p.PS != "" {
		environ = append(environ, "PS="+p.PS)
	}
	if p.IsReplica {
		environ = append(environ, "PC_PROC_NAME="+cmp.Or(p.Base, p.Name), "PC_REPLICA_NUM="+strconv.Itoa(max(0, p.Copy-1)))
	}
	return environ
}
