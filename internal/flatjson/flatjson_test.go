package flatjson_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/internal/flatjson"
)

// all has every kind of field.
type all struct {
	S    string            `json:"s"`
	OS   string            `json:"os,omitempty"`
	I    int64             `json:"i"`
	OI   int64             `json:"oi,omitempty"`
	P    *int              `json:"p"`
	B    bool              `json:"b"`
	OB   bool              `json:"ob,omitempty"`
	T    time.Time         `json:"t"`
	L    []string          `json:"l"`
	N    []int             `json:"n"`
	ON   []int             `json:"on,omitempty"`
	M    map[string]string `json:"m,omitempty"`
	Deep struct {
		S string `json:"s"`
	} `json:"deep"`
}

func (a *all) write() ([]byte, error) {
	var w flatjson.Writer
	w.Open()
	w.Str("s", a.S)
	w.OptStr("os", a.OS)
	w.Int("i", a.I)
	w.OptInt("oi", a.OI)
	w.IntPtr("p", a.P)
	w.Bool("b", a.B)
	w.OptBool("ob", a.OB)
	w.Time("t", a.T)
	w.Strs("l", a.L)
	w.Ints("n", a.N)
	w.OptInts("on", a.ON)
	w.OptStrMap("m", a.M)
	w.Key("deep")
	w.Open()
	w.Str("s", a.Deep.S)
	w.Close()
	w.Close()
	return w.Buf, w.Err
}

func read(data []byte) (a all, ok bool) {
	r := flatjson.NewReader(data)
	r.Object(func(key string) {
		switch key {
		case "s":
			a.S = r.Str()
		case "os":
			a.OS = r.Str()
		case "i":
			a.I = r.Int()
		case "oi":
			a.OI = r.Int()
		case "p":
			a.P = r.IntPtr()
		case "b":
			a.B = r.Bool()
		case "ob":
			a.OB = r.Bool()
		case "t":
			a.T = r.Time()
		case "l":
			a.L = r.Strs()
		case "n":
			a.N = r.Ints()
		case "on":
			a.ON = r.Ints()
		case "m":
			a.M = r.StrMap()
		case "deep":
			r.Object(func(key string) {
				if key != "s" {
					r.Unknown()
					return
				}
				a.Deep.S = r.Str()
			})
		default:
			r.Unknown()
		}
	})
	return a, r.Done()
}

