package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hobjobs/hob/engine"
)

// jobArgs has the arguments for the options of a job. A tool whose arguments embed it has all of
// [engine.JobOptions] that agents can set.
type jobArgs struct {
	asked engine.Spec // what they ask for
	given []string    // the options that were given
}

func (a *jobArgs) jobArguments() *jobArgs { return a }

// jobArgsOf returns the jobArgs that in embeds, or nil.
func jobArgsOf(in any) *jobArgs {
	if has, ok := in.(interface{ jobArguments() *jobArgs }); ok {
		return has.jobArguments()
	}
	return nil
}

// options returns the options that agents can set; none for nil.
func (a *jobArgs) options() []engine.JobOption {
	if a == nil {
		return nil
	}
	return slices.DeleteFunc(engine.JobOptions(), func(o engine.JobOption) bool { return o.Argument == nil })
}

// find returns the option with the argument of that name, or false.
func (a *jobArgs) find(name string) (engine.JobOption, bool) {
	for _, o := range a.options() {
		if name == o.Argument.Name || slices.Contains(o.Argument.Aliases, name) {
			return o, true
		}
	}
	return engine.JobOption{}, false
}

// addTo adds the arguments to the schema of a tool.
func (a *jobArgs) addTo(schema *jsonschema.Schema) {
	for _, o := range a.options() {
		property := &jsonschema.Schema{Type: "string", Description: o.Argument.Description}
		switch {
		case o.Value == "":
			property.Type = "boolean"
		case o.Argument.List:
			property.Type, property.Items = "array", &jsonschema.Schema{Type: "string"}
		}
		schema.Properties[o.Argument.Name] = property
		schema.PropertyOrder = append(schema.PropertyOrder, o.Argument.Name)
	}
}

// read sets an option. An empty value does not count: some clients pass one for each argument.
func (a *jobArgs) read(tool string, o engine.JobOption, raw json.RawMessage) error {
	name := o.Argument.Name
	var on bool
	var text string
	var values []string
	var bad *mismatch
	switch {
	case o.Value == "":
		bad = readArg(name, raw, &on)
	case o.Argument.List:
		bad = readArg(name, raw, &values)
	default:
		bad = readArg(name, raw, &text)
	}
	if bad != nil {
		return mistyped(tool, bad)
	}
	if on || text != "" {
		values = []string{text}
	}
	for _, value := range values {
		if err := o.Set(&a.asked, value); err != nil {
			return usage(fmt.Sprintf("%s: %s: %v", tool, name, err), name+": "+o.Argument.Description)
		}
	}
	if len(values) > 0 {
		a.given = append(a.given, o.Name)
	}
	return nil
}

// requestFailure returns why a request cannot be used, in terms of arguments; nil for other errors.
func requestFailure(err error) *failure {
	wrong, ok := errors.AsType[*engine.SpecError](err)
	if !ok {
		return nil
	}
	return usage(wrong.Text(func(o engine.JobOption) string {
		if o.Argument == nil {
			return o.Name
		}
		return o.Argument.Name
	}))
}
