package statedir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/testtool"
)

// full returns a finished record with all fields set.
func full(id string) *jobdir.Record {
	code := 143
	at := time.Date(2026, 3, 4, 5, 6, 7, 890, time.UTC)
	return &jobdir.Record{
		ID: id, Started: true, Code: &code, Output: 1234, Touched: at.Add(4 * time.Second),
		Meta: jobdir.Meta{
			Version: jobdir.Version,
			Request: record.Request{
				Token: "t", ID: record.ID(id), Name: `quote " back \ tab	é 日本 </a> & &&`, Command: []string{"npm", "run", "a b", ""},
				Script: "", Dir: "/home/me", Host: "web1", Backend: "local", Kind: "pty", Split: true, Stdin: "pty", InitialSize: record.Size{Cols: 100, Rows: 30},
				Timeout: 5, Grace: 6, LogLimit: 7, EnvNames: []string{"A", "B"}, Labels: map[string]string{"k": "v", "x": ""},
				Notify: true, ClientMachine: "m", CreatedAt: at, CreatedBy: "cli", RestartedFrom: "r",
			},
		},
		State: record.State{
			Version: jobdir.Version, Machine: "m2", BootID: "b", PIDNS: "n", Leader: proc.Identity{PID: 12, Start: "34"}, StartedAt: at.Add(time.Second), Backgrounded: true,
			Title: "title", Cwd: "/x", Size: record.Size{Cols: 90, Rows: 20}, NoLimit: true, Dropped: 8, Hole: record.Range{Start: 9, End: 10},
			HostDir: "/there", Output: 1234,
			Exit: record.Exit{
				At: at.Add(2 * time.Second), Status: "killed", Code: &code, Signal: "SIGTERM", Core: true, Reason: "kill", EndedBy: "cli",
				Error: "words", Survivors: []record.Process{{PID: 14, Command: "sleep", Start: "17"}}, Ran: 15, SinceBoot: 16,
				Usage: record.Usage{User: 11, System: 12, MaxRSS: 13},
			},
		},
	}
}

