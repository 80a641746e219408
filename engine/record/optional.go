package record

import (
	"bytes"
	"encoding/json"
)

// The types below are the parts of a record that most jobs lack. Before encoding/json encodes or decodes a
// struct, it prepares the encoding of all types in it, also of absent parts, and keeps that in memory. It does
// not look into a type that encodes itself. Each running job has a holder, which needs 80 KiB less this way.

// MarshalJSON implements [json.Marshaler].
func (e Exit) MarshalJSON() ([]byte, error) { type plain Exit; return encode(plain(e)) }

// MarshalJSON implements [json.Marshaler].
func (p Program) MarshalJSON() ([]byte, error) { type plain Program; return encode(plain(p)) }

// MarshalJSON implements [json.Marshaler].
func (c ProgramChange) MarshalJSON() ([]byte, error) {
	type plain ProgramChange
	return encode(plain(c))
}

// MarshalJSON implements [json.Marshaler].
func (p Pending) MarshalJSON() ([]byte, error) { type plain Pending; return encode(plain(p)) }

// MarshalJSON implements [json.Marshaler].
func (r Runs) MarshalJSON() ([]byte, error) { type plain Runs; return encode(plain(r)) }

// MarshalJSON implements [json.Marshaler].
func (r StopRequest) MarshalJSON() ([]byte, error) { type plain StopRequest; return encode(plain(r)) }

// MarshalJSON implements [json.Marshaler].
func (p Progress) MarshalJSON() ([]byte, error) { type plain Progress; return encode(plain(p)) }

// MarshalJSON implements [json.Marshaler].
func (c LastCommand) MarshalJSON() ([]byte, error) { type plain LastCommand; return encode(plain(c)) }

// MarshalJSON implements [json.Marshaler].
func (h Health) MarshalJSON() ([]byte, error) { type plain Health; return encode(plain(h)) }

// MarshalJSON implements [json.Marshaler].
func (c HealthCheck) MarshalJSON() ([]byte, error) { type plain HealthCheck; return encode(plain(c)) }

// MarshalJSON implements [json.Marshaler].
func (s Scheduled) MarshalJSON() ([]byte, error) { type plain Scheduled; return encode(plain(s)) }

// MarshalJSON implements [json.Marshaler].
func (r Range) MarshalJSON() ([]byte, error) { type plain Range; return encode(plain(r)) }

// encode encodes a part of a record. The encoder of the whole escapes HTML if it is to.
func encode(part any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(part)
	return b.Bytes(), err
}
