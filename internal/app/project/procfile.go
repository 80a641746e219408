package project

import (
	"regexp"
	"strings"
)

// procfile parses a Procfile: lines of the form NAME: COMMAND. As with foreman, the variables of the
// file .env are set, and PORT: it is 100 higher for each further process if it has a value, and a free
// port otherwise.
func (p *parser) procfile(data []byte) {
	entry := regexp.MustCompile(`^([A-Za-z0-9_-]+):\s*(\S.*)$`)
	env := p.dotenv(p.path(".env"))
	base, hasPort := env["PORT"]
	if !hasPort {
		base, hasPort = p.lookup("PORT")
	}
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
		proc := Process{Name: m[1], Line: i + 1, Script: m[2], Dir: p.plan.Dir, Env: copyOf(env), FreePort: !hasPort}
		if hasPort {
			proc.Env["PORT"] = portOf(base, len(p.plan.Processes))
		}
		p.add(proc)
	}
}