// madeRoot returns a root whose directories exist.
func madeRoot(t testing.TB) *Root {
	t.Helper()
	r := &Root{t.TempDir()}
	if err := r.Make(); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestIndexFormat(t *testing.T) {
	r := madeRoot(t)
	var every jobdir.Record
	testtool.Fill(&every)
	every.ID, every.Meta.Raw = "every-22222", nil
	zero, odd := 0, full("odd-22222")
	odd.Meta.Name, odd.Meta.Command, odd.Meta.Dir = "caf\xe9 <b> \t\x00\x7f \u2028 \U0001F525", []string{"make", "caf\xe9", ""}, "/tmp/\xff"
	odd.State.Exit = record.Exit{Status: record.Lost, Error: "\"x\": not found\n", Survivors: []record.Process{}}
	for _, rec := range []*jobdir.Record{
		&every,
		{ID: "empty-22222", Code: &zero},
		odd,
	} {
		if err := r.AddToIndex(rec); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(filepath.Join(r.path, indexName))
	if err != nil {
		t.Fatal(err)
	}
	golden.RequireEqual(t, data)
	if x := r.Index(); x.Len() != 3 || x.Damaged != 0 {
		t.Errorf("%d jobs, %d damaged", x.Len(), x.Damaged)
	}
}

// An indexed job is never read again, so its record must be complete.
func TestIndexSkipsIncompleteRecords(t *testing.T) {
	r := madeRoot(t)
	unfinished, damaged, unread := full("a-22222"), full("b-22222"), full("c-22222")
	unfinished.State.Exit, unfinished.Code = record.Exit{}, nil
	damaged.Problem = "meta.json: damaged"
	unread.ReadErr = &jobdir.ReadError{File: jobdir.ExitCodeFile, Err: errors.New("cannot be read")}
	derived := full("e-22222") // its end is recorded later
	derived.Derived = true
	if err := r.AddToIndex(unfinished, damaged, unread, derived, full("d-22222")); err != nil {
		t.Fatal(err)
	}
	if x := r.Index(); x.Len() != 1 || x.Find("d-22222") == nil {
		t.Errorf("%d jobs", x.Len())
	}
}

func TestIndexRoundTrip(t *testing.T) {
	code := 0
	bare := &jobdir.Record{ID: "bare-22222", Code: &code, Meta: jobdir.Meta{Version: jobdir.Version, Request: record.Request{ID: "bare-22222", Command: []string{}, EnvNames: nil}}, State: record.State{}}
	noSurvivors := full("fast-22222")
	noSurvivors.State.Exit.Survivors = nil
	noTerminal := full("piped-22222")
	noTerminal.State.NoTerminal, noTerminal.State.Size = true, record.Size{}
	r := madeRoot(t)
	if err := r.AddToIndex(full("full-22222"), bare, noTerminal); err != nil {
		t.Fatal(err)
	}
	if err := r.AddToIndex(noSurvivors, &jobdir.Record{ID: "running-22222"}, &jobdir.Record{ID: "damaged-22222", Code: &code, Problem: "x"}); err != nil {
		t.Fatal(err)
	}
	x := r.Index()
	if x.Len() != 4 || x.Damaged != 0 {
		t.Errorf("%d jobs, %d damaged", x.Len(), x.Damaged)
	}
	for _, want := range []*jobdir.Record{full("full-22222"), bare, noSurvivors, noTerminal} {
		if diff := cmp.Diff(want, x.Find(want.ID), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s:\n%s", want.ID, diff)
		}
	}
}

func TestIndexLineRoundTrip(t *testing.T) {
	for _, want := range testtool.Variants[jobdir.Record]() {
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeLine(append([]byte("00000000 "), data...))
		want.Meta.ApplyRaw()
		if diff := cmp.Diff(&want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", data, err, diff)
		}
	}
}

func TestIndexLineOfLaterVersion(t *testing.T) {
	got, err := decodeLine([]byte(`00000000 {"id":"x","new":{"a":[1,null]},"meta":{"name":"\ud83d\udd25\ufffd\u0000 <","command":null,"labels":null,"notify":true},"exit_code":null}`))
	if diff := cmp.Diff(&jobdir.Record{ID: "x", Meta: jobdir.Meta{Request: record.Request{Name: "\U0001F525\ufffd\x00 <", Notify: true}}}, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestIndexSkipsLinesOfFirstVersion(t *testing.T) {
	r := madeRoot(t)
	const text = `{"id":"a-22222","tk":"t","nm":"make","ed":true,"es":"exited","xc":0}`
	line := fmt.Sprintf("%08x %s\n", crc32.ChecksumIEEE([]byte(text)), text)
	if err := os.WriteFile(filepath.Join(r.path, indexName), []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	if x := r.Index(); x.Find("a-22222") != nil {
		t.Error("it was read")
	}
	if err := r.AddToIndex(full("a-22222")); err != nil {
		t.Fatal(err)
	}
	if x := r.Index(); x.Find("a-22222") == nil {
		t.Error("what was added to it is not found")
	}
}

func TestIndexSkipsDamagedLines(t *testing.T) {
	r := madeRoot(t)
	path := filepath.Join(r.path, indexName)
	if err := r.AddToIndex(full("a-22222"), full("b-22222"), full("c-22222")); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(whole, []byte{'\n'})
	for name, data := range map[string][]byte{
		"a flipped byte": append(append(bytes.Clone(lines[0]), bytes.Replace(lines[1], []byte("killed"), []byte("kilted"), 1)...), lines[2]...),
		"a torn line":    append(append(bytes.Clone(lines[0]), lines[1][:20]...), append([]byte{'\n'}, lines[2]...)...),
		"zeros":          append(append(bytes.Clone(lines[0]), make([]byte, 4096)...), append([]byte{'\n'}, lines[2]...)...),
		"empty lines":    append(append(bytes.Clone(lines[0]), "\n\n"...), lines[2]...),
	} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		x := r.Index()
		if x.Len() != 2 || x.Damaged == 0 || x.Find("a-22222") == nil || x.Find("c-22222") == nil {
			t.Errorf("%s: %d jobs, %d damaged", name, x.Len(), x.Damaged)
		}
	}
	if err := os.WriteFile(path, whole[:len(whole)-5], 0o600); err != nil {
		t.Fatal(err)
	}
	if x := r.Index(); x.Len() != 2 {
		t.Errorf("a line being written: %d jobs", x.Len())
	}
	if x := (&Root{t.TempDir()}).Index(); x.Len() != 0 || x.Find("a-22222") != nil {
		t.Error("a missing index is not empty")
	}
}

func TestCompactIndex(t *testing.T) {
	r := madeRoot(t)
	again := full("b-22222")
	again.Output = 99
	if err := r.AddToIndex(full("a-22222"), full("b-22222"), again, full("c-22222")); err != nil {
		t.Fatal(err)
	}
	if err := r.compactIndex(func(id string) bool { return id != "a-22222" }); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(r.path, indexName))
	if err != nil {
		t.Fatal(err)
	}
	x := r.Index()
	if bytes.Count(data, []byte{'\n'}) != 2 || x.Len() != 2 || x.Find("b-22222").Output != 99 {
		t.Errorf("left:\n%s", data)
	}
}

// During a compaction, nothing is added to the old or the new file. The next program that
// reads those jobs adds them.
func TestAddToIndexFailsDuringCompaction(t *testing.T) {
	r := madeRoot(t)
	if err := r.AddToIndex(full("a-22222"), full("b-22222")); err != nil {
		t.Fatal(err)
	}
	added := func(id string) bool {
		if err := r.AddToIndex(full("late-22222")); !errors.Is(err, jobdir.ErrLocked) {
			t.Errorf("error = %v, want %v", err, jobdir.ErrLocked)
		}
		return id != "a-22222"
	}
	if err := r.compactIndex(added); err != nil {
		t.Fatal(err)
	}
	if err := r.AddToIndex(full("late-22222")); err != nil {
		t.Error(err)
	}
	x := r.Index()
	if x.Len() != 2 || x.Damaged != 0 || x.Find("b-22222") == nil || x.Find("late-22222") == nil {
		t.Errorf("%d jobs, %d lines damaged; b: %v, late: %v", x.Len(), x.Damaged, x.Find("b-22222"), x.Find("late-22222"))
	}
}

// Lines are decoded by another library than the other records. Because lines have a
// checksum, the two must agree only on what this program writes.
func FuzzLine(f *testing.F) {
	data, err := json.Marshal(full("a-22222"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(data))
	f.Add(`{"id":"x","meta":{"command":["a","b\n"],"labels":{"a":"b"}},"exit_code":-3}`)
	f.Fuzz(func(t *testing.T, text string) {
		var want jobdir.Record
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			return
		}
		written, err := json.Marshal(&want)
		if err != nil {
			return
		}
		got, err := decodeLine(append([]byte("00000000 "), written...))
		want.Meta.ApplyRaw()
		if diff := cmp.Diff(&want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", written, err, diff)
		}
	})
}

func BenchmarkIndex(b *testing.B) {
	r := madeRoot(b)
	for i := range 1000 {
		rec := full(fmt.Sprintf("job-%05d", i))
		rec.State.Exit.Survivors = nil
		rec.Meta.Name, rec.Meta.Labels = "npm run dev", nil
		if err := r.AddToIndex(rec); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		x := r.Index()
		for i := range 1000 {
			if x.Find(fmt.Sprintf("job-%05d", i)) == nil {
				b.Fatal("jobs are missing")
			}
		}
	}
}
