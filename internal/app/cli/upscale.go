package cli

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/app/project"
)

// parseScale parses the name of a process with the number of its copies, such as web=2. ok is false if text has
// another form.
func parseScale(text string) (name string, n int, ok bool) {
	m := regexp.MustCompile(`^(.+)=(\d{1,4})$`).FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return "", 0, false
	}
	n, err := strconv.Atoi(m[2])
	return m[1], n, err == nil
}

// scale makes the copies that names such as web=2 and the formation ask for, and returns the names of the processes
// to start.
func (f upFlags) scale(plan *project.Plan, names []string) ([]string, error) {
	copies := map[string]int{}
	var named []string
	for _, name := range names {
		base, n, ok := parseScale(name)
		if !ok || slices.Contains(plan.Names(), name) {
			named = append(named, name)
			continue
		}
		if n == 0 {
			return nil, usagef("to stop it: hob down "+base, "%s needs at least one copy", base)
		}
		named, copies[base] = append(named, base), n
	}
	if f.formation != "" {
		if len(names) > 0 {
			return nil, usagef("name the processes in one of them", "names cannot be combined with --formation")
		}
		var err error
		if named, err = f.form(plan, copies); err != nil {
			return nil, err
		}
	}
	if err := plan.Scale(copies); err != nil {
		return nil, err
	}
	return plan.CopiesOf(named), nil
}

// form sets the copies of a formation and returns the names of its processes. As in foreman, those that it does not
// name have the number of "all", or none.
func (f upFlags) form(plan *project.Plan, copies map[string]int) (named []string, err error) {
	for part := range strings.SplitSeq(f.formation, ",") {
		name, n, ok := parseScale(part)
		if !ok {
			return nil, usagef("for example --formation web=2,worker=3", "--formation: %q does not have the form NAME=N", part)
		}
		copies[name] = n
	}
	all, hasAll := copies["all"]
	if hasAll && !slices.Contains(plan.Names(), "all") {
		delete(copies, "all")
		for _, name := range plan.Names() {
			if _, ok := copies[name]; !ok {
				copies[name] = all
			}
		}
	}
	for _, name := range plan.Names() {
		if copies[name] > 0 {
			named = append(named, name)
		}
	}
	if len(named) == 0 {
		return nil, usagef("for example --formation web=2,worker=3", "--formation starts no process")
	}
	return named, nil
}

// parseRestart checks the restart policy of --restart.
func parseRestart(s string) (string, error) {
	if _, err := record.ParseRestart(s); err != nil {
		return "", errors.New("use " + engine.RestartPolicies)
	}
	return s, nil
}
