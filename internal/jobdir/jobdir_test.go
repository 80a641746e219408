package jobdir_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

func newRoot(t testing.TB) *jobdir.Root {
	t.Helper()
	r, err := jobdir.OpenRoot(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func create(t testing.TB, r *jobdir.Root, m jobdir.Meta) (id, dir string) {
	t.Helper()
	if m.CreatedAt.IsZero() {
		m.CreatedAt = time.Now()
	}
	dir, err := r.Create(&m, "some job", nil)
	if err != nil {
		t.Fatal(err)
	}
	return m.ID, dir
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestResolveRoot(t *testing.T) {
	home := t.TempDir()
	for name, c := range map[string]struct{ hob, xdg, home, want string }{
		"HOB_STATE_DIR wins":           {"/a/b", "/x", home, "/a/b"},
		"then XDG_STATE_HOME":          {"", "/x", home, "/x/hob"},
		"a relative one is ignored":    {"", "x", home, filepath.Join(home, ".local/state/hob")},
		"then the home directory":      {"", "", home, filepath.Join(home, ".local/state/hob")},
		"a relative HOB_STATE_DIR":     {"rel", "", home, "ABS"},
		"without any home an error is": {"", "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" {
				t.Skip("paths of Unix")
			}
			t.Setenv("HOB_STATE_DIR", c.hob)
			t.Setenv("XDG_STATE_HOME", c.xdg)
			t.Setenv("HOME", c.home)
			got, err := jobdir.ResolveRoot()
			if c.want == "ABS" {
				c.want, _ = filepath.Abs("rel")
			}
			if got != c.want || (err != nil) != (c.want == "") {
				t.Errorf("got %q, err %v, want %q", got, err, c.want)
			}
			if re := (*jobdir.RootError)(nil); err != nil && (!errors.As(err, &re) || re.Hint == "") {
				t.Errorf("err = %v without a hint", err)
			}
		})
	}
}

func TestOpenRootChecksWhatItFinds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes of Unix")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	write(t, file, "x")
	shared := filepath.Join(dir, "shared")
	loose := filepath.Join(dir, "loose")
	for _, d := range []string{shared, filepath.Join(loose, "jobs")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(shared, "thesis.tex"), "x")
	for name, path := range map[string]string{"a file": file, "a directory with other things": shared, "below a file": filepath.Join(file, "x")} {
		_, err := jobdir.OpenRoot(path)
		re := (*jobdir.RootError)(nil)
		if !errors.As(err, &re) || re.Hint == "" || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if fi, err := os.Stat(shared); err != nil || fi.Mode().Perm() != 0o755 {
		t.Errorf("the mode of somebody else's directory became %v", fi.Mode())
	}
	if _, err := jobdir.OpenRoot(loose); err != nil {
		t.Errorf("hob's own, open to others: %v", err)
	}
	if fi, err := os.Stat(loose); err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("mode is %v", fi.Mode())
	}
}

func TestRootThatCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "x")
	t.Setenv("HOME", t.TempDir())
	r, err := jobdir.OpenRoot(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, r.Path(), "in the way")
	_, err = r.Create(&jobdir.Meta{}, "x", nil)
	re := (*jobdir.RootError)(nil)
	if !errors.As(err, &re) || re.Hint == "" {
		t.Errorf("err = %v", err)
	}
}

