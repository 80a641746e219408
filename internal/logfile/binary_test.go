package logfile

import (
	"bytes"
	"compress/gzip"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestBinary(t *testing.T) {
	random := make([]byte, 4096)
	for i, r := 0, rand.New(rand.NewPCG(1, 2)); i < len(random); i++ {
		random[i] = byte(r.Uint32())
	}
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	w.Write(random)
	w.Close()
	for name, tt := range map[string]struct {
		p     string
		want  bool
		media string
	}{
		"nothing":                   {"", false, ""},
		"text":                      {"one\ntwo\r\n\ttabs\n", false, ""},
		"other letters":             {strings.Repeat("日本語 äöü 👨‍👩‍👧\n", 50), false, ""},
		"cut within letters":        {strings.Repeat("語", 30)[1:88], false, ""},
		"colors and a bell":         {strings.Repeat("\x1b[31mred\x1b[0m\a\b", 20), false, ""},
		"line drawing":              {strings.Repeat("\x0elqqk\x0f\n", 20), false, ""},
		"find -print0":              {strings.Repeat("./a/file\x00", 100), false, ""},
		"an empty record":           {"a=1\x00\x00b=2\x00", false, ""},
		"UTF-16":                    {"\xff\xfea\x00b\x00\n\x00", false, ""},
		"a few bytes of Latin-1":    {strings.Repeat("d\xe9j\xe0 vu, tr\xe8s bien\n", 20), false, ""},
		"one byte that is no text":  {"ab\xffcdefgh\n", false, ""},
		"random":                    {string(random), true, "application/octet-stream"},
		"random after some text":    {"here it comes:\n" + string(random), true, "application/octet-stream"},
		"gzip":                      {zipped.String(), true, "application/gzip"},
		"the begin of an image":     {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x10", true, "image/png"},
		"a program":                 {"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00>\x00", true, "application/x-elf"},
		"an archive of a text file": {"a.txt" + strings.Repeat("\x00", 252) + "ustar\x0000" + strings.Repeat("\x00", 247) + "text\n", true, "application/x-tar"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Binary([]byte(tt.p)); got != tt.want {
				t.Errorf("binary %v", got)
			}
			if got := MediaType([]byte(tt.p)); tt.want && got != tt.media {
				t.Errorf("type %q, want %q", got, tt.media)
			}
		})
	}
}
