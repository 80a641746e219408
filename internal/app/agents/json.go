package agents

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonPart is a value in a JSON file, which may have comments and trailing commas: a member of
// an object, or an element of an array. The rest of the file keeps its bytes.
type jsonPart struct {
	file string
	what string
	// at are the names that lead to the member, or to the array.
	at    []string
	value string
	// mark makes the value an element of an array. An element with a command that runs it, also
	// by another path, is hob's, perhaps with changes by the user.
	mark string
}

func (p jsonPart) path() string { return p.file }
func (p jsonPart) name() string { return p.what }

func (p jsonPart) add(old []byte) ([]byte, outcome, error) {
	doc, err := parseJSON(old)
	if err != nil {
		return nil, "", err
	}
	v, missing := doc.reach(p.at)
	depth := len(p.at) - len(missing)
	here := strings.Join(p.at[:depth], ".")
	if len(missing) > 0 {
		if v.Value.Kind() != '{' {
			return nil, "", fmt.Errorf("%s is not an object", here)
		}
		return doc.insert(v, depth, member(missing[0], p.wrapped(missing[1:]))), added, nil
	}
	if p.mark == "" {
		return old, p.compare(*v), nil
	}
	list, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil, "", fmt.Errorf("%s is not an array", here)
	}
	if i := p.indexIn(list); i >= 0 {
		return old, p.compare(list.Elements[i]), nil
	}
	return doc.insert(v, depth, p.value), added, nil
}

// wrapped returns the text of the value, in an array if it is an element, and in objects with these names.
func (p jsonPart) wrapped(names []string) string {
	text := p.value
	if p.mark != "" {
		text = "[" + text + "]"
	}
	for _, name := range slices.Backward(names) {
		text = "{" + member(name, text) + "}"
	}
	return text
}

func member(name, value string) string { return strconv.Quote(name) + ": " + value }

// remove removes the entry alone. The objects and arrays around it stay, even if they are empty
// now: the user may have had them before. [Plan.restore] removes them if it is certain.
func (p jsonPart) remove(old []byte) ([]byte, outcome, error) {
	doc, err := parseJSON(old)
	if err != nil {
		return nil, "", err
	}
	around := p.at
	if p.mark == "" {
		around = p.at[:len(p.at)-1]
	}
	v, missing := doc.reach(around)
	if len(missing) > 0 {
		return old, absent, nil
	}
	i := -1
	if list, ok := v.Value.(*hujson.Array); ok && p.mark != "" {
		i = p.indexIn(list)
	} else if p.mark == "" {
		i = indexOf(v, p.at[len(p.at)-1])
	}
	switch {
	case i < 0:
		return old, absent, nil
	case p.compare(itemsOf(v)[i].value) != present:
		return old, kept, nil
	}
	return doc.remove(v, i), removed, nil
}

// compare returns present if v is exactly what hob writes, else kept.
func (p jsonPart) compare(v hujson.Value) outcome {
	if reflect.DeepEqual(plain(v), plainText(p.value)) {
		return present
	}
	return kept
}

// indexIn returns the index of hob's element: one that is as hob writes it, else one that the user
// has edited.
func (p jsonPart) indexIn(list *hujson.Array) int {
	i := slices.IndexFunc(list.Elements, func(v hujson.Value) bool { return p.compare(v) == present })
	if i < 0 {
		i = slices.IndexFunc(list.Elements, p.marked)
	}
	return i
}

func (p jsonPart) marked(v hujson.Value) bool {
	for each := range v.All() {
		if s, ok := each.Value.(hujson.Literal); ok && s.Kind() == '"' && runs(s.String(), p.mark) {
			return true
		}
	}
	return false
}

// runs reports whether a shell command runs the words of mark. Its program may have a path, and
// the command more words.
func runs(command, mark string) bool {
	words, want := strings.Fields(command), strings.Fields(mark)
	for ; len(words) >= len(want); words = words[1:] {
		program := strings.Trim(words[0], `"'`)
		program = strings.TrimSuffix(program[strings.LastIndexAny(program, `/\`)+1:], ".exe")
		if program == want[0] && slices.Equal(words[1:len(want)], want[1:]) {
			return true
		}
	}
	return false
}

// plain is the content of v without its formatting.
func plain(v hujson.Value) any {
	v = v.Clone()
	v.BeforeExtra, v.AfterExtra = nil, nil
	v.Standardize()
	return plainText(string(v.Pack()))
}

func plainText(text string) (content any) {
	_ = json.Unmarshal([]byte(text), &content) // nil differs from everything hob writes
	return content
}
