package agents

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonStyle is the formatting of a file, which new values take over.
type jsonStyle struct {
	indent string
	lines  bool // a value has a line of its own
}

// styleOf returns the style of the members of the file. An empty file gets two spaces.
func styleOf(doc *hujson.Value) jsonStyle {
	obj, ok := doc.Value.(*hujson.Object)
	if !ok || len(obj.Members) == 0 {
		return jsonStyle{indent: "  ", lines: true}
	}
	before := string(obj.Members[0].Name.BeforeExtra)
	i := strings.LastIndexByte(before, '\n')
	if i < 0 {
		return jsonStyle{}
	}
	return jsonStyle{indent: before[i+1:], lines: true}
}

// gap is the whitespace before a value or a closing bracket at that depth.
func (s jsonStyle) gap(depth int) string {
	if !s.lines {
		return ""
	}
	return "\n" + strings.Repeat(s.indent, depth)
}

// addMember appends a member to obj, whose own depth is given.
func (s jsonStyle) addMember(obj *hujson.Object, name, value string, depth int) {
	var last *hujson.Value
	if n := len(obj.Members); n > 0 {
		last = &obj.Members[n-1].Value
	}
	before := s.append(last, &obj.AfterExtra, depth)
	v := s.value(value, depth+1)
	v.BeforeExtra = hujson.Extra(" ")
	if last != nil && last.AfterExtra != nil {
		v.AfterExtra = hujson.Extra{}
	}
	obj.Members = append(obj.Members, hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: before, Value: hujson.String(name)},
		Value: v,
	})
}

// addElement appends an element to list, whose own depth is given.
func (s jsonStyle) addElement(list *hujson.Array, value string, depth int) {
	var last *hujson.Value
	if n := len(list.Elements); n > 0 {
		last = &list.Elements[n-1]
	}
	before := s.append(last, &list.AfterExtra, depth)
	v := s.value(value, depth+1)
	v.BeforeExtra = before
	if last != nil && last.AfterExtra != nil {
		v.AfterExtra = hujson.Extra{}
	}
	list.Elements = append(list.Elements, v)
}

// append returns what goes before a value after the last one, and changes what goes before the
// closing bracket. A comment there belongs to the values that come before the new one.
func (s jsonStyle) append(last *hujson.Value, closing *hujson.Extra, depth int) hujson.Extra {
	comment := bytes.TrimRight(*closing, " \t\r\n")
	if endsInLineComment(comment) && !s.lines {
		comment = append(bytes.Clone(comment), '\n')
	}
	before := string(comment) + s.gap(depth+1)
	if before == "" && last != nil {
		before = " "
	}
	*closing = hujson.Extra(s.gap(depth))
	return hujson.Extra(before)
}

func endsInLineComment(e []byte) bool {
	for len(e) > 0 {
		end, size := "", 1
		switch {
		case bytes.HasPrefix(e, []byte("//")):
			end, size = "\n", 2
		case bytes.HasPrefix(e, []byte("/*")):
			end, size = "*/", 2
		}
		e = e[size:]
		_, rest, found := bytes.Cut(e, []byte(end))
		if !found {
			return end == "\n"
		}
		e = rest
	}
	return false
}

// value returns the value of a JSON text, formatted for its depth.
func (s jsonStyle) value(text string, depth int) hujson.Value {
	if s.lines && len(text) > len("{}") {
		var b bytes.Buffer
		_ = json.Indent(&b, []byte(text), strings.Repeat(s.indent, depth), s.indent) // the text is a constant of this package
		text = b.String()
	}
	v, _ := hujson.Parse([]byte(text))
	return v
}

// removeMember removes the member at i. What goes before the closing bracket then is as it was
// before [jsonStyle.addMember]. Comments around the member remain.
func removeMember(obj *hujson.Object, i int) {
	m := obj.Members[i]
	comments := joinComments(m.Name.BeforeExtra, m.Name.AfterExtra, m.Value.BeforeExtra, m.Value.AfterExtra)
	end := len(obj.Members) - 1
	trailing := obj.Members[end].Value.AfterExtra != nil
	obj.Members = append(obj.Members[:i], obj.Members[i+1:]...)
	if i < end {
		next := &obj.Members[i].Name
		next.BeforeExtra = keepComment(comments, next.BeforeExtra)
		return
	}
	obj.AfterExtra = withoutLast(comments, obj.AfterExtra, i == 0)
	if i > 0 {
		setTrailing(&obj.Members[i-1].Value, &obj.AfterExtra, trailing)
	}
}

// removeElement does the same for an element.
func removeElement(list *hujson.Array, i int) {
	comments := joinComments(list.Elements[i].BeforeExtra, list.Elements[i].AfterExtra)
	end := len(list.Elements) - 1
	trailing := list.Elements[end].AfterExtra != nil
	list.Elements = append(list.Elements[:i], list.Elements[i+1:]...)
	if i < end {
		next := &list.Elements[i]
		next.BeforeExtra = keepComment(comments, next.BeforeExtra)
		return
	}
	list.AfterExtra = withoutLast(comments, list.AfterExtra, i == 0)
	if i > 0 {
		setTrailing(&list.Elements[i-1], &list.AfterExtra, trailing)
	}
}

// joinComments returns what precedes a value, with the comments that follow.
func joinComments(before hujson.Extra, rest ...hujson.Extra) hujson.Extra {
	for _, e := range rest {
		if !isBlank(e) {
			before = append(bytes.Clone(before), e...)
		}
	}
	return before
}

// withoutLast returns what goes before the closing bracket once the last value is removed.
// before is what preceded that value, closing what followed it.
func withoutLast(before, closing hujson.Extra, only bool) hujson.Extra {
	if only && isBlank(before) && isBlank(closing) {
		return nil
	}
	return keepComment(before, closing)
}

// keepComment returns following with the comments in before in front of it.
func keepComment(before, following hujson.Extra) hujson.Extra {
	comment := bytes.Clone(bytes.TrimRight(before, " \t\r\n"))
	if endsInLineComment(comment) && !bytes.HasPrefix(following, []byte("\n")) {
		comment = append(comment, '\n')
	}
	return append(comment, following...)
}

// setTrailing adds or removes the comma after the last value. A comment before the comma moves
// to closing, which is what goes before the closing bracket.
func setTrailing(last *hujson.Value, closing *hujson.Extra, comma bool) {
	switch {
	case !comma:
		if !isBlank(last.AfterExtra) {
			*closing = keepComment(last.AfterExtra, *closing)
		}
		last.AfterExtra = nil
	case last.AfterExtra == nil:
		last.AfterExtra = hujson.Extra{}
	}
}
