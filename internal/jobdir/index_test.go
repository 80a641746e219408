package jobdir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hobjobs/hob/internal/proc"
)

// full is a finished record in which everything is set.
func full(id string) *Record {
	code := 143
	at := time.Date(2026, 3, 4, 5, 6, 7, 890, time.UTC)
	return &Record{
		ID: id, Started: true, Code: &code, Output: 1234, Touched: at.Add(4 * time.Second),
		Meta: Meta{
			Version: Version, Token: "t", ID: id, Name: `quote " back \ tab	é 日本 </a> & &&`, Command: []string{"npm", "run", "a b", ""},
			Script: "", Dir: "/home/me", Host: "web1", Backend: "local", Kind: "pty", Split: true, Stdin: "pty", Size: Size{100, 30},
			TimeoutMS: 5, GraceMS: 6, LogLimit: 7, EnvNames: []string{"A", "B"}, Labels: map[string]string{"k": "v", "x": ""},
			Notify: true, Machine: "m", CreatedAt: at, CreatedBy: "cli", RestartedFrom: "r",
		},
		State: State{
			Version: Version, Machine: "m2", BootID: "b", PIDNS: "n", Job: proc.Identity{PID: 12, Start: "34"}, StartedAt: at.Add(time.Second), Backgrounded: true,
			Title: "title", Cwd: "/x", Size: Size{90, 20}, NoLimit: true, Dropped: 8, Hole: Range{9, 10},
			HostDir: "/there", Output: 1234,
			End: &End{
				At: at.Add(2 * time.Second), Status: "killed", Code: &code, Signal: "SIGTERM", Core: true, Reason: "kill", EndedBy: "cli",
				Error: "words", UserMS: 11, SystemMS: 12, MaxRSS: 13, Survivors: []Process{{PID: 14, Command: "sleep", Start: "17"}}, RanMS: 15, BootMS: 16,
			},
		},
	}
}

// kept is what the index keeps of a record.
func kept(r *Record) *Record {
	k := *r
	k.Meta.Backgrounded = k.Meta.Backgrounded || k.State.Backgrounded
	k.State.Backgrounded = k.Meta.Backgrounded
	k.State.Output = k.Output
	if k.State.Size != (Size{}) {
		k.Meta.Size = k.State.Size
	}
	return &k
}

// madeRoot is a root that a job was in.
func madeRoot(t testing.TB) *Root {
	t.Helper()
	r := &Root{t.TempDir()}
	if err := r.Make(); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestIndexGivesBackWhatWasAdded(t *testing.T) {
	code := 0
	bare := &Record{ID: "bare-22222", Code: &code, Meta: Meta{Version: Version, ID: "bare-22222", Command: []string{}, EnvNames: nil}, State: State{Version: Version}}
	noSurvivors := full("fast-22222")
	noSurvivors.State.End.Survivors = nil
	noTerminal := full("piped-22222")
	noTerminal.State.NoTerminal, noTerminal.State.Size = true, Size{}
	r := madeRoot(t)
	if err := r.AddToIndex(full("full-22222"), bare, noTerminal); err != nil {
		t.Fatal(err)
	}
	if err := r.AddToIndex(noSurvivors, &Record{ID: "running-22222"}, &Record{ID: "damaged-22222", Code: &code, Problem: "x"}); err != nil {
		t.Fatal(err)
	}
	x := r.Index()
	if x.Len() != 4 || x.Damaged != 0 {
		t.Errorf("%d jobs, %d damaged", x.Len(), x.Damaged)
	}
	for _, want := range []*Record{full("full-22222"), bare, noSurvivors, noTerminal} {
		if diff := cmp.Diff(kept(want), x.Find(want.ID), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s:\n%s", want.ID, diff)
		}
	}
}

func TestEveryFieldOfALineIsReadBack(t *testing.T) {
	for _, want := range variants[indexLine]() {
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeLine(data)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", data, err, diff)
		}
	}
}

func TestALineOfALaterEditionIsRead(t *testing.T) {
	got, err := decodeLine([]byte(`{"id":"x","new":{"a":[1,null]},"nm":"\ud83d\udd25\ufffd\u0000 <","ec":null,"cm":null,"la":null,"no":true}`))
	if diff := cmp.Diff(indexLine{ID: "x", Name: "\U0001F525\ufffd\x00 <", Notify: true}, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestDamagedLinesAreLeftOut(t *testing.T) {
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

func TestCompaction(t *testing.T) {
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

func TestCompactionKeepsWhatIsAddedMeanwhile(t *testing.T) {
	r := madeRoot(t)
	if err := r.AddToIndex(full("a-22222"), full("b-22222")); err != nil {
		t.Fatal(err)
	}
	added := func(id string) bool {
		if id == "a-22222" {
			if err := r.AddToIndex(full("late-22222")); err != nil {
				t.Error(err)
			}
		}
		return id != "a-22222"
	}
	if err := r.compactIndex(added); err != nil {
		t.Fatal(err)
	}
	x := r.Index()
	if x.Len() != 2 || x.Damaged != 0 || x.Find("b-22222") == nil || x.Find("late-22222") == nil {
		t.Errorf("%d jobs, %d lines damaged; b: %v, late: %v", x.Len(), x.Damaged, x.Find("b-22222"), x.Find("late-22222"))
	}
}

// Between the moment in which a compaction has seen all lines and that in which the
// new file has its name, nothing can be added to the old one.
func TestNothingIsAddedWhileTheIndexIsReplaced(t *testing.T) {
	r := madeRoot(t)
	lock, err := r.lockIndex()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.AddToIndex(full("a-22222")); !errors.Is(err, ErrLocked) {
		t.Errorf("error = %v, want %v", err, ErrLocked)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.AddToIndex(full("a-22222")); err != nil {
		t.Error(err)
	}
}

// A deleted index stays so, with what was added to the next one.
func TestCompactionOfAnIndexThatIsDeletedMeanwhile(t *testing.T) {
	r := madeRoot(t)
	if err := r.AddToIndex(full("a-22222"), full("b-22222")); err != nil {
		t.Fatal(err)
	}
	deleted := func(id string) bool {
		if id == "a-22222" {
			if err := errors.Join(os.Remove(filepath.Join(r.path, indexName)), r.AddToIndex(full("new-22222"))); err != nil {
				t.Error(err)
			}
		}
		return id != "a-22222"
	}
	if err := r.compactIndex(deleted); err != nil {
		t.Fatal(err)
	}
	if x := r.Index(); x.Len() != 1 || x.Find("new-22222") == nil {
		t.Errorf("%d jobs", x.Len())
	}
}

// Lines are read by another decoder than the other records. Lines are checksummed,
// so the two have to agree only on what this program can write.
func FuzzLine(f *testing.F) {
	f.Add(string(encodeRecord(full("a-22222"))))
	f.Add(`{"id":"x","cm":["a","b\n"],"la":{"a":"b"},"xc":-3}`)
	f.Fuzz(func(t *testing.T, text string) {
		var want indexLine
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			return
		}
		written, err := json.Marshal(&want)
		if err != nil {
			return
		}
		got, err := decodeLine(written)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", written, err, diff)
		}
	})
}

func BenchmarkIndex(b *testing.B) {
	r := madeRoot(b)
	for i := range 1000 {
		rec := full(fmt.Sprintf("job-%05d", i))
		rec.State.End.Survivors = nil
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
