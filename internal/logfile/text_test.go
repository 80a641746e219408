package logfile

import "testing"

func TestText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                      "",
		"a\r\r\nb\n":                            "a\nb\n",
		"no end":                                "no end",
		"10%\r55%\rdone\n":                      "done\n",
		"downloading\r\x1b[Kok\n":               "ok\n",
		"\x1b[31mred\x1b[m\x1b]0;title\a\n\n":   "red\n\n",
		"x\bY\n\ttab\x00\n":                     "Y\n\ttab\n",
		"\xff\xfe\n":                            "\uFFFD\uFFFD\n",
		"wide 日本語 é\rW\n":                       "Wide 日本語 é\n",
		"cut \x1b[3":                            "cut ",
		"an open string \x1b]0;title\nnext\n":   "an open string \nnext\n",
		"half a character \xc3":                 "half a character \uFFFD",
		"right\x1b[3Cthere\r\x1b[1Dstart\x1b[K": "start",
	} {
		if got := string(Text([]byte(in))); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestUnfinished(t *testing.T) {
	t.Parallel()
	long := make([]byte, 1000)
	for i := range long {
		long[i] = 'x'
	}
	for in, want := range map[string]int{
		"":                             0,
		"text":                         0,
		"caf\xc3":                      1,
		"caf\xc3\xa9":                  0,
		"\xe6\x97":                     2,
		"\xf0\x9f\x98":                 3,
		"\xa9\xa9\xa9\xa9":             0, // without a lead byte
		"\xff":                         0,
		"a\x1b":                        1,
		"a\x1b[":                       2,
		"a\x1b[31":                     4,
		"a\x1b[31m":                    0,
		"a\x1b[31mb\x1b[3":             3,
		"a\x1b]0;title":                9,
		"a\x1b]0;title\x1b":            10,
		"a\x1b]0;title\x1b\\":          0,
		"a\x1b]0;title\a":              0,
		"a\x1b]0;t\xc3":                6,
		"a\x1b(":                       2,
		"\x1b]0;" + string(long):       0,
		string(long) + "\x1b]0;title":  9,
		string(long) + "\x1b[m" + "\n": 0,
	} {
		if got := IncompleteSuffix([]byte(in)); got != want {
			t.Errorf("Unfinished(%q) = %d, want %d", in, got, want)
		}
	}
}
