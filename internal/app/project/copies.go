package project

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// maxCopies limits the copies of a process.
const maxCopies = 100

// Scale replaces processes by copies, as foreman does: worker.1, worker.2 and so on. A process with one copy keeps
// its name, and one with none is started on request only. What needs a process waits for all its copies. The names
// must be those of processes.
func (p *Plan) Scale(copies map[string]int) error {
	for _, name := range slices.Sorted(maps.Keys(copies)) {
		n := copies[name]
		switch {
		case p.find(name) == nil:
			return p.unknown(name)
		case n > maxCopies:
			return &Error{p.File, 0, fmt.Sprintf("too many copies of %s: %d, the limit is %d", name, n, maxCopies)}
		case n == 0:
			p.find(name).OnRequest = true
		case n > 1:
			p.replace(name, n, func(i int) string { return name + "." + strconv.Itoa(i+1) })
		}
	}
	return nil
}

// CopiesOf returns names with the names of the copies in the place of processes that have been replaced by them.
func (p *Plan) CopiesOf(names []string) (all []string) {
	for _, name := range names {
		before := len(all)
		for _, proc := range p.Processes {
			if proc.Base == name {
				all = append(all, proc.Name)
			}
		}
		if len(all) == before {
			all = append(all, name)
		}
	}
	return all
}

// replace replaces a process by n copies.
func (p *Plan) replace(name string, n int, nameOf func(i int) string) {
	at := slices.IndexFunc(p.Processes, func(proc Process) bool { return proc.Name == name })
	original := p.Processes[at]
	var all []Process
	for i := range n {
		proc := original
		proc.Env, proc.EnvFrom = maps.Clone(original.Env), maps.Clone(original.EnvFrom)
		proc.Needs = slices.Clone(original.Needs)
		proc.Name, proc.Base, proc.Copy = nameOf(i), name, i+1
		if original.PS != "" {
			proc.PS = proc.Name
		}
		proc.setPort(i)
		all = append(all, proc)
	}
	p.Processes = slices.Replace(p.Processes, at, at+1, all...)
	for i := range p.Processes {
		p.Processes[i].needCopies(name, all)
	}
}

// needCopies replaces the need of a process by that of its copies.
func (p *Process) needCopies(name string, copies []Process) {
	at := slices.IndexFunc(p.Needs, func(n Need) bool { return n.Name == name })
	if at < 0 {
		return
	}
	var needs []Need
	for _, proc := range copies {
		if slices.ContainsFunc(p.Needs, func(n Need) bool { return n.Name == proc.Name }) {
			continue // the file has a condition for this copy
		}
		n := p.Needs[at]
		n.Name = proc.Name
		needs = append(needs, n)
	}
	p.Needs = slices.Replace(p.Needs, at, at+1, needs...)
}

var copyName = compiledLater(`^(.+)\.([1-9][0-9]?|100)$`)

// withCopy returns a process by its name, which may be that of a copy.
func (p *Plan) withCopy(name string) *Process {
	if proc := p.find(name); proc != nil {
		return proc
	}
	m := copyName().FindStringSubmatch(name)
	if m == nil || p.find(m[1]) == nil {
		return nil
	}
	n, _ := strconv.Atoi(m[2])
	_ = p.Scale(map[string]int{m[1]: max(n, 2)}) // its only error is that there is no such process
	return p.find(name)
}
