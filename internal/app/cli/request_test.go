package cli

import (
	"slices"
	"testing"
)

func TestNamedDescriptors(t *testing.T) {
	for _, tt := range []struct {
		words []string
		want  []int
	}{
		{[]string{"diff", "/dev/fd/63", "/dev/fd/62"}, []int{63, 62}},
		{[]string{"cat /dev/fd/3 >/proc/self/fd/14; echo /dev/fd/5"}, []int{3, 5, 14}},
		{[]string{"--file=/dev/fd/9"}, []int{9}},
		{[]string{"ls", "/dev/fd/", "/dev/fd/x", "/dev/fd", "/dev/fd/99999999999999999999"}, nil},
	} {
		if got := namedDescriptors(tt.words); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %v, want %v", tt.words, got, tt.want)
		}
	}
}
