package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hobjobs/hob/engine"
)

// The arguments of a tool are a struct whose exported fields are strings, bools,
// *float64, *int64, []string and map[string]string. Their tags, beside json and
// jsonschema, which is the description:
//
//	enum  the values that the field accepts
//	also  other names of the field, from the tools of other servers
//	unit  the hint for an unknown parameter whose name begins with the field's name and
//	      probably names another unit
//	for   the actions of process that accept the field

type mismatch struct{ name, want string }

func (m *mismatch) Error() string { return m.name + " is not " + m.want }

// schemaOf is the input schema of a tool with arguments of type In. It does not forbid
// additional properties: [readArgs] accepts other names and explains wrong ones.
//
// With aliases a required argument may have another name, so the schema does not require it.
func schemaOf[In any](aliases bool) *jsonschema.Schema {
	schema := inferred[In]()
	for _, f := range argumentsOf[In]() {
		property := schema.Properties[nameOf(f)]
		for _, word := range listed(f, "enum") {
			property.Enum = append(property.Enum, word)
		}
		if aliases && f.Tag.Get("also") != "" {
			schema.Required = slices.DeleteFunc(schema.Required, func(name string) bool { return name == nameOf(f) })
		}
	}
	jobArgsOf(new(In)).addTo(schema)
	return schema
}

// argumentsOf returns the fields of In that are arguments.
func argumentsOf[In any]() []reflect.StructField {
	fields := reflect.VisibleFields(reflect.TypeFor[In]())
	return slices.DeleteFunc(fields, func(f reflect.StructField) bool { return nameOf(f) == "" })
}

func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// listed returns the values of a comma-separated tag.
func listed(f reflect.StructField, tag string) []string {
	return strings.FieldsFunc(f.Tag.Get(tag), func(r rune) bool { return r == ',' })
}

// readArgs decodes the arguments of a call. It accepts numbers and booleans in strings, and
// a list as one string of words.
func readArgs[In any](tool string, raw json.RawMessage) (in In, err error) {
	var given map[string]json.RawMessage
	if len(bytes.TrimSpace(raw)) > 0 && json.Unmarshal(raw, &given) != nil {
		return in, usage("the arguments are not a JSON object", "give "+tool+" an object with its parameters")
	}
	fields, job := argumentsOf[In](), jobArgsOf(&in)
	read := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		n := slices.IndexFunc(fields, func(f reflect.StructField) bool {
			return nameOf(f) == name || slices.Contains(listed(f, "also"), name)
		})
		option, ofJob := job.find(name)
		own := "" // its name in the schema
		switch {
		case ofJob:
			own = option.Argument.Name
		case n >= 0:
			own = nameOf(fields[n])
		default:
			return in, usage(fmt.Sprintf("%s has no parameter %q", tool, name), insteadOf(name, fields, job.options()))
		}
		if bytes.Equal(given[name], []byte("null")) {
			continue
		}
		if read[own] {
			return in, usage(fmt.Sprintf("%q is given twice, once under another name", own), "give it once")
		}
		read[own] = true
		if ofJob {
			if err := job.read(tool, option, given[name]); err != nil {
				return in, err
			}
			continue
		}
		f := fields[n]
		value := reflect.ValueOf(&in).Elem().FieldByIndex(f.Index)
		if bad := readArg(nameOf(f), given[name], value.Addr().Interface()); bad != nil {
			return in, mistyped(tool, bad)
		}
		if words := listed(f, "enum"); len(words) > 0 && !value.IsZero() && !slices.Contains(words, value.String()) {
			return in, usage(fmt.Sprintf("%s: unknown %s %q", tool, nameOf(f), value), oneOf(f))
		}
	}
	return in, nil
}

func mistyped(tool string, bad *mismatch) *failure {
	return usage(tool+": "+bad.Error(), "give "+bad.name+" as "+bad.want)
}

func oneOf(f reflect.StructField) string {
	return nameOf(f) + " is one of " + strings.Join(listed(f, "enum"), ", ")
}

// insteadOf is the hint for an unknown parameter.
func insteadOf(name string, fields []reflect.StructField, options []engine.JobOption) string {
	var names []string
	for _, f := range fields {
		if hint := f.Tag.Get("unit"); hint != "" && strings.HasPrefix(name, nameOf(f)) {
			return hint
		}
		names = append(names, nameOf(f))
	}
	for _, o := range options {
		names = append(names, o.Argument.Name)
	}
	return "its parameters: " + strings.Join(names, ", ")
}

func readArg(name string, raw json.RawMessage, to any) *mismatch {
	var err error
	want := ""
	switch to := to.(type) {
	case *string:
		want, err = "a string", json.Unmarshal(raw, to)
	case *bool:
		want = "true or false"
		*to, err = strconv.ParseBool(unquoted(raw))
	case **float64:
		want = "a number"
		*to, err = readNumber(raw)
	case **int64:
		want = "a whole number, at least 0"
		*to, err = readCount(raw)
	case *[]string:
		want = "a list of strings"
		*to, err = readWords(raw)
	case *map[string]string:
		return readVariables(name, raw, to)
	default:
		panic(fmt.Sprintf("%s: no argument is a %T", name, to))
	}
	if err != nil {
		return &mismatch{name, want}
	}
	return nil
}

func unquoted(raw json.RawMessage) string { return strings.Trim(string(raw), `"`) }

func readNumber(raw json.RawMessage) (*float64, error) {
	n, err := strconv.ParseFloat(unquoted(raw), 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return nil, strconv.ErrSyntax
	}
	return &n, nil
}

// readCount accepts any notation of a whole number, such as 10.0.
func readCount(raw json.RawMessage) (*int64, error) {
	n, err := readNumber(raw)
	if err != nil || *n < 0 || *n != math.Trunc(*n) || *n > 1<<53 {
		return nil, strconv.ErrRange
	}
	whole := int64(*n)
	return &whole, nil
}

func readWords(raw json.RawMessage) (words []string, err error) {
	if json.Unmarshal(raw, &words) == nil {
		return words, nil
	}
	var text string
	err = json.Unmarshal(raw, &text)
	return strings.Fields(text), err
}

// readVariables converts numbers and booleans to strings.
func readVariables(name string, raw json.RawMessage, to *map[string]string) *mismatch {
	var given map[string]any
	numbers := json.NewDecoder(bytes.NewReader(raw))
	numbers.UseNumber()
	if numbers.Decode(&given) != nil {
		return &mismatch{name, "an object of strings"}
	}
	*to = make(map[string]string, len(given))
	for variable, value := range given {
		switch value.(type) {
		case string, bool, json.Number:
			(*to)[variable] = fmt.Sprint(value)
		default:
			return &mismatch{name + "." + variable, "a string"}
		}
	}
	return nil
}

// maxRefs limits the jobs that one argument names.
const maxRefs = 100

func checkRefs[T ~string](tool, name string, refs []T) error {
	if len(refs) > maxRefs {
		return usage(fmt.Sprintf("%s: %s has %d jobs", tool, name, len(refs)), fmt.Sprintf("give at most %d", maxRefs))
	}
	return nil
}

// holdsNothing reports whether an argument is empty. Some clients pass empty values for
// all parameters that they do not use.
func holdsNothing(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer:
		return v.IsNil() || v.Elem().IsZero()
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	default:
		return v.IsZero()
	}
}
