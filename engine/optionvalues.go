package engine

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/units"
)

// isScreen reports whether a terminal can have this size.
func isScreen(s Size) bool {
	return min(s.Cols, s.Rows) >= 1 && max(s.Cols, s.Rows) <= maxCells
}

// unlessZero returns text as the one value of an option whose field has the value v.
func unlessZero[T comparable](v T, text string) []string {
	if v == *new(T) {
		return nil
	}
	return []string{text}
}

// notEmpty refuses an empty value: it usually comes from an unset variable of a script, and must not
// count as an option that was not given.
func notEmpty(v string) (string, error) {
	if v == "" {
		return "", errors.New("the value is empty")
	}
	return v, nil
}

// setRestart sets the restart policy; "no" is none.
func setRestart(s *Spec, v string) error {
	if v == "no" {
		v = ""
	}
	if _, err := record.ParseRestart(v); err != nil {
		return errors.New("use " + RestartPolicies + "; no: never")
	}
	s.Restart = v
	return nil
}

// addVariable adds NAME=VALUE, or NAME with the value that it has in this process.
func addVariable(s *Spec, v string) error {
	name, value, ok := strings.Cut(v, "=")
	if name == "" {
		return fmt.Errorf("invalid variable %q; use NAME=VALUE, or NAME to pass NAME through", v)
	}
	if !ok {
		if value, ok = os.LookupEnv(name); !ok {
			return fmt.Errorf("%s needs a value: %[1]s=VALUE", name)
		}
	}
	if s.Env == nil {
		s.Env = map[string]string{}
	}
	s.Env[name] = value
	return nil
}

// typedVariables returns the names of variables: the values are not stored. Those with a digest are from a file,
// which a restart reads again.
func typedVariables(s Spec) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		if _, ofFile := s.EnvDigests[name]; !ofFile {
			names = append(names, name)
		}
	}
	return names
}

// parsePort parses a port as it is typed: a number, or auto for AutoPort.
func parsePort(s string) (int, error) {
	if s == "auto" {
		return AutoPort, nil
	}
	return units.ParsePort(s)
}
