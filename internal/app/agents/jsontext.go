package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonText is the text of a JSON file, with the places of its values. Changes keep all other bytes.
type jsonText struct {
	text []byte
	root hujson.Value
}

// parseJSON parses a file that holds an object. An empty one is an empty object.
func parseJSON(text []byte) (jsonText, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	root, err := hujson.Parse(text)
	switch {
	case err != nil:
		err = errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	case root.Value.Kind() != '{':
		err = errors.New("the file does not hold a JSON object")
	}
	return jsonText{text, root}, err
}

// item is a member of an object, or an element of an array.
type item struct {
	name  string
	start int
	value hujson.Value
}

// comma is the offset of the comma behind the item, if it has one.
func (i item) comma() int { return i.value.EndOffset + len(i.value.AfterExtra) }

// itemsOf returns the items of an object or an array; other values have none.
func itemsOf(v *hujson.Value) (items []item) {
	switch v := v.Value.(type) {
	case *hujson.Object:
		for _, m := range v.Members {
			items = append(items, item{m.Name.Value.(hujson.Literal).String(), m.Name.StartOffset, m.Value})
		}
	case *hujson.Array:
		for _, e := range v.Elements {
			items = append(items, item{"", e.StartOffset, e})
		}
	}
	return items
}

// indexOf returns the index of the member that counts: of several, the last; -1 if there is none.
func indexOf(v *hujson.Value, name string) int {
	for i, m := range slices.Backward(itemsOf(v)) {
		if m.name == name && v.Value.Kind() == '{' {
			return i
		}
	}
	return -1
}

// reach follows names from the root to a value. It stops at a value that has no such member, and
// returns the names that are left.
func (d jsonText) reach(names []string) (v *hujson.Value, missing []string) {
	v = &d.root
	for len(names) > 0 {
		i := indexOf(v, names[0])
		if i < 0 {
			break
		}
		v, names = &itemsOf(v)[i].value, names[1:]
	}
	return v, names
}

// indent returns the indentation of one level. lines reports whether each value has a line of its own.
func (d jsonText) indent() (indent string, lines bool) {
	items := itemsOf(&d.root)
	if len(items) == 0 {
		return "  ", true
	}
	before := string(d.text[d.root.StartOffset+1 : items[0].start])
	i := strings.LastIndexByte(before, '\n')
	return before[i+1:], i >= 0
}

// insert returns the text with an item behind the others of an object or array, whose own depth is
// given. A comment behind the last item stays there.
func (d jsonText) insert(into *hujson.Value, depth int, text string) []byte {
	indent, lines := d.indent()
	gap := func(depth int) string {
		if !lines {
			return ""
		}
		return "\n" + strings.Repeat(indent, depth)
	}
	at, comma, trailing, space := into.StartOffset+1, "", "", ""
	if items := itemsOf(into); len(items) > 0 {
		last := items[len(items)-1]
		at, comma, space = last.value.EndOffset, ",", " "
		if last.value.AfterExtra != nil { // it has a comma
			at, comma, trailing = last.comma()+1, "", ","
		}
	}
	end := into.EndOffset - 1
	comment := string(bytes.TrimRight(d.text[at:end], " \t\r\n"))
	before := comment + gap(depth+1)
	if endsInLineComment(comment) && !lines {
		before += "\n"
	} else if before == "" {
		before = space
	}
	if lines {
		text = indented(text, strings.Repeat(indent, depth+1), indent)
	}
	return slices.Concat(d.text[:at], []byte(comma+before+text+trailing+gap(depth)), d.text[end:])
}

// indented returns the text of a member or a value, of which the lines after the first begin with prefix.
func indented(text, prefix, indent string) string {
	name, value := "", text
	if strings.HasPrefix(text, `"`) {
		before, after, _ := strings.Cut(text, ": ")
		name, value = before+": ", after
	}
	var b bytes.Buffer
	_ = json.Indent(&b, []byte(value), prefix, indent) // the text is a constant of this package
	return name + b.String()
}

// remove returns the text without the item i of an object or array. Comments around it stay.
func (d jsonText) remove(from *hujson.Value, i int) []byte {
	items := itemsOf(from)
	removed := items[i]
	begin, end, after := from.StartOffset+1, removed.value.EndOffset, ""
	if i > 0 {
		begin = items[i-1].comma() + 1
	}
	before := string(d.text[begin:removed.start])
	if i < len(items)-1 || removed.value.AfterExtra != nil { // remove the comma after it
		after, end = string(removed.value.AfterExtra), removed.comma()+1
	} else if i > 0 { // remove the comma before it
		begin = items[i-1].value.EndOffset
		before = string(items[i-1].value.AfterExtra) + before
	}
	if strings.TrimSpace(after) != "" {
		before += after
	}
	comment, rest := strings.TrimRight(before, " \t\r\n"), d.text[end:]
	closing := d.text[end : from.EndOffset-1]
	if len(items) == 1 && comment == "" && len(bytes.TrimSpace(closing)) == 0 {
		rest = d.text[from.EndOffset-1:]
	}
	if endsInLineComment(comment) && !bytes.HasPrefix(rest, []byte("\n")) {
		comment += "\n"
	}
	return slices.Concat(d.text[:begin], []byte(comment), rest)
}

// endsInLineComment reports whether a text of spaces and comments ends in a comment that needs a line
// feed behind it.
func endsInLineComment(text string) bool {
	for text != "" {
		end, size := "", 1
		switch {
		case strings.HasPrefix(text, "//"):
			end, size = "\n", 2
		case strings.HasPrefix(text, "/*"):
			end, size = "*/", 2
		}
		_, rest, found := strings.Cut(text[size:], end)
		if !found {
			return end == "\n"
		}
		text = rest
	}
	return false
}
