package mcp

import "github.com/google/jsonschema-go/jsonschema"

// inferred returns the schema of T in the form that tools are declared with. It does not mention null,
// which costs tokens and which no result contains, and does not forbid additional properties of structs:
// a client may still have the schema of another version of hob.
func inferred[T any]() *jsonschema.Schema {
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

// resultSchema is the output schema of every tool. A result has fields of an answer, or an error with the
// job and the notices that belong to it.
func resultSchema() *jsonschema.Schema {
	schema := inferred[answer]()
	schema.Properties["error"] = inferred[failureJSON]().Properties["error"]
	statuses := []any{statusQueued, statusRunning, statusCompleted, statusFailed}
	schema.Properties["status"].Enum = statuses
	schema.Properties["jobs"].Items.Properties["status"].Enum = statuses
	return schema
}
