package agents

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// tomlPart is a table in a TOML file, appended as text. The rest of the file keeps its bytes.
type tomlPart struct {
	file string
	what string
	at   []string // the table's name
	text string   // the table with its header, in lines
}

func (p tomlPart) path() string { return p.file }
func (p tomlPart) name() string { return p.what }

func (p tomlPart) add(old []byte) ([]byte, outcome, error) {
	doc, err := parseTOML(old)
	if err != nil {
		return nil, "", err
	}
	if got := lookup(doc, p.at); got != nil {
		return old, p.compare(old, got), nil
	}
	text := string(old)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if text != "" {
		text += "\n"
	}
	text = withLineEnds(text+p.text, old)
	if _, err := parseTOML([]byte(text)); err != nil {
		return nil, "", fmt.Errorf("%s cannot take another table; add [%s] by hand", p.at[0], strings.Join(p.at, "."))
	}
	return []byte(text), added, nil
}

func (p tomlPart) remove(old []byte) ([]byte, outcome, error) {
	doc, err := parseTOML(old)
	if err != nil {
		return nil, "", err
	}
	got := lookup(doc, p.at)
	switch {
	case got == nil:
		return old, absent, nil
	case p.compare(old, got) != present:
		return old, kept, nil
	}
	before, after, _ := strings.Cut(string(old), withLineEnds(p.text, old))
	if after == "" {
		before = strings.TrimSuffix(before, withLineEnds("\n", old))
	}
	return []byte(before + after), removed, nil
}

// compare returns present if got, the table of the file, is exactly what hob writes, else kept.
func (p tomlPart) compare(file []byte, got any) outcome {
	want, _ := parseTOML([]byte(p.text)) // a constant of this package
	if strings.Contains(string(file), withLineEnds(p.text, file)) && reflect.DeepEqual(got, lookup(want, p.at)) {
		return present
	}
	return kept
}

func parseTOML(text []byte) (map[string]any, error) {
	doc := map[string]any{}
	err := toml.Unmarshal(text, &doc)
	if d, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := d.Position()
		return nil, fmt.Errorf("line %d, column %d: %s", line, column, strings.TrimPrefix(d.Error(), "toml: "))
	}
	return doc, err
}

// lookup returns the value at the names, or nil.
func lookup(doc any, at []string) any {
	for _, name := range at {
		table, ok := doc.(map[string]any)
		if !ok {
			return nil
		}
		doc = table[name]
	}
	return doc
}

// withLineEnds returns text with the line ends of file.
func withLineEnds(text string, file []byte) string {
	if !strings.Contains(string(file), "\r\n") {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}
