package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hobjobs/hob/internal/shellword"
)

// SpecError reports which field of a [Spec] cannot be used, and why.
type SpecError struct {
	Field string // "Port"

	problem, hint string // with the names of options in braces: {port}
}

// Error returns the problem in terms of the fields of [Spec].
func (e *SpecError) Error() string {
	problem, _ := e.Text(func(o JobOption) string { return o.Field })
	return fmt.Sprintf("%v: %s", ErrInvalid, problem)
}

// Unwrap returns ErrInvalid.
func (e *SpecError) Unwrap() error { return ErrInvalid }

// Text returns the problem and what to do about it in the terms of a client: name returns what the
// client's users call an option.
func (e *SpecError) Text(name func(o JobOption) string) (problem, hint string) {
	var pairs []string
	for _, o := range JobOptions() {
		pairs = append(pairs, "{"+o.Name+"}", name(o))
	}
	r := strings.NewReplacer(pairs...)
	return r.Replace(e.problem), r.Replace(e.hint)
}

// Check reports a field that no job can have, or that this one cannot have beside the others, as a
// *[SpecError]. [Engine.Start] does so too; a client checks before it connects to a host, or to mark
// the wrong field.
//
// given are the names of the options that the user gave. Of these it also refuses what would have no
// effect or contradicts another one, which the values alone do not show.
func (s Spec) Check(given ...string) error {
	problem := func(field, problem, hint string) error {
		return &SpecError{Field: field, problem: problem, hint: hint}
	}
	switch {
	case len(s.Command) > 0 && s.Script != "":
		return problem("Script", "both a command and a script", "specify one of them")
	case len(s.Command) == 0 && strings.TrimSpace(s.Script) == "":
		return problem("Command", "no command", "specify what to run")
	case len(s.Command) > 0 && s.Command[0] == "":
		return problem("Command", "the program name is empty", "specify what to run")
	case s.Grace < 0:
		return problem("Grace", "a negative grace time", "0 is the default of 5 seconds")
	case s.PTY && s.Split:
		return problem("Split", "{split} cannot be combined with {pty}", "a terminal has one stream: remove one of them")
	}
	for _, o := range JobOptions() {
		isGiven := slices.Contains(given, o.Name)
		for _, other := range o.Excludes {
			if isGiven && slices.Contains(given, other) {
				return problem(o.Field, fmt.Sprintf("{%s} cannot be combined with {%s}", o.Name, other), "remove one of them")
			}
		}
		if o.check == nil {
			continue
		}
		if what, hint := o.check(s, isGiven); what != "" {
			return problem(o.Field, what, hint)
		}
	}
	for _, text := range append([]string{s.Script, s.Dir, s.Host, s.Name}, s.Command...) {
		if strings.IndexByte(text, 0) >= 0 {
			return problem("Command", "a NUL byte in the command, directory, host or name", "remove it")
		}
	}
	return nil
}

func checkVariables(s Spec, _ bool) (problem, hint string) {
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		switch {
		case !shellword.IsName(name):
			return fmt.Sprintf("%q cannot be the name of a variable", name), "use letters, digits and _, and do not begin with a digit"
		case strings.IndexByte(s.Env[name], 0) >= 0:
			return fmt.Sprintf("a NUL byte in the variable %s", name), "remove it"
		}
	}
	return "", ""
}

// checkLogLimit also checks the default limit of an engine.
func checkLogLimit(limit int64) (problem, hint string) {
	if limit > 0 && limit < MinLogLimit {
		return "a log limit under 2 MiB", "give at least 2 MiB, or a negative limit for none"
	}
	return "", ""
}