func TestSlug(t *testing.T) {
	for name, want := range map[string]string{
		"npm run dev":             "npm-run-dev",
		"go test ./...":           "go-test",
		"Größe":                   "gr-e",
		"日本語":                     "job",
		"":                        "job",
		"123":                     "job",
		"../../etc/passwd":        "etc-passwd",
		"-rf /":                   "rf",
		"a\x00b\x1b[31mc":         "a-b-31mc",
		strings.Repeat("a b", 40): "a-ba-ba-ba-ba-ba-ba-ba-ba-ba-ba",
	} {
		if got := jobdir.Slug(name); got != want || len(got) > 32 {
			t.Errorf("Slug(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestIDs(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := jobdir.NewID("npm run dev")
		suffix, ok := strings.CutPrefix(id, "npm-run-dev-")
		if !ok || len(suffix) != 5 || strings.ContainsAny(suffix, "01lo") || !jobdir.ValidID(id) {
			t.Fatalf("id %q", id)
		}
		seen[id] = true
	}
	if len(seen) < 990 {
		t.Errorf("%d different ids of 1000", len(seen))
	}
	for _, bad := range []string{"", ".", "..", ".new-1", "a/b", "a\\b", "a b", "ä", strings.Repeat("a", 200)} {
		if jobdir.ValidID(bad) {
			t.Errorf("%q is taken for an id", bad)
		}
	}
}

func TestCreateMakesTheDirectoryWhole(t *testing.T) {
	r := newRoot(t)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			m := jobdir.Meta{Name: "x"}
			dir, err := r.Create(&m, "x", nil)
			if err != nil {
				t.Error(err)
				return
			}
			if back, err := jobdir.ReadMeta(dir); err != nil || back.ID != m.ID {
				t.Errorf("read back %+v, %v", back, err)
			}
		})
	}
	wg.Wait()
	ids, err := r.IDs()
	if err != nil || len(ids) != 50 {
		t.Errorf("%d jobs, %v", len(ids), err)
	}
	boom := errors.New("boom")
	if _, err := r.Create(&jobdir.Meta{}, "x", func(string) error { return boom }); !errors.Is(err, boom) {
		t.Errorf("err = %v", err)
	}
	if entries, _ := os.ReadDir(r.Jobs()); len(entries) != 50 {
		t.Errorf("a failed create left something: %d entries", len(entries))
	}
}

