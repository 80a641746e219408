package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
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
	style := styleOf(doc)
	parent := doc
	for depth, name := range p.at[:len(p.at)-1] {
		if parent, err = child(parent, p.at[:depth], name, "{}", style); err != nil {
			return nil, "", err
		}
	}
	last, depth := p.at[len(p.at)-1], len(p.at)-1
	if p.mark == "" {
		obj, err := objectOf(parent, p.at[:depth])
		if err != nil {
			return nil, "", err
		}
		if i := indexOf(obj, last); i >= 0 {
			return old, p.judge(obj.Members[i].Value), nil
		}
		style.addMember(obj, last, p.value, depth)
		return doc.Pack(), added, nil
	}
	if parent, err = child(parent, p.at[:depth], last, "[]", style); err != nil {
		return nil, "", err
	}
	list, ok := parent.Value.(*hujson.Array)
	if !ok {
		return nil, "", fmt.Errorf("%s is not an array", strings.Join(p.at, "."))
	}
	if i := p.indexIn(list); i >= 0 {
		return old, p.judge(list.Elements[i]), nil
	}
	style.addElement(list, p.value, depth+1)
	return doc.Pack(), added, nil
}

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
	switch v := valueAt(doc, around).(type) {
	case *hujson.Object:
		name := p.at[len(p.at)-1]
		i := indexOf(v, name)
		if p.mark != "" || i < 0 {
			return old, absent, nil
		}
		if p.judge(v.Members[i].Value) != present {
			return old, kept, nil
		}
		removeMember(v, i)
	case *hujson.Array:
		i := p.indexIn(v)
		if p.mark == "" || i < 0 {
			return old, absent, nil
		}
		if p.judge(v.Elements[i]) != present {
			return old, kept, nil
		}
		removeElement(v, i)
	default:
		return old, absent, nil
	}
	return doc.Pack(), removed, nil
}

// valueAt returns the value that the names lead to, or nil.
func valueAt(v *hujson.Value, at []string) hujson.ValueTrimmed {
	for _, name := range at {
		obj, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil
		}
		i := indexOf(obj, name)
		if i < 0 {
			return nil
		}
		v = &obj.Members[i].Value
	}
	return v.Value
}

// judge reports whether v is exactly what hob writes.
func (p jsonPart) judge(v hujson.Value) outcome {
	if reflect.DeepEqual(plain(v), plainText(p.value)) {
		return present
	}
	return kept
}

// indexIn returns the index of hob's element: one that is as hob writes it, else one that the user
// has edited.
func (p jsonPart) indexIn(list *hujson.Array) int {
	i := slices.IndexFunc(list.Elements, func(v hujson.Value) bool { return p.judge(v) == present })
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

// parseJSON parses a file that holds an object. An empty one is an empty object.
func parseJSON(text []byte) (*hujson.Value, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	doc, err := hujson.Parse(text)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	if _, err := objectOf(&doc, nil); err != nil {
		return nil, err
	}
	return &doc, nil
}

func objectOf(v *hujson.Value, at []string) (*hujson.Object, error) {
	obj, ok := v.Value.(*hujson.Object)
	if !ok && len(at) == 0 {
		return nil, errors.New("the file does not hold a JSON object")
	}
	if !ok {
		return nil, fmt.Errorf("%s is not an object", strings.Join(at, "."))
	}
	return obj, nil
}

// child returns the member of the object at the names, which gets the empty value if it has none.
func child(v *hujson.Value, at []string, name, empty string, style jsonStyle) (*hujson.Value, error) {
	obj, err := objectOf(v, at)
	if err != nil {
		return nil, err
	}
	i := indexOf(obj, name)
	if i < 0 {
		style.addMember(obj, name, empty, len(at))
		i = len(obj.Members) - 1
	}
	return &obj.Members[i].Value, nil
}

// indexOf returns the index of the member that counts: of several, the last.
func indexOf(obj *hujson.Object, name string) int {
	for i, m := range slices.Backward(obj.Members) {
		if s, ok := m.Name.Value.(hujson.Literal); ok && s.String() == name {
			return i
		}
	}
	return -1
}

func isBlank(e hujson.Extra) bool { return len(bytes.TrimSpace(e)) == 0 }
