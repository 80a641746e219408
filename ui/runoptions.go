package ui

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
)

// The options of a new job are typed as the flags of `hob run` that are about
// the job itself.

// runOption is one of them.
type runOption struct {
	name, short string
	value       string // what is to follow it; empty: nothing
	set         func(s *engine.Spec, value string) error
}

// leastLog is the smallest cap that a log can have.
const leastLog = 2 * units.MiB

func runOptions() []runOption {
	return []runOption{
		{"--name", "-n", "NAME", func(s *engine.Spec, v string) error { s.Name = v; return nil }},
		{"--timeout", "", "DUR", func(s *engine.Spec, v string) (err error) { s.Timeout, err = units.ParseDuration(v); return err }},
		{"--env", "-e", "NAME=VALUE", addVariable},
		{"--pty", "", "", func(s *engine.Spec, _ string) error { s.PTY, s.Split = true, false; return nil }},
		{"--no-pty", "", "", func(s *engine.Spec, _ string) error { s.PTY = false; return nil }},
		{"--stdin", "", "", func(s *engine.Spec, _ string) error { s.Stdin = true; return nil }},
		{"--split", "", "", func(s *engine.Spec, _ string) error { s.PTY, s.Split = false, true; return nil }},
		{"--size", "", "COLSxROWS", func(s *engine.Spec, v string) (err error) { s.Size, err = parseSize(v); return err }},
		{"--log-limit", "", "BYTES", func(s *engine.Spec, v string) (err error) {
			if s.LogLimit, err = units.ParseBytes(v); err == nil && s.LogLimit < leastLog {
				err = errors.New("--log-limit is at least " + units.BytesText(leastLog))
			}
			return err
		}},
		{"--notify", "", "", func(s *engine.Spec, _ string) error { s.Notify = true; return nil }},
	}
}

func parseSize(s string) (engine.Size, error) {
	c, r, ok := strings.Cut(strings.ToLower(s), "x")
	cols, err1 := strconv.ParseUint(c, 10, 16)
	rows, err2 := strconv.ParseUint(r, 10, 16)
	if !ok || err1 != nil || err2 != nil || cols == 0 || rows == 0 {
		return engine.Size{}, fmt.Errorf("%q is no size such as 120x40", s)
	}
	return engine.Size{Cols: int(cols), Rows: int(rows)}, nil
}

// addVariable takes NAME=VALUE, or NAME to pass on what it is here.
func addVariable(s *engine.Spec, v string) error {
	name, value, ok := strings.Cut(v, "=")
	if name == "" {
		return fmt.Errorf("%q is no variable: -e NAME=VALUE", v)
	}
	if !ok {
		if value, ok = os.LookupEnv(name); !ok {
			return fmt.Errorf("%s is not set here: -e %s=VALUE", name, name)
		}
	}
	if s.Env == nil {
		s.Env = map[string]string{}
	}
	s.Env[name] = value
	return nil
}

// applyOptions sets in s, whose host is known, what text asks for. If nothing else
// is asked for it gets a terminal; on a host, where not everybody has one to give,
// an input.
func applyOptions(s *engine.Spec, text string) error {
	s.PTY, s.Stdin = s.Host == "", false
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
			return fmt.Errorf("%s is no option here; Tab offers them", word)
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
	// Where there is no terminal after all, a pipe.
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

// optionsOf are the options that a job was started with, as they would be typed.
// Values of variables are not kept: their names ask for what they are here.
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
	if j.Timeout > 0 {
		words = append(words, "--timeout", units.DurationText(j.Timeout.Duration()))
	}
	for _, name := range j.EnvNames {
		words = append(words, "-e", name)
	}
	if j.Notify {
		words = append(words, "--notify")
	}
	return strings.Join(words, " ")
}

// offerOptions completes the option before the cursor.
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
