package jobdir

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/internal/flatjson"
	"github.com/hobjobs/hob/internal/proc"
)

// variants are values of a struct: empty, with each field alone, with all.
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

// fill sets everything in v that JSON shows.
func fill(v reflect.Value) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Date(2026, 11, 22, 10, 0, 0, 123456789, time.UTC)))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
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
		panic("a field of a kind that the records had none of: " + v.Type().String())
	}
}

// readBack checks that what is written of v is read as v.
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

// ownWay checks that v is written as encoding/json does and read back the same, and
// reports whether without its help.
func ownWay[T any](t *testing.T, v T, write func(*T) ([]byte, error), parse func([]byte) (T, error), read func(*flatjson.Reader)) (ok bool) {
	t.Helper()
	want, err := json.Marshal(&v)
	if err != nil {
		t.Fatal(err)
	}
	data, err := write(&v)
	if diff := cmp.Diff(string(want), string(data)); diff != "" || err != nil {
		t.Errorf("written: %v\n%s", err, diff)
	}
	var was T
	if err := json.Unmarshal(want, &was); err != nil {
		t.Fatal(err)
	}
	got, err := parse(append(data, '\n'))
	if diff := cmp.Diff(was, got); diff != "" || err != nil {
		t.Errorf("read %s: %v\n%s", data, err, diff)
	}
	r := flatjson.NewReader(data)
	read(r)
	return r.Done()
}

func TestEveryFieldOfMetaIsWrittenAndRead(t *testing.T) {
	for _, m := range variants[Meta]() {
		ok := ownWay(t, m,
			func(m *Meta) ([]byte, error) { return appendMeta(nil, m) },
			func(p []byte) (m Meta, err error) { err = parseMeta(p, &m); return m, err },
			func(r *flatjson.Reader) { readMeta(r, &Meta{}) })
		if ok != (m.Exact == nil) {
			t.Errorf("%+v: understood %v", m, ok)
		}
	}
}

func TestEveryFieldOfStateIsWrittenAndRead(t *testing.T) {
	for _, s := range variants[State]() {
		readBack(t, s)
	}
	for _, e := range variants[End]() {
		readBack(t, State{End: &e, Job: proc.Identity{PID: 1}})
	}
}

func TestEveryFieldOfAFactIsWrittenAndRead(t *testing.T) {
	for _, f := range variants[Fact]() {
		readBack(t, f)
	}
}
