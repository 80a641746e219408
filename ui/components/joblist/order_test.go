package joblist

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNumbersInNamesAreOrderedByValue(t *testing.T) {
	want := []string{"", "1", "job 2", "job 9", "job 09b", "job 10", "job 10 a", "job 100", "job x", "jobs", "web1", "web2", "web10"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortStableFunc(got, natural)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, a := range want {
		for _, b := range want {
			if natural(a, b) != -natural(b, a) {
				t.Errorf("%q and %q have no order", a, b)
			}
		}
	}
}
