package ui

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/shellword"
	"github.com/hobjobs/hob/ui/internal/complete"
)

// Options of a new job are typed as flags, like those of `hob run` that concern the job itself.

// editableOptions returns the options that can be typed.
func editableOptions() []engine.JobOption {
	return slices.DeleteFunc(engine.JobOptions(), func(o engine.JobOption) bool { return !o.Editable })
}

// applyOptions applies the options in text to s, whose command and host are set, in place of those that
// optionsOf shows. By default a job gets a terminal; on a host, which may be unable to provide one, a pipe
// for input. given are the names of the options.
func applyOptions(s *engine.Spec, text string) (given []string, err error) {
	for _, o := range editableOptions() {
		if o.Typed != nil {
			reflect.ValueOf(s).Elem().FieldByName(o.Field).SetZero()
		}
	}
	s.PTY, s.Stdin, s.Split = false, false, false
	words, err := splitWords(text)
	if err != nil {
		return nil, err
	}
	for len(words) > 0 {
		var o engine.JobOption
		if o, words, err = applyOption(s, words); err != nil {
			return nil, err
		}
		given = append(given, o.Name)
	}
	plain := slices.Contains(given, "no-pty") || s.Split
	onHost := s.Host != ""
	if !plain && !onHost {
		s.PTY = true
	}
	// If the terminal cannot be opened, use a pipe.
	s.TTYStdin = s.TTYStdin && s.Stdin && !s.PTY
	if s.PTY || onHost && !plain {
		s.Stdin = true
	}
	return given, nil
}

// applyOption applies the first of words and returns those behind it and its value.
func applyOption(s *engine.Spec, words []string) (o engine.JobOption, rest []string, err error) {
	word, value, hasValue := words[0], "", false
	if strings.HasPrefix(word, "--") {
		word, value, hasValue = strings.Cut(word, "=")
	}
	rest = words[1:]
	o, ok := findOption(word)
	switch {
	case !ok:
		return o, nil, fmt.Errorf("unknown option %s (Tab lists options)", word)
	case o.Value == "" && hasValue:
		return o, nil, fmt.Errorf("--%s takes no value", o.Name)
	case o.Value == "", hasValue:
	case len(rest) == 0:
		return o, nil, fmt.Errorf("%s needs a value: %s", word, o.Value)
	default:
		value, rest = rest[0], rest[1:]
	}
	if err := o.Set(s, value); err != nil {
		return o, nil, fmt.Errorf("--%s: %w", o.Name, err)
	}
	return o, rest, nil
}

// checkOptions refuses a request with the given options that no job can have.
func checkOptions(s engine.Spec, given []string) error {
	err := s.Check(given...)
	if wrong, ok := errors.AsType[*engine.SpecError](err); ok {
		problem, hint := wrong.Text(func(o engine.JobOption) string { return "--" + o.Name })
		return fmt.Errorf("%s; %s", problem, hint)
	}
	return err
}

func findOption(word string) (engine.JobOption, bool) {
	for _, o := range editableOptions() {
		if slices.Contains(spellings(o), word) {
			return o, true
		}
	}
	return engine.JobOption{}, false
}

// spellings returns how an option may be typed, the shortest first.
func spellings(o engine.JobOption) []string {
	if o.Short == "" {
		return []string{"--" + o.Name}
	}
	return []string{"-" + o.Short, "--" + o.Name}
}

// optionsOf returns the options of a job as they would be typed. Values of variables are not
// stored, so only their names are included.
func optionsOf(j engine.Job) string {
	spec := j.Spec()
	words := terminalOptions(spec)
	for _, o := range editableOptions() {
		if o.Typed == nil {
			continue
		}
		name := spellings(o)[0]
		for _, value := range o.Typed(spec) {
			words = append(words, name)
			if o.Value != "" {
				words = append(words, shellword.Quote(value))
			}
		}
	}
	return strings.Join(words, " ")
}

// terminalOptions returns the options for what the output and the input of a job are, unless they are the
// default at its place.
func terminalOptions(s engine.Spec) (words []string) {
	onHost, input := s.Host != "", s.Stdin || s.TTYStdin
	switch {
	case s.PTY && onHost:
		return []string{"--pty"}
	case s.PTY:
		return nil
	case s.Split:
		words = []string{"--split"}
	case onHost && input:
		return nil
	default:
		words = []string{"--no-pty"}
	}
	if input {
		words = append(words, "--stdin")
	}
	return words
}

// offerOptions returns completions of the option before the cursor.
func offerOptions(before string) []string {
	at := strings.LastIndex(before, " ") + 1
	head, word := before[:at], before[at:]
	if word != "" && word[0] != '-' {
		return nil
	}
	var offers []string
	for _, o := range editableOptions() {
		name := "--" + o.Name
		if !complete.Extends(name, word) {
			continue
		}
		offer := head + name
		if o.Value != "" {
			offer += " "
		}
		offers = append(offers, offer)
	}
	return offers
}

func splitWords(line string) ([]string, error) {
	var words []string
	for _, w := range shellword.Split(line, "") {
		if w.Open != 0 {
			return nil, errors.New("unclosed quote")
		}
		words = append(words, w.Text)
	}
	return words, nil
}
