package jobdir_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/statedir"
)

func newRoot(t testing.TB) *statedir.Root {
	t.Helper()
	r, err := statedir.OpenRoot(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func create(t testing.TB, r *statedir.Root, m jobdir.Meta) (id, dir string) {
	t.Helper()
	if m.CreatedAt.IsZero() {
		m.CreatedAt = time.Now()
	}
	dir, err := r.Create(&m, "some job", nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(m.ID), dir
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestReadDamagedRecords(t *testing.T) {
	r := newRoot(t)
	whole, err := json.Marshal(jobdir.Meta{Version: 1, Request: record.Request{Name: "n"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, meta := range map[string]string{"empty": "", "half": string(whole[:len(whole)/2]), "not JSON": "\x00\x01", "another type": `{"version":"x"}`, "no version": "{}"} {
		t.Run(name, func(t *testing.T) {
			id, dir := create(t, r, jobdir.Meta{Request: record.Request{Name: "n"}})
			write(t, filepath.Join(dir, jobdir.MetaFile), meta)
			write(t, filepath.Join(dir, jobdir.OutputFile), "kept")
			write(t, filepath.Join(dir, jobdir.StateFile), `{"version":`)
			write(t, filepath.Join(dir, jobdir.ExitCodeFile), "")
			rec, err := jobdir.Read(dir)
			if err != nil || rec.Problem == "" || rec.ID != id || rec.Output != 4 || rec.Finished() || rec.Started {
				t.Errorf("record %+v, err %v", rec, err)
			}
		})
	}
	_, dir := create(t, r, jobdir.Meta{})
	if err := os.Remove(filepath.Join(dir, jobdir.MetaFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := jobdir.Read(dir); !errors.Is(err, jobdir.ErrNoMeta) {
		t.Errorf("without meta.json: %v", err)
	}
	if _, err := jobdir.Read(filepath.Join(r.Jobs(), "nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a directory: %v", err)
	}
}

func TestParseExitCode(t *testing.T) {
	wide := -1 // only a process of Windows can exit with it
	if runtime.GOOS == "windows" {
		wide = 3221225786
	}
	for text, want := range map[string]int{
		"0\n": 0, "42\n": 42, "  7  \n": 7, "143\r\n": 143, "007\n": 7, "255\n": 255, "3221225786\n": wide, "4294967296\n": -1,
		"": -1, "\n": -1, " \n": -1, "14": -1, "-1\n": -1, "+1\n": -1, "1 2\n": -1, "abc\n": -1, "0x1\n": -1,
		"99999999999\n": -1, "1\n\n": -1, "\x00\x00\x00\n": -1, strings.Repeat(" ", 80) + "1\n": -1,
	} {
		got, ok := jobdir.ParseExitCode([]byte(text))
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("ParseExitCode(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestFinish(t *testing.T) {
	r := newRoot(t)
	_, dir := create(t, r, jobdir.Meta{})
	code := 3
	st := record.State{Machine: "m", Leader: proc.Identity{PID: 4, Start: "5"}, Exit: record.Exit{Status: "exited", Code: &code, Reason: "exit", At: time.Now()}}
	if err := jobdir.Finish(dir, &st); err != nil {
		t.Fatal(err)
	}
	if got, ok := jobdir.ReadExitCode(dir); !ok || got != 3 {
		t.Errorf("exit_code %d, %v", got, ok)
	}
	back, err := jobdir.ReadState(dir)
	if err != nil || !back.Exit.Known() || *back.Exit.Code != 3 || back.Leader != st.Leader {
		t.Errorf("state %+v, %v", back, err)
	}
	code = 9 // a code is never replaced
	if err := jobdir.WriteExitCode(dir, code); err != nil {
		t.Fatal(err)
	}
	if got, _ := jobdir.ReadExitCode(dir); got != 3 {
		t.Errorf("exit_code became %d", got)
	}
	_, lost := create(t, r, jobdir.Meta{})
	if err := jobdir.Finish(lost, &record.State{Exit: record.Exit{Status: "lost"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(lost, jobdir.ExitCodeFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a lost job has an exit_code: %v", err)
	}
}

func TestLock(t *testing.T) {
	r := newRoot(t)
	_, dir := create(t, r, jobdir.Meta{})
	if jobdir.Locked(dir) {
		t.Error("locked at the beginning")
	}
	h, err := jobdir.Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !jobdir.Locked(dir) {
		t.Error("not locked")
	}
	if _, err := jobdir.Lock(dir); !errors.Is(err, jobdir.ErrLocked) {
		t.Errorf("a second lock: %v", err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if jobdir.Locked(dir) {
		t.Error("still locked")
	}
	if runtime.GOOS != "linux" {
		return // Locked acquires the lock on other systems
	}
	// Locked must not keep another caller from acquiring the lock.
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					jobdir.Locked(dir)
				}
			}
		})
	}
	for range 200 {
		h, err := jobdir.Lock(dir)
		if err != nil {
			t.Errorf("during calls of Locked: %v", err)
			break
		}
		h.Close()
	}
	close(stop)
	wg.Wait()
}

func TestFacts(t *testing.T) {
	r := newRoot(t)
	_, dir := create(t, r, jobdir.Meta{})
	if facts, err := jobdir.Facts(dir, time.Time{}); err != nil || len(facts) != 0 {
		t.Errorf("without a file: %v, %v", facts, err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	want := []jobdir.Fact{{At: at, Kind: "started"}, {At: at.Add(time.Second), Kind: "exited", Offset: 7}}
	for _, f := range want {
		if err := jobdir.AppendFact(dir, f); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.OpenFile(filepath.Join(dir, jobdir.EventsFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("garbage\n{}\n" + strings.Repeat("x", 100_000) + "\n" + `{"at":"2026-01-02T03:04:06Z","kind":"half`)
	f.Close()
	got, err := jobdir.Facts(dir, time.Time{})
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("err %v, facts:\n%s", err, diff)
	}
	if got, _ := jobdir.Facts(dir, at.Add(time.Millisecond)); len(got) != 1 {
		t.Errorf("since: %v", got)
	}
}

func TestCursors(t *testing.T) {
	r := newRoot(t)
	_, dir := create(t, r, jobdir.Meta{})
	for _, client := range []string{"cli", "../../x", ".", "", strings.Repeat("long", 100), strings.Repeat("long", 100) + "er", "a b/c\nd"} {
		if got := jobdir.ReadCursor(dir, client); got != 0 {
			t.Errorf("%q begins at %v", client, got)
		}
		want := int64(len(client)) + 1
		if err := jobdir.WriteCursor(dir, client, want); err != nil {
			t.Fatal(err)
		}
		if got := jobdir.ReadCursor(dir, client); got != want {
			t.Errorf("%q: %v, want %v", client, got, want)
		}
	}
	entries, err := os.ReadDir(filepath.Join(dir, jobdir.CursorsDir))
	if err != nil || len(entries) != 7 {
		t.Errorf("%d files, %v", len(entries), err)
	}
	write(t, filepath.Join(dir, jobdir.CursorsDir, "c-cli"), "-5 what")
	if got := jobdir.ReadCursor(dir, "cli"); got != 0 {
		t.Errorf("damaged: %v", got)
	}
}

func TestInterleave(t *testing.T) {
	r := newRoot(t)
	_, dir := create(t, r, jobdir.Meta{})
	var want []jobdir.Mark
	for _, m := range []jobdir.Mark{{}, {Out: 3}, {Out: 3, Err: 4}, {Out: 3, Err: 4}, {Out: 9, Err: 5}, {Out: 1, Err: 1}} {
		got, err := jobdir.Interleave(dir, m)
		if m.Total() > 0 && (len(want) == 0 || m.Total() > want[len(want)-1].Total()) {
			want = append(want, m)
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v, %v:\n%s", m, err, diff)
		}
	}
	// An incomplete line is overwritten.
	f, err := os.OpenFile(filepath.Join(dir, jobdir.CursorsDir, "order"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("12")
	f.Close()
	want = append(want, jobdir.Mark{Out: 10, Err: 10})
	for range 2 {
		got, err := jobdir.Interleave(dir, jobdir.Mark{Out: 10, Err: 10})
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("after damage, %v:\n%s", err, diff)
		}
	}
}
