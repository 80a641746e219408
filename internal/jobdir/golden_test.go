package jobdir_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/testtool"
)

// stored is the content of meta.json and state.json.
type stored struct {
	Meta  jobdir.Meta
	State record.State
}

// storedRecords have all fields, none, or values that JSON must escape.
func storedRecords() []stored {
	var every, empty, odd stored
	testtool.Fill(&every)
	every.Meta.Version, every.Meta.ID, every.Meta.Raw = jobdir.Version, "every-22222", nil
	empty.Meta.ID = "empty-22222"
	code := 0
	odd.Meta = jobdir.Meta{
		Version: jobdir.Version,
		Request: record.Request{
			ID: "odd-22222", Name: "caf\xe9 <b> \t\x00\x7f \u2028 \U0001F525", Command: []string{"make", "caf\xe9", ""}, Script: "a && b\n",
			Dir: "/tmp/\xff", EnvNames: []string{}, Labels: map[string]string{"": "\xff"}, CreatedAt: time.Date(2026, 11, 22, 1, 2, 3, 456, time.FixedZone("", -5400)),
		},
	}
	odd.State = record.State{
		Version: jobdir.Version, Leader: proc.Identity{PID: 1}, Title: "\x1b]0;\xe9", Cwd: "/tmp/\xff", HoleLines: -1,
		Exit: record.Exit{Status: "lost", Error: "\"x\": not found\n", Survivors: []record.Process{}},
	}
	zero := stored{Meta: jobdir.Meta{Version: jobdir.Version, Request: record.Request{ID: "zero-22222"}}, State: record.State{Exit: record.Exit{Code: &code}}}
	return []stored{every, empty, odd, zero}
}

func TestRecordFormat(t *testing.T) {
	r := newRoot(t)
	var files strings.Builder
	for _, s := range storedRecords() {
		wantMeta, wantState := s.Meta, s.State
		if err := r.Adopt(&s.Meta, &s.State); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{jobdir.MetaFile, jobdir.StateFile} {
			data, err := os.ReadFile(filepath.Join(r.Dir(string(s.Meta.ID)), name))
			if err != nil {
				t.Fatal(err)
			}
			var pretty bytes.Buffer
			if err := json.Indent(&pretty, data, "", "  "); err != nil {
				t.Fatal(err)
			}
			files.Write(pretty.Bytes())
		}
		if s.Meta.Version == 0 {
			continue // a record without a version is invalid
		}
		m, err := jobdir.ReadMeta(r.Dir(string(s.Meta.ID)))
		if diff := cmp.Diff(inUTF8(wantMeta), m); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", s.Meta.ID, err, diff)
		}
		st, err := jobdir.ReadState(r.Dir(string(s.Meta.ID)))
		wantState.Version = jobdir.Version
		if len(wantState.Exit.Survivors) == 0 {
			wantState.Exit.Survivors = nil
		}
		wantState.Title, wantState.Cwd = strings.ToValidUTF8(wantState.Title, "\ufffd"), strings.ToValidUTF8(wantState.Cwd, "\ufffd")
		if diff := cmp.Diff(wantState, st); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", s.Meta.ID, err, diff)
		}
	}
	golden.RequireEqual(t, files.String())
}

// inUTF8 returns m with valid UTF-8 in the fields that are not stored byte for byte.
func inUTF8(m jobdir.Meta) jobdir.Meta {
	m.Name = strings.ToValidUTF8(m.Name, "\ufffd")
	for name, value := range m.Labels {
		m.Labels[name] = strings.ToValidUTF8(value, "\ufffd")
	}
	return m
}

func TestReadRecordsOfOtherVersions(t *testing.T) {
	m, err := jobdir.DecodeMeta([]byte("{ \"version\": 9, \"ID\":\"x\", \"new\":{\"a\":[1]},\n \"command\":null, \"dir\":\"/tmp/caf\xe9\", \"labels\":null}\n"))
	if diff := cmp.Diff(jobdir.Meta{Version: 9, Request: record.Request{ID: "x", Dir: "/tmp/caf\ufffd"}}, m); diff != "" || err != nil {
		t.Errorf("meta.json: %v\n%s", err, diff)
	}
	dir := t.TempDir()
	text := `{"version":9,"new":[],"holder":{"pid":1,"new":2},"end":{"status":"exited","code":null,"new":null},"size":null}`
	if err := os.WriteFile(filepath.Join(dir, jobdir.StateFile), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := jobdir.ReadState(dir)
	if diff := cmp.Diff(record.State{Version: 9, Holder: proc.Identity{PID: 1}, Exit: record.Exit{Status: "exited"}}, s); diff != "" || err != nil {
		t.Errorf("state.json: %v\n%s", err, diff)
	}
	for _, text := range []string{"", "{", `{"version":1,}`, `{"version":"1"}`, `{"version":1}{}`, `[]`, "\x00\x00"} {
		if m, err := jobdir.DecodeMeta([]byte(text)); err == nil {
			t.Errorf("%q is %+v", text, m)
		}
	}
}
