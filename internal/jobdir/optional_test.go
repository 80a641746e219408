package jobdir

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
)

// A holder does not need memory for the parts of records that its job lacks: encoding/json prepares the
// encoding of every struct in a record, unless the struct encodes itself.
func TestOptionalPartsEncodeThemselves(t *testing.T) {
	seen := 0
	for _, file := range []any{Meta{}, record.State{}, Fact{}} {
		of := reflect.TypeOf(file)
		for _, f := range reflect.VisibleFields(of) {
			part := f.Type
			if part.Kind() == reflect.Pointer {
				part = part.Elem()
			}
			if part.Kind() != reflect.Struct || part == reflect.TypeFor[time.Time]() || !strings.Contains(f.Tag.Get("json"), ",omit") {
				continue
			}
			seen++
			if !part.Implements(reflect.TypeFor[json.Marshaler]()) {
				t.Errorf("%v.%s: %v has no MarshalJSON; see engine/record/optional.go", of, f.Name, part)
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d optional parts found", seen)
	}
}
