package testtool

import (
	"reflect"
	"time"
)

// Variants returns values of a struct: empty, with each field alone, and with all fields.
func Variants[T any]() []T {
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

// Fill sets all fields of the struct at p that JSON includes.
func Fill[T any](p *T) { fill(reflect.ValueOf(p).Elem()) }

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
