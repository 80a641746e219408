package params

import (
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// SchemaOf is the input schema of a tool with arguments of type In. It does not forbid
// additional properties: [Read] accepts other names and explains wrong ones.
//
// With aliases a required argument may have another name, so the schema does not require it.
func SchemaOf[In any](aliases bool) *jsonschema.Schema {
	schema := Inferred[In]()
	for _, f := range argumentsOf[In]() {
		property := schema.Properties[NameOf(f)]
		for _, word := range Listed(f, "enum") {
			property.Enum = append(property.Enum, word)
		}
		if aliases && f.Tag.Get("also") != "" {
			schema.Required = slices.DeleteFunc(schema.Required, func(name string) bool { return name == NameOf(f) })
		}
	}
	jobArgsOf(new(In)).addTo(schema)
	return schema
}

// argumentsOf returns the fields of In that are arguments.
func argumentsOf[In any]() []reflect.StructField {
	fields := reflect.VisibleFields(reflect.TypeFor[In]())
	return slices.DeleteFunc(fields, func(f reflect.StructField) bool { return NameOf(f) == "" })
}

// Inferred returns the schema of T in the form that tools are declared with. It does not mention null,
// which costs tokens and which no result contains, and does not forbid additional properties of structs:
// a client may still have the schema of another version of hob.
func Inferred[T any]() *jsonschema.Schema {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err) // T has a field of a type without a schema
	}
	simplify(schema)
	return schema
}

func simplify(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) > 1 {
		s.Type, s.Types = s.Types[1], nil
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil { // of a struct, not of a map
		s.AdditionalProperties = nil
	}
	for _, property := range s.Properties {
		simplify(property)
	}
	simplify(s.Items)
}