func TestReadSurvivesDamage(t *testing.T) {
	r := newRoot(t)
	whole, err := json.Marshal(jobdir.Meta{Version: 1, Name: "n"})
	if err != nil {
		t.Fatal(err)
	}
	for name, meta := range map[string]string{"empty": "", "half": string(whole[:len(whole)/2]), "not JSON": "\x00\x01", "another type": `{"version":"x"}`, "no version": "{}"} {
		t.Run(name, func(t *testing.T) {
			id, dir := create(t, r, jobdir.Meta{Name: "n"})
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
	for text, want := range map[string]int{
		"0\n": 0, "42\n": 42, "  7  \n": 7, "143\r\n": 143, "007\n": 7, "3221225786\n": 3221225786,
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

func TestFinishWritesTheStateAndThenTheCode(t *testing.T) {
	r := newRoot(t)
	_, dir := create(t, r, jobdir.Meta{})
	code := 3
	st := jobdir.State{Machine: "m", Job: proc.Identity{PID: 4, Start: "5"}, End: &jobdir.End{Status: "exited", Code: &code, Reason: "exit", At: time.Now()}}
	if err := jobdir.Finish(dir, &st); err != nil {
		t.Fatal(err)
	}
	if got, ok := jobdir.ReadExitCode(dir); !ok || got != 3 {
		t.Errorf("exit_code %d, %v", got, ok)
	}
	back, err := jobdir.ReadState(dir)
	if err != nil || back.End == nil || *back.End.Code != 3 || back.Job != st.Job {
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
	if err := jobdir.Finish(lost, &jobdir.State{End: &jobdir.End{Status: "lost"}}); err != nil {
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
		t.Error("locked before anybody did")
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
		return // a test for the lock takes it there
	}
	// Being looked at does not keep anybody from taking it.
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
			t.Errorf("while it is looked at: %v", err)
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
	for _, client := range []string{"cli", "../../x", ".", "", strings.Repeat("long", 100), "a b/c\nd"} {
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
	if err != nil || len(entries) != 6 {
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
	// A line that was torn is written over.
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

func TestTrash(t *testing.T) {
	r := newRoot(t)
	a, _ := create(t, r, jobdir.Meta{})
	b, _ := create(t, r, jobdir.Meta{})
	c, _ := create(t, r, jobdir.Meta{})
	now := time.Now()
	if err := errors.Join(r.Trash(now.Add(-time.Minute), c), r.Trash(now, a, b)); err != nil {
		t.Fatal(err)
	}
	last, err := r.LastCleared()
	want := []string{a, b}
	slices.Sort(want)
	if diff := cmp.Diff(want, last); diff != "" || err != nil {
		t.Errorf("err %v, last cleared:\n%s", err, diff)
	}
	for _, id := range []string{a, b} {
		if err := r.Restore(id); err != nil {
			t.Error(err)
		}
	}
	if last, _ := r.LastCleared(); len(last) != 1 || last[0] != c {
		t.Errorf("then %v", last)
	}
	for _, id := range []string{a, "nothing", "../jobs/" + b} {
		if err := r.Restore(id); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("restore %q: %v", id, err)
		}
	}
	if err := r.Delete(c); err != nil {
		t.Error(err)
	}
	if all, _ := r.InTrash(); len(all) != 0 {
		t.Errorf("left: %v", all)
	}
}

func TestSweep(t *testing.T) {
	r := newRoot(t)
	now := time.Now()
	end := func(id string, age time.Duration, size int, machine string) {
		code := 0
		write(t, filepath.Join(r.Dir(id), jobdir.OutputFile), strings.Repeat("x", size))
		st := jobdir.State{Machine: machine, End: &jobdir.End{Status: "exited", Code: &code, At: now.Add(-age)}}
		if err := jobdir.Finish(r.Dir(id), &st); err != nil {
			t.Fatal(err)
		}
	}
	ids := map[string]string{}
	for name, c := range map[string]struct {
		age     time.Duration
		size    int
		machine string
	}{
		"new":       {time.Minute, 10, "here"},
		"newer":     {2 * time.Minute, 10, "here"},
		"old":       {8 * 24 * time.Hour, 10, "here"},
		"old there": {8 * 24 * time.Hour, 10, "there"},
		"big":       {3 * time.Minute, 1000, "here"},
		"too many":  {4 * time.Minute, 0, "here"},
	} {
		id, _ := create(t, r, jobdir.Meta{})
		end(id, c.age, c.size, c.machine)
		ids[id] = name
	}
	running, _ := create(t, r, jobdir.Meta{CreatedAt: now.Add(-30 * 24 * time.Hour)})
	ids[running] = "running"
	cleared, _ := create(t, r, jobdir.Meta{})
	kept, _ := create(t, r, jobdir.Meta{})
	if err := errors.Join(r.Trash(now.Add(-2*time.Hour), cleared), r.Trash(now.Add(-time.Minute), kept)); err != nil {
		t.Fatal(err)
	}
	orphan := r.Dir("orphan-22222")
	half := filepath.Join(r.Jobs(), ".new-123")
	young := r.Dir("young-22222")
	for _, d := range []string{orphan, half, young} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	ids["young-22222"] = "young"
	for _, d := range []string{orphan, half} {
		if err := os.Chtimes(d, now.Add(-2*time.Hour), now.Add(-2*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	released := 0
	o := jobdir.SweepOptions{
		Keep:    jobdir.Keep{Age: 7 * 24 * time.Hour, Count: 4, Bytes: 500, Trash: time.Hour},
		Now:     func() time.Time { return now },
		Ours:    func(rec *jobdir.Record) bool { return rec.State.Machine != "there" },
		Release: func(context.Context, *jobdir.Record, string) error { released++; return nil },
	}
	sweep := func() {
		for range 1000 { // slices end when the machine is slow
			done, err := r.Sweep(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if done {
				return
			}
		}
		t.Fatal("no end of slices")
	}
	sweep()
	left, err := r.IDs()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, id := range left {
		names = append(names, ids[id])
	}
	slices.Sort(names)
	// What is big takes what is older with it.
	if diff := cmp.Diff([]string{"new", "newer", "old there", "running", "young"}, names); diff != "" {
		t.Errorf("left:\n%s", diff)
	}
	trash, _ := r.InTrash()
	if len(trash) != 1 || trash[0].ID != kept || released != 4 {
		t.Errorf("in the trash %v, released %d", trash, released)
	}
	if _, err := os.Stat(half); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half made directory: %v", err)
	}
	// Nothing again before an hour is over.
	o.Keep.Age = 0
	sweep()
	if again, _ := r.IDs(); len(again) != len(left) {
		t.Errorf("swept twice within the hour: %d left", len(again))
	}
	now = now.Add(2 * time.Hour)
	sweep()
	if again, _ := r.IDs(); len(again) != 2 { // running, old there
		t.Errorf("an hour later %d left", len(again))
	}
}
