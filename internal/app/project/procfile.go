package project

import (
	"regexp"
	"strconv"
	"strings"
)

// procfile parses a Procfile: lines of the form NAME: COMMAND. As with foreman, the variables of the
// file .env are set, and PORT: it is 100 higher for each further process if it has a value, and a free
// port otherwise.
func (p *parser) procfile(data []byte) {
	entry := regexp.MustCompile(`^([A-Za-z0-9_-]+):\s*(\S.*)$`)
	if p.usesOvermind() {
		p.owner = overmind
	}
	env := p.variables()
	base, hasPort := p.firstPort(env)
	for i, line := range strings.Split(strings.TrimPrefix(string(data), "\ufeff"), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		m := entry.FindStringSubmatch(line)
		if m == nil {
			p.note(i+1, "not of the form NAME: COMMAND, where NAME has only letters, digits, - and _")
			continue
		}
		proc := p.process(m[1], i+1)
		proc.Script, proc.FreePort = m[2], !hasPort
		proc.PS = proc.Name + ".1"
		proc.addFiles(env)
		delete(proc.Env, "PORT")
		if hasPort {
			proc.FirstPort = base + 100*len(p.plan.Processes)
			proc.setPort(0)
		}
		p.add(proc)
	}
}

const maxPort = 65535

// firstPort returns the port of the first process; ok is false if each process gets a free one.
func (p *parser) firstPort(env []envFile) (port int, ok bool) {
	text, ok := p.lookup("PORT")
	from := Note{File: p.plan.File}
	for _, f := range env {
		if own, has := f.env["PORT"]; has {
			text, ok, from.File = own, true, f.name
		}
	}
	if !ok {
		return 0, false
	}
	port, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || port < 1 || port > maxPort {
		from.Text = "PORT is not a port from 1 to 65535, so each process gets a free port"
		p.plan.Notes = append(p.plan.Notes, from)
		return 0, false
	}
	return port, true
}

// setPort sets PORT for a copy of the process, counted from 0. If there is no such port, it is a free one.
func (p *Process) setPort(copy int) {
	if p.FirstPort == 0 {
		return
	}
	delete(p.Env, "PORT")
	port := p.FirstPort + copy
	if p.FreePort = port > maxPort; !p.FreePort {
		p.Env["PORT"] = strconv.Itoa(port)
	}
}
