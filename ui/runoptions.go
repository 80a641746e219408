package ui

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/shellword"
	"github.com/hobjobs/hob/internal/units"
)

// Options of a new job are typed as flags, like those of `hob run` that concern the job itself.

// runOption is one such flag.
type runOption struct {
	name, short string
	value       string // name of its argument; empty: none
	set         func(s *engine.Spec, value string) error
}

func runOptions() []runOption {
	return []runOption{
		{"--name", "-n", "NAME", func(s *engine.Spec, v string) error { s.Name = v; return nil }},
		{"--port", "", "PORT", func(s *engine.Spec, v string) (err error) { s.Port, err = engine.ParsePort(v); return err }},
		{"--restart", "", "WHEN", setRestart},
		{"--timeout", "", "DUR", func(s *engine.Spec, v string) (err error) { s.Timeout, err = units.ParseDuration(v); return err }},
		{"--env", "-e", "NAME=VALUE", addVariable},
		{"--pty", "", "", func(s *engine.Spec, _ string) error { s.PTY, s.Split = true, false; return nil }},
		{"--no-pty", "", "", func(s *engine.Spec, _ string) error { s.PTY = false; return nil }},
		{"--stdin", "", "", func(s *engine.Spec, _ string) error { s.Stdin = true; return nil }},
		{"--split", "", "", func(s *engine.Spec, _ string) error { s.PTY, s.Split = false, true; return nil }},
		{"--size", "", "COLSxROWS", func(s *engine.Spec, v string) (err error) {
			s.Size.Cols, s.Size.Rows, err = units.ParseSize(v)
			return err
		}},
		{"--log-limit", "", "BYTES", func(s *engine.Spec, v string) (err error) {
			if s.LogLimit, err = units.ParseBytes(v); err == nil && s.LogLimit < engine.MinLogLimit {
				err = errors.New("--log-limit must be at least " + units.BytesText(engine.MinLogLimit))
			}
			return err
		}},
		{"--notify", "", "", func(s *engine.Spec, _ string) error { s.Notify = true; return nil }},
	}
}

// setRestart sets the restart policy; "no" is none.
func setRestart(s *engine.Spec, v string) error {
	if v == "no" {
		v = ""
	}
	if _, err := engine.ParseRestart(v); err != nil {
		return errors.New("--restart must be " + engine.RestartPolicies)
	}
	s.Restart = v
	return nil
}

// addVariable adds NAME=VALUE, or NAME with its current value.
func addVariable(s *engine.Spec, v string) error {
	name, value, ok := strings.Cut(v, "=")
	if name == "" {
		return fmt.Errorf("invalid variable %q; use -e NAME=VALUE", v)
	}
	if !ok {
		if value, ok = os.LookupEnv(name); !ok {
			return fmt.Errorf("%s needs a value: -e %s=…", name, name)
		}
	}
	if s.Env == nil {
		s.Env = map[string]string{}
	}
	s.Env[name] = value
	return nil
}

// applyOptions applies the options in text to s, whose host is set, in place of those that optionsOf
// shows. By default a job gets a
// terminal; on a host, which may be unable to provide one, a pipe for input.
func applyOptions(s *engine.Spec, text string) error {
	s.Name, s.Port, s.Timeout, s.Restart, s.Env, s.Notify = "", 0, 0, "", nil, false
	s.PTY, s.Stdin, s.Split = s.Host == "", false, false
	plain := false
	words, err := splitWords(text)
	if err != nil {
		return err
	}
	for len(words) > 0 {
		word, value, hasValue := words[0], "", false
		words = words[1:]
		if strings.HasPrefix(word, "--") {
			word, value, hasValue = strings.Cut(word, "=")
		}
		o, ok := findOption(word)
		switch {
		case !ok:
			return fmt.Errorf("unknown option %s (Tab lists options)", word)
		case o.value == "" && hasValue:
			return fmt.Errorf("%s takes no value", o.name)
		case o.value != "" && !hasValue && len(words) == 0:
			return fmt.Errorf("%s needs a value: %s", word, o.value)
		case o.value != "" && !hasValue:
			value, words = words[0], words[1:]
		}
		if err := o.set(s, value); err != nil {
			return err
		}
		plain = plain || o.name == "--no-pty" || o.name == "--split"
	}
	// If the terminal cannot be opened, use a pipe.
	s.TTYStdin = s.TTYStdin && s.Stdin && !s.PTY
	s.Stdin = s.Stdin || s.PTY || s.Host != "" && !plain
	return nil
}

func findOption(word string) (runOption, bool) {
	for _, o := range runOptions() {
		if word == o.name || o.short != "" && word == o.short {
			return o, true
		}
	}
	return runOption{}, false
}

// optionsOf returns the options of a job as they would be typed. Values of variables are not
// stored, so only their names are included.
func optionsOf(j engine.Job) string {
	var words []string
	switch {
	case j.Host != "" && j.Kind == engine.KindPTY:
		words = append(words, "--pty")
	case j.Host != "" && j.Stdin.Writable() && !j.Split:
	case j.Split:
		words = append(words, "--split")
	case j.Kind == engine.KindFile:
		words = append(words, "--no-pty")
	}
	if j.Kind == engine.KindFile && j.Stdin.Writable() && (j.Host == "" || j.Split) {
		words = append(words, "--stdin")
	}
	if j.Name != "" && !j.HasDerivedName() {
		words = append(words, "-n", shellword.Quote(j.Name))
	}
	if j.Port != 0 {
		words = append(words, "--port", strconv.Itoa(j.Port))
	}
	if j.Timeout > 0 {
		words = append(words, "--timeout", units.DurationText(j.Timeout.Duration()))
	}
	if j.Restart != "" {
		words = append(words, "--restart", j.Restart)
	}
	for _, name := range j.EnvNames {
		words = append(words, "-e", name)
	}
	if j.Notify {
		words = append(words, "--notify")
	}
	return strings.Join(words, " ")
}

// offerOptions returns completions of the option before the cursor.
func offerOptions(before string) []string {
	at := strings.LastIndex(before, " ") + 1
	head, word := before[:at], before[at:]
	if word != "" && word[0] != '-' {
		return nil
	}
	var offers []string
	for _, o := range runOptions() {
		if !strings.HasPrefix(o.name, word) || o.name == word {
			continue
		}
		offer := head + o.name
		if o.value != "" {
			offer += " "
		}
		offers = append(offers, offer)
	}
	return offers
}
