//go:build unix

package recipe

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/internal/testtool"
)

// What is left out of the answer about a job that is known makes no difference.
func TestKnownJobs(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		j := p.job("echo word; read x <go; exit 3")
		if err := syscall.Mkfifo(filepath.Join(p.home, "go"), 0o600); err != nil {
			t.Fatal(err)
		}
		p.start(j)
		full := p.until(j.ID, "its word", func(e *Entry) bool { return e.Lasting() && e.Sizes["output.log"] == 5 })
		again := func(known *Entry) (e *Entry, answer string) {
			answer = p.ask(ListAgain(p.base, []string{j.ID}, map[string]*Entry{j.ID: known}, FewProofs))
			l := ParseListAgain([]byte(answer), map[string]*Entry{j.ID: known})
			if e = l.Jobs[j.ID]; (e == nil) != slices.Contains(l.Doubtful, j.ID) {
				t.Errorf("it is %+v, and in doubt: %v", e, l.Doubtful)
			}
			return e, answer
		}
		e, answer := again(full)
		if diff := cmp.Diff(full, e, cmp.AllowUnexported(Entry{})); diff != "" || strings.Contains(answer, "wrapper") {
			t.Errorf("%s in %s", diff, answer)
		}
		for name, forge := range map[string]func(*Entry){
			"another process": func(e *Entry) { e.Job.Start = "1" },
			"no process":      func(e *Entry) { e.Job.PID = 1 << 29 },
			"another token":   func(e *Entry) { e.Token = "other" },
			"another log":     func(e *Entry) { e.Sizes = map[string]int64{"stdout.log": 1} },
		} {
			forged, job := *full, *full.Job
			forged.Job = &job
			forge(&forged)
			if e, answer := again(&forged); e != nil {
				t.Errorf("%s is taken for it: %+v in %s", name, e, answer)
			}
		}
		if err := os.WriteFile(filepath.Join(p.home, "go"), []byte("\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		p.ended(j.ID)
		if e, _ := again(full); e == nil || !e.Over || e.Code == nil || *e.Code != 3 || e.Lasting() {
			t.Errorf("it has ended: %+v", e)
		}
	})
}

// A request verifies only some of many known jobs, but it still detects that another one has ended
// without a record.
func TestKnownJobsInTurns(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		j := p.job("echo word; exec sleep 60")
		p.start(j)
		full := p.until(j.ID, "its word", func(e *Entry) bool { return e.Lasting() && e.Sizes["output.log"] == 5 })
		known := map[string]*Entry{j.ID: full}
		for i := range FewProofs {
			known[fmt.Sprintf("other-%d", i)] = &Entry{Job: &Process{PID: 1 << 29}, looks: 1}
		}
		again := func() (Listing, string) {
			answer := p.ask(ListAgain(p.base, slices.Sorted(maps.Keys(known)), known, FewProofs))
			return ParseListAgain([]byte(answer), known), answer
		}
		l, answer := again()
		e := l.Jobs[j.ID]
		if e == nil || e.looks != 1 || e.Sizes["output.log"] != 5 || strings.Contains(answer, "token") || len(l.Doubtful) != FewProofs {
			t.Fatalf("it is %+v, %d in doubt, in %s", e, len(l.Doubtful), answer)
		}
		syscall.Kill(full.Wrapper.PID, syscall.SIGKILL)
		syscall.Kill(-full.Job.PID, syscall.SIGKILL)
		for end := time.Now().Add(patience); !slices.Contains(l.Doubtful, j.ID); l, answer = again() {
			if time.Now().After(end) {
				t.Fatalf("its death is not seen: %s", answer)
			}
		}
	})
}

func TestSplit(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		j := p.job("echo out; echo err >&2")
		j.Split = true
		p.start(j)
		e := p.ended(j.ID)
		if out, err := p.file(j.ID, "stdout.log"), p.file(j.ID, "stderr.log"); out != "out\n" || err != "err\n" {
			t.Errorf("stdout %q, stderr %q", out, err)
		}
		if e.Sizes["stdout.log"] != 4 || e.Sizes["stderr.log"] != 4 {
			t.Errorf("sizes %v", e.Sizes)
		}
	})
}

func TestFetch(t *testing.T) {
	data := make([]byte, 300_000)
	rand.Read(data)
	eachShell(t, func(t *testing.T, p *place) {
		file := filepath.Join(p.home, "data")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct{ off, n int }{{0, 1}, {0, 300_000}, {511, 2}, {65_535, 70_000}, {299_999, 10}, {300_000, 10}, {123_456, 50_000}} {
			r := Cover(int64(c.off), c.n)
			a, err := p.Do(t.Context(), Fetch(file, r), patience)
			if err != nil || a.Code != 0 {
				t.Fatalf("fetch: %v, status %d", err, a.Code)
			}
			got := a.Out
			got = got[min(r.Drop, len(got)):]
			got = got[:min(c.n, len(got))]
			if want := data[c.off:min(len(data), c.off+c.n)]; !bytes.Equal(got, want) {
				t.Errorf("%d bytes at %d: got %d bytes, want %d", c.n, c.off, len(got), len(want))
			}
		}
		link := filepath.Join(p.home, "link")
		if err := os.Symlink("/etc/passwd", link); err != nil {
			t.Fatal(err)
		}
		if a, err := p.Do(t.Context(), Fetch(link, Cover(0, 10)), patience); err != nil || a.Code != NotAFile || len(a.Out) > 0 {
			t.Errorf("a symbolic link was followed: %q %d %v", a.Out, a.Code, err)
		}
	})
}

