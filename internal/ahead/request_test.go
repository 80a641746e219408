//go:build linux || darwin

package ahead

import (
	"reflect"
	"strings"
	"testing"
)

func TestRequestOf(t *testing.T) {
	for _, tt := range []struct {
		words string // after "hob run", separated by blanks; ~ is the empty word
		env   string
		want  *Request // nil: none
	}{
		{words: "-b true", want: &Request{Command: []string{"true"}}},
		{words: "--background -- true -b", want: &Request{Command: []string{"true", "-b"}}},
		{words: "-b sh -c x --json", want: &Request{Command: []string{"sh", "-c", "x", "--json"}}},
		{words: "--no-pty -b -n x cat", want: &Request{Command: []string{"cat"}, Name: "x", NoPTY: true}},
		{words: "--name -x -b cat", want: &Request{Command: []string{"cat"}, Name: "-x"}},
		{words: "-n a -n b -b cat", want: &Request{Command: []string{"cat"}, Name: "b"}},
		{words: "-b -c make", want: &Request{Script: "make"}},
		{words: "-b --script make", want: &Request{Script: "make"}},
		{words: "-b -c ~ make", want: &Request{Command: []string{"make"}}},
		{words: "-b true", env: "HOB_STATE_DIR=/x HOB_JOB_ID=y PATH=/bin", want: &Request{Command: []string{"true"}}},

		{words: "true"}, {words: "true -b"}, {words: "-- -b true"}, {words: "-b"}, {words: "-b --"}, {words: "-n -b true"},
		{words: "-b -n"}, {words: "-b ~"}, {words: "-b - true"}, {words: "-b -c make all"}, {words: "-b -c ~"},
		{words: "-bn x true"}, {words: "-b --name=x true"}, {words: "-b --background=false true"}, {words: "-b --json true"},
		{words: "-b --on web1 true"}, {words: "-b -C /tmp true"}, {words: "-b -e A=b env"}, {words: "-b --timeout 1s true"},
		{words: "-b cat /dev/fd/3"}, {words: "-b -c cat</proc/self/fd/4"},
		{words: "-b true", env: "HOB_LOG=/tmp/x"}, {words: "-b true", env: "HOB_CONFIG=/tmp/x"}, {words: "-b true", env: "HOB_STATE_DIR=x"},
		{words: "-b true", env: "PI_BASH_YIELD_MS=5"}, {words: "-b true", env: "HOB_YIELD_MS=soon"},
	} {
		t.Run(tt.words+" "+tt.env, func(t *testing.T) {
			args := append([]string{"hob", "run"}, strings.Fields(tt.words)...)
			for i, a := range args {
				if a == "~" {
					args[i] = ""
				}
			}
			got, ok := requestOf(args, strings.Fields(tt.env))
			if tt.want == nil {
				if ok {
					t.Errorf("is taken for %+v", got)
				}
				return
			}
			tt.want.Env = strings.Fields(tt.env)
			if !ok || !reflect.DeepEqual(got, *tt.want) {
				t.Errorf("%+v, %v, want %+v", got, ok, *tt.want)
			}
		})
	}
}

func TestRequestText(t *testing.T) {
	for _, r := range []Request{
		{Command: []string{"true"}, Dir: "/"},
		{Script: "a\nb", Name: "\xff\n", Dir: "/tmp/x y", NoPTY: true, Env: []string{"A=", "=", "B=\xfe"}},
		{Command: []string{"a", "", "\xff"}, Dir: "/", Env: []string{"X=1"}},
	} {
		got, err := ParseRequest(r.text())
		if err != nil || !reflect.DeepEqual(got, r) {
			t.Errorf("%+v, %v, want %+v", got, err, r)
		}
	}
	for _, bad := range []string{
		"", "{", requestMark, requestMark + "a", requestMark + "\x00\x00false\x00/\x00" + "2\x00a\x00",
		requestMark + "\x00\x00x\x00/\x00" + "0\x000\x00", requestMark + "\x00\x00true\x00/\x000\x002\x00A=1\x00",
		requestMark + "\x00\x00true\x00/\x000\x001\x00A=1\x00B=2\x00", requestMark + "\x00\x00true\x00/\x00-1\x00", strings.ToUpper(requestMark) + "\x00",
	} {
		if r, err := ParseRequest([]byte(bad)); err == nil {
			t.Errorf("%q is taken for %+v", bad, r)
		}
	}
}

func FuzzParseRequest(f *testing.F) {
	f.Add([]byte(requestMark + "n\x00\x00false\x00/\x001\x00true\x001\x00A=b\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := ParseRequest(text)
		if err != nil {
			return
		}
		again, err := ParseRequest(r.text())
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Errorf("%+v became %+v, %v", r, again, err)
		}
	})
}

func TestAnswerOf(t *testing.T) {
	for said, want := range map[string]answer{
		"":                         {},
		"ok echo-x-abcde":          {}, // as yet
		"ok echo-x-abcde\n":        {"echo-x-abcde", runs},
		"more echo-x-abcde\nrest":  {"echo-x-abcde", more},
		"no\n":                     {verdict: no},
		"{\"error\":\"what?\"}\n":  {verdict: no},
		"panic: x\n\ngoroutine 1 ": {},
		"\n":                       {},
	} {
		if got := answerOf(said); got != want {
			t.Errorf("%q: %+v, want %+v", said, got, want)
		}
	}
}
