package params

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hobjobs/hob/engine"
)

// JobArgs has the arguments for the options of a job. A tool whose arguments embed it has all of
// [engine.JobOptions] that agents can set.
type JobArgs struct {
	asked engine.Spec // what they ask for
	given []string    // the options that were given
}

// Asked returns the request with the options that were given, which the tool completes.
func (a *JobArgs) Asked() engine.Spec { return a.asked }

// Given returns the options that were given.
func (a *JobArgs) Given() []string { return a.given }

func (a *JobArgs) jobArguments() *JobArgs { return a }

// jobArgsOf returns the JobArgs that in embeds, or nil.
func jobArgsOf(in any) *JobArgs {
	if has, ok := in.(interface{ jobArguments() *JobArgs }); ok {
		return has.jobArguments()
	}
	return nil
}

// options returns the options that agents can set; none for nil.
func (a *JobArgs) options() []engine.JobOption {
	if a == nil {
		return nil
	}
	return slices.DeleteFunc(engine.JobOptions(), func(o engine.JobOption) bool { return o.Argument == nil })
}

// find returns the option with the argument of that name, or false.
func (a *JobArgs) find(name string) (engine.JobOption, bool) {
	for _, o := range a.options() {
		if name == o.Argument.Name || slices.Contains(o.Argument.Aliases, name) {
			return o, true
		}
	}
	return engine.JobOption{}, false
}

// addTo adds the arguments to the schema of a tool.
func (a *JobArgs) addTo(schema *jsonschema.Schema) {
	for _, o := range a.options() {
		property := &jsonschema.Schema{Type: "string", Description: o.Argument.Description}
		switch {
		case o.Value == "":
			property.Type = "boolean"
		case o.Argument.List:
			property.Type, property.Items = "array", &jsonschema.Schema{Type: "string"}
		case o.Argument.Number:
			property.Type = "integer"
		}
		schema.Properties[o.Argument.Name] = property
		schema.PropertyOrder = append(schema.PropertyOrder, o.Argument.Name)
	}
}

// read sets an option. An empty value does not count: some clients pass one for each argument.
func (a *JobArgs) read(tool string, o engine.JobOption, raw json.RawMessage) error {
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
	case o.Argument.Number:
		var count *int64
		if bad = readArg(name, raw, &count); count != nil {
			text = strconv.FormatInt(*count, 10)
		}
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