func TestItIsWhatEncodingJSONWrites(t *testing.T) {
	n := -3
	full := all{
		S: "make && ./a <b> \"c\" \\ \t\x00\x7f é \u2028 \U0001F525 caf\xe9", OS: "plain", I: -1 << 60, OI: 7, P: &n, B: true, OB: true,
		T: time.Date(2026, 11, 22, 1, 2, 3, 456, time.FixedZone("", -5400)), L: []string{"", "ä", "x y"},
		N: []int{0, -7, 12}, ON: []int{3},
		M: map[string]string{"z": "1", "a<": "2", "": ""},
	}
	full.Deep.S = "deep"
	for name, a := range map[string]all{"full": full, "empty": {}, "empty list": {L: []string{}, N: []int{}, ON: []int{}}} {
		t.Run(name, func(t *testing.T) {
			want, err := json.Marshal(&a)
			if err != nil {
				t.Fatal(err)
			}
			got, err := a.write()
			if diff := cmp.Diff(string(want), string(got)); diff != "" || err != nil {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
	late := all{T: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}
	if _, err := late.write(); err == nil {
		t.Error("a time that JSON cannot hold is no error")
	}
}

// agree checks that data is understood as encoding/json does, or not at all.
func agree(t *testing.T, data []byte) (ok bool) {
	t.Helper()
	got, ok := read(data)
	if !ok {
		return false
	}
	var want all
	if err := json.Unmarshal(data, &want); err != nil {
		t.Errorf("%q is understood, but is no JSON: %v", data, err)
		return true
	}
	if len(want.M) == 0 && len(got.M) == 0 {
		want.M, got.M = nil, nil
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%q (-want +got):\n%s", data, diff)
	}
	return true
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	for _, text := range []string{
		`{}`, "{}\n", `{"s":"x"}`, `{"s":"a\"b\\c\u00e9\ud83d\udd25é"}`, `{"p":null,"l":null}`, `{"p":-12,"l":[],"n":[]}`, `{"n":[1,-2]}`, `{"n":null}`, `{"l":["a","b"]}`,
		`{"i":123456789012345678}`, `{"i":0}`, `{"b":true,"ob":false}`, `{"t":"2026-11-22T01:02:03.000000456-01:30"}`,
		`{"m":{"a":"b","c":"d"},"deep":{"s":"x"}}`, `{"s":"1","s":"2"}`, "{\"s\":\"caf\xe9\"}",
	} {
		if !agree(t, []byte(text)) {
			t.Errorf("%q is not understood", text)
		}
	}
}

func TestTheRestIsLeft(t *testing.T) {
	for _, text := range []string{
		``, ` `, `{`, `{"s"`, `{"s":`, `{"s":"`, `{"s":"\`, `{"s":"x"`, `{"s":"x",}`, `{"s":"x"}}`, `{"s":"x"} `, `{ "s":"x"}`, `null`, `[]`,
		`{"s":1}`, `{"s":null}`, `{"S":"x"}`, `{"new":"x"}`, `{"i":1.5}`, `{"i":1e3}`, `{"i":01}`, `{"i":-}`, `{"i":9223372036854775808}`,
		`{"b":tru}`, `{"b":1}`, `{"t":"yesterday"}`, `{"t":1}`, `{"l":["a",]}`, `{"l":["a" "b"]}`, `{"l":[1]}`, `{"n":["1"]}`, `{"n":[1,]}`, `{"n":[1`, `{"m":{"a":1}}`, `{"m":null}`,
		`{"deep":{"other":1}}`, `{"p":"1"}`, "{\"s\":\"a\nb\"}", `{"s":"\q"}`,
	} {
		if _, ok := read([]byte(text)); ok {
			t.Errorf("%q is understood", text)
		}
	}
}

// A Reader of many texts gives each what it would have had alone.
func TestManyTexts(t *testing.T) {
	var r flatjson.Reader
	var lists [][]string
	var numbers []*int
	for i := range 1000 {
		r.Reset(fmt.Sprintf(`{"l":["%d","ä"%s],"p":%d}`, i, strings.Repeat(`,"more"`, i%20), i))
		r.Object(func(key string) {
			if key == "l" {
				lists = append(lists, r.Strs())
			} else {
				numbers = append(numbers, r.IntPtr())
			}
		})
		if !r.Done() {
			t.Fatalf("text %d is not understood", i)
		}
		_ = append(lists[i], "somebody else's")
	}
	for i, list := range lists {
		if len(list) != 2+i%20 || list[0] != strconv.Itoa(i) || list[1] != "ä" || len(list) > 2 && list[len(list)-1] != "more" || *numbers[i] != i {
			t.Fatalf("text %d: %q, %d", i, list, *numbers[i])
		}
	}
}

func FuzzReader(f *testing.F) {
	n := 3
	for _, a := range []all{{}, {S: "é<", OI: 4, P: &n, L: []string{"x"}, M: map[string]string{"k": "v"}}} {
		data, err := a.write()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { agree(t, data) })
}

// A plain writer differs only in what browsers would mind.
func TestPlain(t *testing.T) {
	for _, text := range []string{"make && ./a <b>", "\"say\" && <é>", "two\nlines > \xff", "\u2028"} {
		w := flatjson.Writer{Plain: true}
		w.Open()
		w.Str("s", text)
		w.Close()
		var want, got all
		data, err := json.Marshal(all{S: text})
		if err != nil || json.Unmarshal(data, &want) != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(w.Buf, &got); err != nil || got.S != want.S || w.Err != nil {
			t.Errorf("%s: %q, %v, %v", w.Buf, got.S, err, w.Err)
		}
		if bytes.ContainsAny([]byte(text), "<>&") && !bytes.ContainsAny(w.Buf, "<>&") {
			t.Errorf("%s is not plain", w.Buf)
		}
	}
}
