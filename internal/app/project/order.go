package project

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hobjobs/hob/internal/spelling"
)

// ErrUnknownName is matched by the error of a name that the plan does not have.
var ErrUnknownName = errors.New("unknown process")

// Select returns the processes to start, each one behind what it needs and otherwise in the order of
// the file: those of names with everything that they need, or without names all that are not started on
// request only, which may be none. Processes without a command are replaced by what they need.
func (p *Plan) Select(names []string) ([]Process, error) {
	if len(names) == 0 {
		for _, proc := range p.Processes {
			if !proc.OnRequest {
				names = append(names, proc.Name)
			}
		}
	}
	for _, name := range names {
		if p.find(name) == nil {
			return nil, p.unknown(name)
		}
	}
	o := order{plan: p, chosen: map[string]bool{}, visited: map[string]bool{}, stands: map[string][]Need{}}
	o.choose(names)
	for _, proc := range p.Processes {
		if o.chosen[proc.Name] {
			if err := o.visit(proc.Name, nil); err != nil {
				return nil, err
			}
		}
	}
	return o.result, nil
}

// Names returns the names of all processes.
func (p *Plan) Names() []string {
	names := make([]string, len(p.Processes))
	for i, proc := range p.Processes {
		names[i] = proc.Name
	}
	return names
}

func (p *Plan) unknown(name string) error {
	hint := "it has " + strings.Join(p.Names(), ", ")
	if near := spelling.Nearest(name, p.Names()); near != "" {
		hint = "did you mean " + near + "?"
	}
	return fmt.Errorf("%w %q in %s; %s", ErrUnknownName, name, p.File, hint)
}

type order struct {
	plan    *Plan
	chosen  map[string]bool
	visited map[string]bool
	stands  map[string][]Need // what stands for a process without a command
	result  []Process
}

// choose adds processes and what they need to those that are chosen.
func (o *order) choose(names []string) {
	for _, name := range names {
		if o.chosen[name] {
			continue
		}
		o.chosen[name] = true
		for _, n := range o.plan.find(name).Needs {
			if !n.IfChosen {
				o.choose([]string{n.Name})
			}
		}
	}
}

// visit adds a process to the result, after what it needs. path has the processes that need it.
func (o *order) visit(name string, path []string) error {
	if o.visited[name] {
		return nil
	}
	proc := *o.plan.find(name)
	from := slices.Index(path, name)
	path = append(path, name)
	if from >= 0 {
		return &Error{proc.File, proc.Line, "circular dependency: " + strings.Join(path[from:], " → ")}
	}
	for _, n := range proc.Needs {
		if !o.chosen[n.Name] {
			continue
		}
		if err := o.visit(n.Name, path); err != nil {
			return err
		}
	}
	o.visited[name] = true
	proc.Needs = o.needs(proc.Needs)
	if proc.Runs() {
		o.result = append(o.result, proc)
	} else {
		o.stands[name] = proc.Needs
	}
	return nil
}

// needs returns the chosen needs, where those of a process without a command stand for it. Processes
// that are needed have been visited.
func (o *order) needs(all []Need) (needs []Need) {
	for _, n := range all {
		list, ok := o.stands[n.Name]
		if !ok {
			list = []Need{n}
		}
		for _, n := range list {
			same := func(o Need) bool { return o.Name == n.Name && o.Until == n.Until }
			if o.chosen[n.Name] && !slices.ContainsFunc(needs, same) {
				needs = append(needs, n)
			}
		}
	}
	return needs
}