func TestAbandonAndDiscard(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		j := p.job("echo never")
		if got := strings.TrimSpace(p.ask(Abandon(p.base, j.ID, j.Token))); got != "abandoned" {
			t.Fatalf("abandon says %q", got)
		}
		if s := p.spawn(j); s.Error != "exists" {
			t.Errorf("an abandoned job was started: %+v", s)
		}
		j = p.job("sleep 60")
		dir := p.start(j).Dir
		if got := strings.TrimSpace(p.ask(Abandon(p.base, j.ID, j.Token))); got != "started" {
			t.Errorf("abandon of a running job says %q", got)
		}
		if got := strings.TrimSpace(p.ask(Discard(dir, j.Token))); got != "running" {
			t.Errorf("discard of a running job says %q", got)
		}
		p.ask(Stop(dir, j.ID, StopOptions{Grace: -1, By: "cli", Reason: "kill"}))
		if got := strings.TrimSpace(p.ask(Discard(dir, random()))); got != "taken" {
			t.Errorf("discard with another token says %q", got)
		}
		if got := strings.TrimSpace(p.ask(Discard(dir, j.Token))); got != "ok" {
			t.Errorf("discard says %q", got)
		}
		if e := p.list(j.ID); !e.Gone {
			t.Error("it is still there")
		}
	})
}

func TestSweep(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		old := time.Now().Add(-10 * 24 * time.Hour)
		var ids []string
		for i := range 3 {
			j := p.job("true")
			j.Owner = []string{"m1", "m1", "m2"}[i]
			p.start(j)
			p.ended(j.ID)
			if i > 0 {
				if err := os.Chtimes(filepath.Join(p.base, j.ID, "exit_code"), old, old); err != nil {
					t.Fatal(err)
				}
			}
			ids = append(ids, j.ID)
		}
		if got := strings.TrimSpace(p.ask(Sweep(p.base, "m1", 7))); got != "swept "+ids[1] {
			t.Errorf("sweep says %q, want that of %s", got, ids[1])
		}
		mine, other := ParseHello([]byte(p.ask(Hello("m1")))), ParseHello([]byte(p.ask(Hello("m2"))))
		if ago := mine.Date - mine.Swept; ago < 0 || ago > 3600 || other.Swept != 0 {
			t.Errorf("at %d swept by m1 at %d, by m2 at %d", mine.Date, mine.Swept, other.Swept)
		}
	})
}

func TestFilesArePrivate(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		j := p.job("echo x")
		p.start(j)
		p.ended(j.ID)
		err := filepath.Walk(p.base, func(path string, fi os.FileInfo, err error) error {
			if err == nil && fi.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s has mode %v", path, fi.Mode())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestOtherModes(t *testing.T) {
	t.Parallel()
	cases := []struct{ mode, sh string }{
		{"perl", "dash"}, {"perl", "bash"}, {"perl", "busybox"}, {"perl", "mksh"}, {"perl", "zsh"}, {"perl", "ksh93"},
		{"monitor", "bash"}, {"monitor", "mksh"}, {"monitor", "ksh93"}, {"shared", "dash"},
	}
	for _, c := range cases {
		t.Run(c.mode+" "+c.sh, func(t *testing.T) {
			t.Parallel()
			testtool.Need(t, "perl")
			p := newPlace(t, c.sh)
			j := p.job("echo out; exit 7")
			j.Mode = c.mode
			p.start(j)
			if e := p.ended(j.ID); e.Code == nil || *e.Code != 7 || e.Job.Mode != c.mode {
				t.Errorf("code %s, %+v", show(e.Code), e.Job)
			}
			j = p.job("sleep 60 & echo ready; wait")
			j.Mode = c.mode
			dir := p.start(j).Dir
			p.until(j.ID, "ready", func(e *Entry) bool { return e.Sizes["output.log"] >= 6 })
			s := ParseStop([]byte(p.ask(Stop(dir, j.ID, StopOptions{Grace: time.Second, By: "cli", Reason: "kill"}))))
			if e := p.list(j.ID); e.Code == nil || *e.Code != 143 && *e.Code != 137 {
				t.Errorf("stop %+v, code %s", s, show(e.Code))
			}
		})
	}
}

func TestCapFreesTheMiddleOfTheLog(t *testing.T) {
	testtool.Need(t, "fallocate")
	eachShell(t, func(t *testing.T, p *place) {
		j := p.job("head -c 9000000 /dev/zero | tr '\\0' x; echo; sleep 60; echo end")
		j.Limit = 3_000_000
		dir := p.start(j).Dir
		defer func() {
			p.ask(Stop(dir, j.ID, StopOptions{Grace: -1, By: "cli", Reason: "kill"}))
			p.withoutWrapper(j.ID)
		}()
		// The hole is recorded before its bytes are freed, so the record alone is not enough.
		var st syscall.Stat_t
		e := p.until(j.ID, "the freed bytes", func(e *Entry) bool {
			if err := syscall.Stat(filepath.Join(dir, "output.log"), &st); err != nil {
				t.Fatal(err)
			}
			return e.NoLimit || e.Holes["output.log"].End > 0 && st.Size == 9_000_001 && st.Blocks*512 <= 4_000_000
		})
		if e.NoLimit {
			t.Skip("the file system cannot free bytes inside a file")
		}
		hole := e.Holes["output.log"]
		if hole.Start < 1<<20 || hole.End >= st.Size {
			t.Errorf("size %d, %d bytes on disk, hole %v", st.Size, st.Blocks*512, hole)
		}
		data := p.file(j.ID, "output.log")
		if data[hole.Start-1] != 'x' || data[hole.Start] != 0 || data[hole.End-1] != 0 || data[hole.End] != 'x' {
			t.Errorf("the hole %v is not where it is said to be", hole)
		}
	})
}
