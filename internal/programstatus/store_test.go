package programstatus

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine/record"
)

// storeOf returns a store that has taken in the reports, one a second.
func storeOf(t *testing.T, bodies ...string) *Store {
	t.Helper()
	var s Store
	for i, body := range bodies {
		if r, ok := Parse(body); ok {
			s.Apply(r, time.Unix(int64(i), 0))
		}
	}
	return &s
}

// ids returns the IDs of the records, in the order of the tree.
func ids(s *Store) []string {
	var ids []string
	if p := s.Program(); p != nil {
		for _, r := range p.Reports {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

func TestStoreKeeps(t *testing.T) {
	many := []string{"state=idle:id=first"}
	for i := range maxReports {
		many = append(many, fmt.Sprintf("state=idle:id=n%02d", i))
	}
	for name, tc := range map[string]struct {
		reports []string
		want    []string
	}{
		"nothing":                      {nil, nil},
		"ignored reports":              {[]string{"state=nope", "state=idle:id="}, nil},
		"a tree":                       {[]string{"state=idle:id=b", "state=idle:id=a/b", "state=idle:id=a+", "state=idle", "state=idle:id=a"}, []string{"", "a", "a/b", "a+", "b"}},
		"a withdrawn branch":           {[]string{"state=idle:id=a", "state=idle:id=a/b", "state=idle:id=ab", "state=clear:id=a"}, []string{"ab"}},
		"a withdrawn one that is none": {[]string{"state=idle:id=a", "state=clear:id=b"}, []string{"a"}},
		"all withdrawn":                {[]string{"state=idle", "state=idle:id=a", "state=clear"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ids(storeOf(t, tc.reports...)); !slices.Equal(got, tc.want) {
				t.Errorf("records = %q, want %q", got, tc.want)
			}
		})
	}
	got := ids(storeOf(t, many...))
	if len(got) != maxReports || slices.Contains(got, "first") {
		t.Errorf("of %d records %d are kept: %q; want all but the first", len(many), len(got), got)
	}
	again := slices.Insert(slices.Clone(many), maxReports, "state=working:id=first") // before the last one
	if got := ids(storeOf(t, again...)); !slices.Contains(got, "first") || slices.Contains(got, "n00") {
		t.Errorf("records = %q; the one that was updated last goes before the one that was not", got)
	}
}

func TestMostUrgentReport(t *testing.T) {
	for name, tc := range map[string]struct {
		reports []string
		want    string // ID
	}{
		"blocked before error": {[]string{"state=error", "state=blocked:id=a", "state=done:id=b"}, "a"},
		"error before done":    {[]string{"state=done", "state=error:id=a", "state=working:id=b"}, "a"},
		"done before working":  {[]string{"state=working", "state=done:id=a", "state=idle:id=b"}, "a"},
		"working before idle":  {[]string{"state=idle", "state=working:id=a"}, "a"},
		"the root of equals":   {[]string{"state=working:id=a", "state=working", "state=working:id=b"}, ""},
		"the newest of equals": {[]string{"state=working:id=b", "state=working:id=a", "state=working:id=b"}, "b"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := storeOf(t, tc.reports...).Program().ID; got != tc.want {
				t.Errorf("most urgent is %q, want %q", got, tc.want)
			}
		})
	}
}

func TestReportReplacesWhole(t *testing.T) {
	s := storeOf(t, "state=blocked:kind=auth:app=x:progress=3:msg=YQ==", "state=working")
	want := record.ProgramReport{State: record.ProgramWorking, At: time.Unix(1, 0)}
	if got := s.Program().ProgramReport; got != want {
		t.Errorf("record = %+v, want %+v", got, want)
	}
}

func TestChanged(t *testing.T) {
	s := storeOf(t, "state=working:progress=3")
	for _, step := range []struct {
		body    string
		changed bool
	}{
		{"state=working:progress=3", false},
		{"state=working:progress=4", true},
		{"state=working", true},
		{"state=working", false},
		{"state=idle:id=a", true},
		{"state=clear:id=b", false},
		{"state=clear:id=a", true},
	} {
		r, ok := Parse(step.body)
		if !ok {
			t.Fatal(step.body)
		}
		if got := s.Apply(r, time.Unix(9, 0)); got != step.changed {
			t.Errorf("%s: changed = %v", step.body, got)
		}
	}
}

func TestTaskHasAppOfAncestor(t *testing.T) {
	s := storeOf(t, "state=idle:app=root", "state=idle:id=a:app=own", "state=idle:id=a/b/c", "state=idle:id=d/e")
	want := map[string]string{"": "root", "a": "own", "a/b/c": "own", "d/e": "root"}
	for _, r := range s.Program().Reports {
		if r.App != want[r.ID] {
			t.Errorf("app of %q = %q, want %q", r.ID, r.App, want[r.ID])
		}
	}
}

func TestEndOfRun(t *testing.T) {
	s := storeOf(t, "state=idle", "state=working:id=a", "state=blocked:id=b", "state=done:id=c", "state=error:id=d")
	if !s.EndRun() || !slices.Equal(ids(s), []string{"c", "d"}) {
		t.Errorf("after the end: %q, want what is done and what has failed", ids(s))
	}
	if s.EndRun() {
		t.Error("the second end of the same run changes something")
	}
	if !s.Clear() || s.Program() != nil {
		t.Errorf("after Clear: %+v", s.Program())
	}
}

// A program that has ended neither works nor waits; what it has done remains.
func TestReportsEndWithTheirProcessGroup(t *testing.T) {
	var s Store
	apply := func(body string, group int) {
		r, ok := Parse(body)
		if !ok {
			t.Fatalf("%q is no report", body)
		}
		r.Group = group
		s.Apply(r, time.Unix(1, 0))
	}
	apply("state=working", 7)
	apply("state=blocked:id=a", 8)
	apply("state=done:id=b", 8)
	apply("state=idle:id=c", 0) // not known
	ended := func(group int) bool { return group == 8 }
	if !s.EndGroups(ended) {
		t.Error("nothing changed")
	}
	var got []string
	for _, r := range s.Program().Reports {
		got = append(got, r.ID+" "+string(r.State))
	}
	if diff := cmp.Diff([]string{" working", "b done", "c idle"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	apply("state=blocked:id=a", 7) // of another group
	if s.EndGroups(ended) {
		t.Error("a report of a group that runs has ended")
	}
}
