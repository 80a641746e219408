// Package params reads the arguments of a call of a tool, and describes them as a schema.
//
// The arguments of a tool are a struct whose exported fields are strings, bools,
// *float64, *int64, []string and map[string]string. Their tags, beside json and
// jsonschema, which is the description:
//
//	enum  the values that the field accepts
//	also  other names of the field, from the tools of other servers
//	unit  the hint for an unknown parameter whose name begins with the field's name and
//	      probably names another unit
//	for   the actions of process that accept the field
package params

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hobjobs/hob/engine"
)

// Mistake is an error of the caller, with what to do about it.
type Mistake struct{ Message, Hint string }

func (m *Mistake) Error() string { return m.Message }

func usage(message, hint string) *Mistake { return &Mistake{message, hint} }

// NameOf returns the name of the argument that a field has; empty for a field that has none.
func NameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// Listed returns the values of a comma-separated tag.
func Listed(f reflect.StructField, tag string) []string {
	return strings.FieldsFunc(f.Tag.Get(tag), func(r rune) bool { return r == ',' })
}

// Read decodes the arguments of a call. It accepts numbers and booleans in strings, and
// a list as one string of words.
func Read[In any](tool string, raw json.RawMessage) (in In, err error) {
	var given map[string]json.RawMessage
	if len(bytes.TrimSpace(raw)) > 0 && json.Unmarshal(raw, &given) != nil {
		return in, usage("the arguments are not a JSON object", "give "+tool+" an object with its parameters")
	}
	fields, job := argumentsOf[In](), jobArgsOf(&in)
	read := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		n := slices.IndexFunc(fields, func(f reflect.StructField) bool {
			return NameOf(f) == name || slices.Contains(Listed(f, "also"), name)
		})
		option, ofJob := job.find(name)
		own := "" // its name in the schema
		switch {
		case ofJob:
			own = option.Argument.Name
		case n >= 0:
			own = NameOf(fields[n])
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
		if bad := readArg(NameOf(f), given[name], value.Addr().Interface()); bad != nil {
			return in, mistyped(tool, bad)
		}
		if words := Listed(f, "enum"); len(words) > 0 && !value.IsZero() && !slices.Contains(words, value.String()) {
			return in, usage(fmt.Sprintf("%s: unknown %s %q", tool, NameOf(f), value), OneOf(f))
		}
	}
	return in, nil
}

func mistyped(tool string, bad *mismatch) *Mistake {
	return usage(tool+": "+bad.Error(), "give "+bad.name+" as "+bad.want)
}

// OneOf returns the hint with the values that a field accepts.
func OneOf(f reflect.StructField) string {
	return NameOf(f) + " is one of " + strings.Join(Listed(f, "enum"), ", ")
}

// insteadOf is the hint for an unknown parameter.
func insteadOf(name string, fields []reflect.StructField, options []engine.JobOption) string {
	var names []string
	for _, f := range fields {
		if hint := f.Tag.Get("unit"); hint != "" && strings.HasPrefix(name, NameOf(f)) {
			return hint
		}
		names = append(names, NameOf(f))
	}
	for _, o := range options {
		names = append(names, o.Argument.Name)
	}
	return "its parameters: " + strings.Join(names, ", ")
}

// MaxRefs limits the jobs that one argument names.
const MaxRefs = 100

// CheckRefs reports an argument that names too many jobs.
func CheckRefs[T ~string](tool, name string, refs []T) error {
	if len(refs) > MaxRefs {
		return usage(fmt.Sprintf("%s: %s has %d jobs", tool, name, len(refs)), fmt.Sprintf("give at most %d", MaxRefs))
	}
	return nil
}

// HoldsNothing reports whether an argument is empty. Some clients pass empty values for
// all parameters that they do not use.
func HoldsNothing(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer:
		return v.IsNil() || v.Elem().IsZero()
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	default:
		return v.IsZero()
	}
}
