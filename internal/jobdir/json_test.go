package jobdir_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/testtool"
)

// readBack checks that v survives encoding and decoding.
func readBack[T any](t *testing.T, v T) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var got T
	err = json.Unmarshal(data, &got)
	if diff := cmp.Diff(v, got); diff != "" || err != nil {
		t.Errorf("read %s: %v\n%s", data, err, diff)
	}
}

func TestMetaRoundTrip(t *testing.T) {
	for _, m := range testtool.Variants[jobdir.Meta]() {
		readBack(t, m)
	}
}

func TestStateRoundTrip(t *testing.T) {
	for _, s := range testtool.Variants[record.State]() {
		readBack(t, s)
	}
	for _, e := range testtool.Variants[record.Exit]() {
		readBack(t, record.State{Exit: e, Leader: proc.Identity{PID: 1}})
	}
}

func TestFactRoundTrip(t *testing.T) {
	for _, f := range testtool.Variants[jobdir.Fact]() {
		readBack(t, f)
	}
}
