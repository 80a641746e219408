package shellword_test

import (
	"slices"
	"testing"

	"github.com/hobjobs/hob/internal/shellword"
)

func TestJoin(t *testing.T) {
	for name, c := range map[string]struct {
		words []string
		want  string
	}{
		"plain":   {[]string{"go", "test", "./..."}, "go test ./..."},
		"empty":   {[]string{"echo", ""}, "echo ''"},
		"blank":   {[]string{"echo", "a b"}, "echo 'a b'"},
		"quote":   {[]string{"echo", "it's"}, `echo 'it'\''s'`},
		"dollar":  {[]string{"echo", "$HOME"}, "echo '$HOME'"},
		"newline": {[]string{"a\nb"}, "'a\nb'"},
		"glob":    {[]string{"ls", "*"}, "ls '*'"},
		"script":  {[]string{"sh", "-c", "echo it's $HOME", "", "a=b"}, `sh -c 'echo it'\''s $HOME' '' a=b`},
		"letters": {[]string{"grün", "漢字"}, "grün 漢字"},
		"hidden":  {[]string{"a\u202eb"}, "'a\u202eb'"},
		"tilde":   {[]string{"ls", "~"}, "ls '~'"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := shellword.Join(c.words); got != c.want {
				t.Errorf("Join(%q) = %s, want %s", c.words, got, c.want)
			}
		})
	}
}

func TestSplit(t *testing.T) {
	for name, c := range map[string]struct {
		line string
		want []shellword.Word
	}{
		"words":         {"go  test\t./...", []shellword.Word{{Text: "go", End: 2}, {Text: "test", Start: 4, End: 8}, {Text: "./...", Start: 9, End: 14}}},
		"quotes":        {`a"b c"'d "e'`, []shellword.Word{{Text: `ab cd "e`, End: 12}}},
		"empty word":    {`''`, []shellword.Word{{End: 2}}},
		"backslashes":   {`a\ b "\$x\y"`, []shellword.Word{{Text: "a b", End: 4}, {Text: `$x\y`, Start: 5, End: 12}}},
		"continuation":  {"a \\\n b\\\nc", []shellword.Word{{Text: "a", End: 1}, {Text: "bc", Start: 5, End: 9}}},
		"operators":     {"a&&b>c", []shellword.Word{{Text: "a", End: 1}, {Text: "&&", Start: 1, End: 3, Operator: true}, {Text: "b", Start: 3, End: 4}, {Text: ">", Start: 4, End: 5, Operator: true}, {Text: "c", Start: 5, End: 6}}},
		"open quote":    {`"a b`, []shellword.Word{{Text: "a b", End: 4, Open: '"'}}},
		"open escape":   {`a\`, []shellword.Word{{Text: "a", End: 2, Open: '\\'}}},
		"substitution":  {"`a`", []shellword.Word{{Text: "`a`", End: 3, Expands: true}}},
		"quoted one":    {`"$(a)"`, []shellword.Word{{Text: "$(a)", End: 6, Expands: true}}},
		"no expansion":  {`'$(a)'`, []shellword.Word{{Text: "$(a)", End: 6}}},
		"other letters": {"größe", []shellword.Word{{Text: "größe", End: 7}}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := shellword.Split(c.line, shellword.Operators); !slices.Equal(got, c.want) {
				t.Errorf("Split(%q) = %+v, want %+v", c.line, got, c.want)
			}
		})
	}
}
