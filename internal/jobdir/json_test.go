package jobdir

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/proc"
)

// variants returns values of a struct: empty, with each field alone, and with all fields.
func variants[T any]() []T {
	var all T
	v := reflect.ValueOf(&all).Elem()
	fill(v)
	out := make([]T, 1, v.NumField()+2)
	for i := range v.NumField() {
		var one T
		reflect.ValueOf(&one).Elem().Field(i).Set(v.Field(i))
		out = append(out, one)
	}
	return append(out, all)
}

// fill sets all fields of v that JSON includes.
func fill(v reflect.Value) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Date(2026, 11, 22, 10, 0, 0, 123456789, time.UTC)))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") != "-" {
				fill(v.Field(i))
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("a<b"), reflect.ValueOf("é"))
	case reflect.String:
		v.SetString("x && \"y\"")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8:
		v.SetUint('z')
	case reflect.Int, reflect.Int64:
		v.SetInt(-1234567890)
	default:
		panic("fill does not support " + v.Type().String())
	}
}

// readBack checks that v survives encoding and decoding.
func readBack[T any](t *testing.T, v T) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var got T
	err = json.Unmarshal(data, &got)
	if diff := cmp.Diff(v, got); diff != "" || err != nil {
		t.Errorf("read %s: %v\n%s", data, err, diff)
	}
}

func TestMetaRoundTrip(t *testing.T) {
	for _, m := range variants[Meta]() {
		readBack(t, m)
	}
}

func TestStateRoundTrip(t *testing.T) {
	for _, s := range variants[record.State]() {
		readBack(t, s)
	}
	for _, e := range variants[record.Exit]() {
		readBack(t, record.State{Exit: e, Leader: proc.Identity{PID: 1}})
	}
}

func TestFactRoundTrip(t *testing.T) {
	for _, f := range variants[Fact]() {
		readBack(t, f)
	}
}
