package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A parameter is one argument that a tool takes.
type parameter struct {
	name   string
	kind   string // of the schema: string, integer, boolean, array, object
	enum   []string
	doc    string
	others []string // names that mean the same elsewhere
}

// args are the arguments of one call. The first thing that is wrong with them is
// kept; reading goes on with zero values.
type args struct {
	tool   string
	values map[string]json.RawMessage
	err    error
	about  subject // the handler sets it
}

// parseArgs reads the arguments of a call. refused maps names that would be taken
// for something else to what to say instead.
func parseArgs(tool string, raw json.RawMessage, params []parameter, refused map[string]string) *args {
	p := &args{tool: tool, values: map[string]json.RawMessage{}}
	var given map[string]json.RawMessage
	if len(bytes.TrimSpace(raw)) > 0 {
		if err := json.Unmarshal(raw, &given); err != nil {
			p.fail("the arguments are no JSON object", "give "+tool+" an object with its parameters")
			return p
		}
	}
	own := map[string]string{}
	for _, q := range params {
		own[q.name] = q.name
		for _, o := range q.others {
			own[o] = q.name
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if instead, ok := refused[name]; ok {
			p.fail(fmt.Sprintf("%s has no parameter %q", tool, name), instead)
			continue
		}
		to, ok := own[name]
		if !ok {
			p.fail(fmt.Sprintf("%s has no parameter %q", tool, name), "it takes "+strings.Join(namesOf(params), ", "))
			continue
		}
		if bytes.Equal(given[name], []byte("null")) {
			continue
		}
		if _, twice := p.values[to]; twice {
			p.fail(fmt.Sprintf("%q is given twice, once under another name", to), "give one of them")
			continue
		}
		p.values[to] = given[name]
	}
	return p
}

func namesOf(params []parameter) []string {
	names := make([]string, len(params))
	for i, q := range params {
		names[i] = q.name
	}
	return names
}

func (p *args) fail(message, hint string) {
	if p.err == nil {
		p.err = &failure{code: "usage", message: message, hint: hint}
	}
}

// idle reports whether a parameter holds nothing. Clients that fill in all that a
// tool could take give such to an action that has no use for them.
func (p *args) idle(name string) bool {
	switch string(p.values[name]) {
	case "", `""`, "[]", "{}", "false", "0":
		return true
	}
	return false
}

func (p *args) wrong(name, want string) {
	p.fail(fmt.Sprintf("%s: %s is not %s", p.tool, name, want), fmt.Sprintf("give %s as %s", name, want))
}

func (p *args) text(name string) string {
	raw, ok := p.values[name]
	if !ok {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		p.wrong(name, "a string")
	}
	return s
}

// boolean also takes the words for it.
func (p *args) boolean(name string) bool {
	raw, ok := p.values[name]
	if !ok {
		return false
	}
	b, err := strconv.ParseBool(strings.Trim(string(raw), `"`))
	if err != nil {
		p.wrong(name, "true or false")
	}
	return b
}

// number also takes a number in a string and one without a fraction.
func (p *args) number(name string) (n float64, ok bool) {
	raw, ok := p.values[name]
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		p.wrong(name, "a number")
		return 0, false
	}
	return n, true
}

// count is a whole number that is not negative.
func (p *args) count(name string) (n int64, ok bool) {
	f, ok := p.number(name)
	if !ok {
		return 0, false
	}
	if f < 0 || f != math.Trunc(f) || f > 1<<53 {
		p.wrong(name, "a whole number from 0 on")
		return 0, false
	}
	return int64(f), true
}

// words is a list of strings, or one string of words.
func (p *args) words(name string) []string {
	raw, ok := p.values[name]
	if !ok {
		return nil
	}
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		return list
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		p.wrong(name, "a list of strings")
	}
	return strings.Fields(s)
}

// variables is an object of strings; numbers and booleans are written out.
func (p *args) variables(name string) map[string]string {
	raw, ok := p.values[name]
	if !ok {
		return nil
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(raw, &given) != nil {
		p.wrong(name, "an object of strings")
		return nil
	}
	env := make(map[string]string, len(given))
	for k, v := range given {
		text, err := plain(v)
		if err != nil {
			p.wrong(name+"."+k, "a string")
		}
		env[k] = text
	}
	return env
}

func plain(raw json.RawMessage) (string, error) {
	if c := raw[0]; c == '{' || c == '[' || c == 'n' { // null into a string is no error
		return "", errors.New("not plain")
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s, nil
	}
	return string(raw), nil
}

// oneOf is a word out of a list; empty if it is not given.
func (p *args) oneOf(name string, words ...string) string {
	s := p.text(name)
	if s != "" && !slices.Contains(words, s) {
		p.fail(fmt.Sprintf("%s: there is no %s %q", p.tool, name, s), fmt.Sprintf("%s is one of %s", name, strings.Join(words, ", ")))
	}
	return s
}

// rename makes a number that was given as one parameter another one, times
// factor.
func (p *args) rename(from, to string, factor float64) {
	n, ok := p.number(from)
	delete(p.values, from)
	if ok {
		p.values[to] = json.RawMessage(strconv.FormatFloat(n*factor, 'f', -1, 64))
	}
}
