package project

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v4"
)

type kind int

const (
	nullValue kind = iota
	textValue      // also numbers and truth values, as they are written
	listValue
	objectValue
)

// value is a part of a YAML or JSON file, with its line.
type value struct {
	line   int
	kind   kind
	text   string
	items  []value
	fields []field // in the order of the file
}

// field is a named value of an object.
type field struct {
	name  string
	line  int
	value value
	again bool // an earlier field has the same name
}

// is reports whether there is a value, of that kind.
func (v *value) is(k kind) bool { return v != nil && v.kind == k }

// get returns the value of a field; nil if there is none, or if it is null.
func (v *value) get(name string) *value {
	for i := range v.fields {
		if f := &v.fields[i]; f.name == name && f.value.kind != nullValue {
			return &f.value
		}
	}
	return nil
}

// repeated returns the second field with a name; nil if there is at most one.
func (v *value) repeated(name string) *field {
	for i := range v.fields {
		if f := &v.fields[i]; f.name == name && f.again {
			return f
		}
	}
	return nil
}

// The limits of a tree. An alias of YAML repeats what it refers to, so a small file could stand for a
// tree that fills the memory.
const (
	maxDepth  = 50
	maxValues = 100_000
)

// treeReader converts what a library has parsed.
type treeReader struct {
	values int
	text   []byte // of a JSON file
	line   int    // of offset
	offset int
}

// lineAt returns the line of an offset in a JSON file. Offsets must not decrease.
func (r *treeReader) lineAt(offset int) int {
	r.line += bytes.Count(r.text[r.offset:offset], []byte("\n"))
	r.offset = offset
	return r.line
}

// tooLarge counts a value.
func (r *treeReader) tooLarge(line, depth int) error {
	if r.values++; r.values > maxValues || depth > maxDepth {
		return fmt.Errorf("line %d: the file describes too much", line)
	}
	return nil
}

// parseYAML parses a YAML file. JSON without comments is YAML too.
func parseYAML(data []byte) (value, error) {
	documents := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	if err := documents.Decode(&doc); err != nil {
		return value{line: 1}, yamlError(err, data)
	}
	if err := documents.Decode(&more); err == nil {
		return value{}, fmt.Errorf("line %d: a second document; hob reads files with one", more.Line)
	} else if err := yamlError(err, data); err != nil {
		return value{}, err
	}
	if len(doc.Content) == 0 {
		return value{line: 1}, nil
	}
	return (&treeReader{}).yaml(doc.Content[0], 0)
}

// yamlError returns the error of the library in better words; nil at the end of the file.
func yamlError(err error, data []byte) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := position.FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1])
		lines := bytes.Split(data, []byte("\n"))
		if n > 0 && n <= len(lines) && bytes.Contains(indentation(lines[n-1]), []byte("\t")) {
			return errors.New(m[0] + "indented with a tab; YAML needs spaces")
		}
	}
	return errors.New(text)
}

// indentation returns the space at the beginning of a line.
func indentation(line []byte) []byte { return line[:len(line)-len(bytes.TrimLeft(line, " \t"))] }

func (r *treeReader) yaml(n *yaml.Node, depth int) (value, error) {
	v := value{line: n.Line}
	if err := r.tooLarge(n.Line, depth); err != nil {
		return v, err
	}
	switch n.Kind {
	case yaml.AliasNode:
		v, err := r.yaml(n.Alias, depth+1)
		v.line = n.Line
		return v, err
	case yaml.SequenceNode:
		v.kind = listValue
		for _, item := range n.Content {
			got, err := r.yaml(item, depth+1)
			if err != nil {
				return v, err
			}
			v.items = append(v.items, got)
		}
	case yaml.MappingNode:
		v.kind = objectValue
		return v, r.yamlFields(&v, n, depth)
	case yaml.ScalarNode:
		if n.ShortTag() != "!!null" {
			v.kind, v.text = textValue, n.Value
		}
	case yaml.DocumentNode, yaml.StreamNode: // contain no other node of these kinds
	}
	return v, nil
}

// yamlFields adds the fields of a mapping. Those of a merge key count where the mapping itself has
// none of the same name.
func (r *treeReader) yamlFields(v *value, n *yaml.Node, depth int) error {
	own := map[string]bool{}
	var merged []field
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i]
		got, err := r.yaml(n.Content[i+1], depth+1)
		if err != nil {
			return err
		}
		switch {
		case name.ShortTag() == "!!merge" && got.kind == listValue:
			for _, item := range got.items {
				merged = append(merged, item.fields...)
			}
		case name.ShortTag() == "!!merge":
			merged = append(merged, got.fields...)
		case name.Kind != yaml.ScalarNode:
			return fmt.Errorf("line %d: the name of a field must be text", name.Line)
		default:
			v.fields = append(v.fields, field{name: name.Value, line: name.Line, value: got, again: own[name.Value]})
			own[name.Value] = true
		}
	}
	for _, f := range merged {
		if !own[f.name] {
			own[f.name] = true
			v.fields = append(v.fields, f)
		}
	}
	return nil
}

// parseJSON parses a JSON file with comments and trailing commas.
func parseJSON(data []byte) (value, error) {
	// The library calls itself for each level, and a stack overflow would end the program.
	if bytes.Count(data, []byte("["))+bytes.Count(data, []byte("{")) > maxValues {
		return value{}, errors.New("line 1: the file describes too much")
	}
	doc, err := hujson.Parse(data)
	if err != nil {
		return value{}, fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	return (&treeReader{text: data, line: 1}).json(doc, 0)
}

func (r *treeReader) json(in hujson.Value, depth int) (value, error) {
	v := value{line: r.lineAt(in.StartOffset)}
	if err := r.tooLarge(v.line, depth); err != nil {
		return v, err
	}
	switch in := in.Value.(type) {
	case *hujson.Array:
		v.kind = listValue
		for _, item := range in.Elements {
			got, err := r.json(item, depth+1)
			if err != nil {
				return v, err
			}
			v.items = append(v.items, got)
		}
	case *hujson.Object:
		v.kind = objectValue
		seen := map[string]bool{}
		for _, m := range in.Members {
			name, err := r.json(m.Name, depth+1)
			if err != nil {
				return v, err
			}
			got, err := r.json(m.Value, depth+1)
			if err != nil {
				return v, err
			}
			if seen[name.text] {
				return v, fmt.Errorf("line %d: duplicate field %q", name.line, name.text)
			}
			seen[name.text] = true
			v.fields = append(v.fields, field{name: name.text, line: name.line, value: got})
		}
	case hujson.Literal:
		if in.Kind() != 'n' {
			v.kind, v.text = textValue, in.String()
		}
	}
	return v, nil
}
