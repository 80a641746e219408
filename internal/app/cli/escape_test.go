package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/hobjobs/hob/internal/cells"
)

func TestSafeJSON(t *testing.T) {
	for _, text := range []string{"", "plain", "é ü 漢 🙂", "\u009b31m", "a\x7fb", "x\u202egnp.exe", "\u2067\u2069", "\u061c\u200f\ufeff", "\u00a0\u2028", "\xff\xfe"} {
		var buf bytes.Buffer
		if err := encodeJSON(&buf, text); err != nil {
			t.Fatal(err)
		}
		for _, r := range buf.String() {
			if strings.ContainsRune("\n\u2028\ufffd", r) {
				continue
			}
			if cells.Escape(string(r)) != string(r) {
				t.Errorf("%q is printed as %q", text, buf.String())
			}
		}
		var want, got string
		plain, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(plain, &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(buf.Bytes(), &got); err != nil || got != want {
			t.Errorf("%q is read back as %q, %v", text, got, err)
		}
	}
}
