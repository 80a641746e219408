package replay_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/replay"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/testtool"
	"github.com/hobjobs/hob/internal/vt"
)

func TestMain(m *testing.M) { os.Exit(testtool.RunWithoutLeaks(m)) }

func open(t *testing.T, opts ...engine.Option) *engine.Engine {
	t.Helper()
	e, err := engine.New(append([]engine.Option{engine.WithStateDir(t.TempDir())}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return e
}

func create(t *testing.T, e *engine.Engine, spec engine.ExecutionSpec) *engine.Execution {
	t.Helper()
	spec.Name = "recorded"
	x, err := e.NewExecution(spec)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// sizeOf returns how much the job has printed.
func sizeOf(t *testing.T, x *engine.Execution) int64 {
	t.Helper()
	j, err := x.Facts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return j.Output
}

// shownBy returns the screen that a frame draws.
func shownBy(f replay.Frame) string {
	t := vt.New(f.Size.Cols, f.Size.Rows)
	t.Write(f.Data)
	return t.ANSI()
}

// noise is output of programs of all kinds: text, colors, cursor movement, the alternate screen, and
// sequences and characters that are cut anywhere.
func noise(r *rand.Rand) []byte {
	parts := []string{
		"hello ", "wörld ", "日本 ", "\r\n", "\n", "\x1b[31m", "\x1b[1;42m", "\x1b[m", "\x1b[2J", "\x1b[H", "\x1b[5;9H", "\x1b[K", "\x1b[3A", "\x1b[?1049h",
		"\x1b[?1049l", "\x1b[2;6r", "\x1b[r", "\x1bM", "\x1b7", "\x1b8", "\x1b[?25l", "\x1b[?25h", "\x1b]2;title\x07", "\x1b(0lqk\x1b(B", "\t", "\x1b[4h", "\x1b[4l", "\x1b[2L", "👩‍👩‍👧",
	}
	var b strings.Builder
	for range 1 + r.IntN(40) {
		b.WriteString(parts[r.IntN(len(parts))])
	}
	text := b.String()
	return []byte(text[:1+r.IntN(len(text))])
}

// At every offset a replay shows exactly what the live screen showed.
func TestReplayIsExact(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 1))
			e := open(t)
			x := create(t, e, engine.ExecutionSpec{Size: engine.Size{Cols: 40, Rows: 12}, Hooks: engine.ExecutionHooks{
				Resize: func(context.Context, engine.Size) error { return nil },
			}})
			live := map[int64]string{}
			for range 60 {
				if r.IntN(8) == 0 {
					if err := e.Handle(x.ID()).Resize(t.Context(), engine.Size{Cols: 10 + r.IntN(60), Rows: 3 + r.IntN(20)}); err != nil {
						t.Fatal(err)
					}
				}
				x.Append(noise(r))
				screen, err := e.Handle(x.ID()).Screen(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				live[sizeOf(t, x)] = screen.ANSI
			}
			if err := x.Complete(engine.Exit{}); err != nil {
				t.Fatal(err)
			}
			recording, err := replay.Open(t.Context(), e.Handle(x.ID()))
			if err != nil {
				t.Fatal(err)
			}
			defer recording.Close()
			for offset, want := range live { // in any order
				f, err := recording.SeekOffset(t.Context(), offset)
				if err != nil || f.Offset != offset {
					t.Fatalf("offset %d: frame at %d, %v", offset, f.Offset, err)
				}
				if got := shownBy(f); got != want {
					t.Errorf("offset %d:\n%q\nlive:\n%q", offset, got, want)
				}
			}
			// Played from the beginning, the frames end in the last screen.
			f, err := recording.Seek(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			term := vt.New(f.Size.Cols, f.Size.Rows)
			term.Write(f.Data)
			for !f.End {
				if f, err = recording.Next(t.Context()); err != nil {
					t.Fatal(err)
				}
				if f.Reset {
					term = vt.New(f.Size.Cols, f.Size.Rows)
				}
				term.Write(f.Data)
			}
			if want := live[f.Offset]; term.ANSI() != want {
				t.Errorf("played to the end:\n%q\nlive:\n%q", term.ANSI(), want)
			}
		})
	}
}

func TestReplayRefusesWhatHasNoRecording(t *testing.T) {
	e := open(t)
	x := create(t, e, engine.ExecutionSpec{})
	x.Append([]byte("line\n"))
	if _, err := replay.Open(t.Context(), e.Handle(x.ID())); !errors.Is(err, engine.ErrUnsupported) {
		t.Errorf("a job without a terminal: %v", err)
	}
	silent := create(t, e, engine.ExecutionSpec{Size: engine.Size{Cols: 40, Rows: 12}})
	if _, err := replay.Open(t.Context(), e.Handle(silent.ID())); !errors.Is(err, replay.ErrNoOutput) {
		t.Errorf("a job that printed nothing: %v", err)
	}
	if _, err := replay.Open(t.Context(), e.Handle("none-aaaaa")); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("no job: %v", err)
	}
}

// recorded returns the replay of a job that printed the pieces, one every interval.
func recorded(tb testing.TB, e *engine.Engine, dir string, interval time.Duration, pieces ...string) *replay.Recording {
	tb.Helper()
	x, err := e.NewExecution(engine.ExecutionSpec{Name: "recorded", Size: engine.Size{Cols: 80, Rows: 24}})
	if err != nil {
		tb.Fatal(err)
	}
	x.Append([]byte("x"))
	if err := x.Complete(engine.Exit{}); err != nil {
		tb.Fatal(err)
	}
	job := filepath.Join(dir, "jobs", string(x.ID()))
	if err := os.Remove(filepath.Join(job, jobdir.TimesFile)); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(job, jobdir.OutputFile), []byte(strings.Join(pieces, "")), 0o600); err != nil {
		tb.Fatal(err)
	}
	times, err := jobdir.CreateTimes(job)
	if err != nil {
		tb.Fatal(err)
	}
	at, offset := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), int64(0)
	for _, piece := range pieces {
		if err := times.Add(offset, at, engine.Size{Cols: 80, Rows: 24}); err != nil {
			tb.Fatal(err)
		}
		at, offset = at.Add(interval), offset+int64(len(piece))
	}
	if err := times.Close(); err != nil {
		tb.Fatal(err)
	}
	r, err := replay.Open(tb.Context(), e.Handle(x.ID()))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { r.Close() })
	return r
}

func TestReplaySeeksByTime(t *testing.T) {
	dir := t.TempDir()
	e := open(t, engine.WithStateDir(dir))
	r := recorded(t, e, dir, time.Second, "one\r\n", "two\r\n", "three\r\n", "four\r\n")
	if d := r.Duration(); d != 3*time.Second {
		t.Errorf("it lasts %v", d)
	}
	for at, want := range map[time.Duration]string{
		-time.Second: "one", 0: "one", 999 * time.Millisecond: "one", time.Second: "one two", 2500 * time.Millisecond: "one two three", time.Hour: "one two three four",
	} {
		f, err := r.Seek(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		term := vt.New(f.Size.Cols, f.Size.Rows)
		term.Write(f.Data)
		if got := strings.Join(strings.Fields(term.Text()), " "); got != want {
			t.Errorf("at %v: %q, want %q", at, got, want)
		}
		if end := at >= 3*time.Second; f.End != end {
			t.Errorf("at %v: the end: %v", at, f.End)
		}
	}
	for _, c := range []struct {
		text  string
		after time.Duration
		at    time.Duration
		ok    bool
	}{{"two", 0, time.Second, true}, {"one", -1, 0, true}, {"one", 0, 0, false}, {"f.ur", 0, 3 * time.Second, true}, {"five", 0, 0, false}} {
		at, ok, err := r.Find(t.Context(), regexp.MustCompile(c.text), c.after)
		if at != c.at || ok != c.ok || err != nil {
			t.Errorf("find %q after %v: %v, %v, %v", c.text, c.after, at, ok, err)
		}
	}
}

func TestReplayBursts(t *testing.T) {
	dir := t.TempDir()
	e := open(t, engine.WithStateDir(dir))
	r := recorded(t, e, dir, 2*time.Second, "a", "b", "c")
	for _, c := range []struct {
		at, want time.Duration
		ok       bool
		find     func(at, gap time.Duration) (time.Duration, bool)
	}{
		{0, 2 * time.Second, true, r.NextBurst},
		{4 * time.Second, 0, false, r.NextBurst},
		{4 * time.Second, 2 * time.Second, true, r.PreviousBurst},
		{time.Second, 0, true, r.PreviousBurst},
		{0, 0, false, r.PreviousBurst},
	} {
		if at, ok := c.find(c.at, time.Second); at != c.want || ok != c.ok {
			t.Errorf("from %v: %v, %v; want %v, %v", c.at, at, ok, c.want, c.ok)
		}
	}
	if _, ok := r.NextBurst(0, 3*time.Second); ok {
		t.Error("output without a pause has several bursts")
	}
}

// A long recording has checkpoints; a seek from one shows what playing from the beginning shows.
func TestReplayFromCheckpoints(t *testing.T) {
	dir := t.TempDir()
	e := open(t, engine.WithStateDir(dir))
	r := rand.New(rand.NewPCG(7, 7))
	var pieces []string
	for range 1500 {
		var b strings.Builder
		for b.Len() < 1000 {
			b.Write(noise(r))
		}
		pieces = append(pieces, b.String())
	}
	indexed := recorded(t, e, dir, time.Second, pieces...)
	if err := indexed.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	fresh, err := replay.Open(t.Context(), e.Handle(indexed.Job().ID))
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	for at := time.Duration(0); at < 1500*time.Second; at += 97 * time.Second {
		want, err := fresh.Seek(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		got, err := indexed.Seek(t.Context(), at)
		if err != nil || shownBy(got) != shownBy(want) || got.Offset != want.Offset {
			t.Errorf("at %v: offset %d, want %d, %v; the same screen: %v", at, got.Offset, want.Offset, err, shownBy(got) == shownBy(want))
		}
	}
}

// A change of the size applies where it was, also between moments without one.
func TestReplayAppliesEverySize(t *testing.T) {
	dir := t.TempDir()
	e := open(t, engine.WithStateDir(dir))
	id := recorded(t, e, dir, time.Second, "one ", "two ", "three ", "four ").Job().ID
	job := filepath.Join(dir, "jobs", string(id))
	if err := os.Remove(filepath.Join(job, jobdir.TimesFile)); err != nil {
		t.Fatal(err)
	}
	times, err := jobdir.CreateTimes(job)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for i, m := range []jobdir.Moment{
		{Offset: 0, Size: engine.Size{Cols: 80, Rows: 24}}, {Offset: 4, Size: engine.Size{Cols: 80, Rows: 24}},
		{Offset: 8, Size: engine.Size{Cols: 5, Rows: 12}}, {Offset: 14, Size: engine.Size{Cols: 60, Rows: 12}},
	} {
		if err := times.Add(m.Offset, at.Add(time.Duration(i)*time.Second), m.Size); err != nil {
			t.Fatal(err)
		}
	}
	if err := times.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := replay.Open(t.Context(), e.Handle(id))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	live := vt.New(80, 24)
	for _, step := range []struct {
		text       string
		cols, rows int
	}{{"one two ", 5, 12}, {"three ", 60, 12}, {"four ", 60, 12}} {
		live.Write([]byte(step.text))
		live.Resize(step.cols, step.rows)
	}
	f, err := r.Seek(t.Context(), time.Hour)
	if got := shownBy(f); err != nil || f.Size != (engine.Size{Cols: 60, Rows: 12}) || got != live.ANSI() {
		t.Errorf("%v, size %v:\n%q\nwant:\n%q", err, f.Size, got, live.ANSI())
	}
}

// A seek to the end of a long recording takes the screen that the holder recorded, so that the emulator
// need not run over all of it, unless the record is of another log.
func TestEndOfLongReplayIsTheRecordedScreen(t *testing.T) {
	text := strings.Repeat("0123456789abcde\r\n", 200_000) + "the log"
	size := int64(len(text))
	for name, tt := range map[string]struct {
		offset int64
		want   string
	}{
		"at the end":     {size, "recorded by the holder"},
		"before the end": {size - 1, "the log"},
		"after the end":  {size + 1, "the log"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			e := open(t, engine.WithStateDir(dir))
			r := recorded(t, e, dir, time.Second, text[:size/2], text[size/2:])
			screen := fmt.Sprintf("{\"size\":{\"cols\":80,\"rows\":24},\"offset\":%d}\nrecorded by the holder", tt.offset)
			if err := os.WriteFile(filepath.Join(dir, "jobs", string(r.Job().ID), "screen"), []byte(screen), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := r.Seek(t.Context(), time.Hour)
			if err != nil || !f.End || f.At != time.Second || f.Offset != size || !strings.Contains(shownBy(f), tt.want) {
				t.Errorf("at %v, offset %d, end %v, %v:\n%s", f.At, f.Offset, f.End, err, shownBy(f))
			}
			if f, err := r.Seek(t.Context(), 0); err != nil || f.End || strings.Contains(shownBy(f), tt.want) {
				t.Errorf("back at the beginning: end %v, %v:\n%s", f.End, err, shownBy(f))
			}
		})
	}
}

// That of a running job is the live screen, and continues from there.
func TestEndOfLongReplayIsTheLiveScreen(t *testing.T) {
	dir := t.TempDir()
	e := open(t, engine.WithStateDir(dir))
	x := create(t, e, engine.ExecutionSpec{Size: engine.Size{Cols: 40, Rows: 12}})
	x.Append([]byte(strings.Repeat("0123456789abcde\r\n", 200_000) + "live"))
	r, err := replay.Open(t.Context(), e.Handle(x.ID()))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	// A replay of the log would show this.
	log, err := os.OpenFile(filepath.Join(dir, "jobs", string(x.ID()), jobdir.OutputFile), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = log.WriteAt([]byte("logged"), sizeOf(t, x)-6)
	if err := errors.Join(err, log.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := r.Seek(t.Context(), time.Hour)
	if got := shownBy(f); err != nil || !f.End || !strings.HasSuffix(strings.TrimSpace(got), "live") {
		t.Fatalf("%v, end %v:\n%s", err, f.End, got)
	}
	x.Append([]byte(" on"))
	if f, err = r.Next(t.Context()); err != nil || string(f.Data) != " on" || f.Reset || f.Offset != sizeOf(t, x) {
		t.Errorf("next is %q up to %d, %v", f.Data, f.Offset, err)
	}
}

func TestWriteCast(t *testing.T) {
	dir := t.TempDir()
	e := open(t, engine.WithStateDir(dir))
	r := recorded(t, e, dir, 1500*time.Millisecond, "caf\xc3", "\xa9\r\n", "\xff<&>\x1b[31m")
	var out strings.Builder
	if err := r.WriteCast(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	want := `{"version":2,"width":80,"height":24,"timestamp":1772366400,"title":"recorded","env":{"TERM":"xterm-256color"}}
[0,"o","caf"]
[1.5,"o","é\r\n"]
[3,"o","\ufffd<&>\u001b[31m"]
`
	if got := strings.ReplaceAll(out.String(), "\uFFFD", `\ufffd`); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// An hour of output: ten pieces a second, 1.4 kB each, 50 MB together.
func BenchmarkReplaySeek(b *testing.B) {
	dir := b.TempDir()
	e, err := engine.New(engine.WithStateDir(dir))
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	r := rand.New(rand.NewPCG(7, 7))
	var pieces []string
	for range 36_000 {
		var line strings.Builder
		for line.Len() < 1400 {
			fmt.Fprintf(&line, "\x1b[32m%08x\x1b[m compiled module %d of the program\r\n", r.Uint32(), r.IntN(1000))
		}
		pieces = append(pieces, line.String())
	}
	recording := recorded(b, e, dir, 100*time.Millisecond, pieces...)
	began := time.Now()
	if err := recording.Index(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	indexed := time.Since(began)
	for b.Loop() {
		if _, err := recording.Seek(b.Context(), time.Duration(r.Int64N(int64(time.Hour)))); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(indexed.Milliseconds()), "ms/index")
	b.ReportMetric(firstSeekToEnd(b, e, dir, recording), "ms/end")
}

// firstSeekToEnd returns how many milliseconds it takes after the recording was opened.
func firstSeekToEnd(b *testing.B, e *engine.Engine, dir string, indexed *replay.Recording) float64 {
	b.Helper()
	last, err := indexed.Seek(b.Context(), time.Hour)
	if err != nil {
		b.Fatal(err)
	}
	screen := fmt.Appendf(nil, "{\"size\":{\"cols\":80,\"rows\":24},\"offset\":%d}\n%s", last.Offset, last.Data)
	if err := os.WriteFile(filepath.Join(dir, "jobs", string(indexed.Job().ID), "screen"), screen, 0o600); err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	r, err := replay.Open(b.Context(), e.Handle(indexed.Job().ID))
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	if f, err := r.Seek(b.Context(), time.Hour); err != nil || f.Offset != last.Offset || shownBy(f) != shownBy(last) {
		b.Fatalf("at %d, %v", f.Offset, err)
	}
	return time.Since(began).Seconds() * 1000
}

// asciinema itself prints what the terminal showed.
func TestCastIsPlayedByAsciinema(t *testing.T) {
	testtool.Need(t, "asciinema", "script")
	dir := t.TempDir()
	e := open(t, engine.WithStateDir(dir))
	r := recorded(t, e, dir, 10*time.Millisecond, "\x1b[32mcaf\xc3", "\xa9\x1b[m\r\n", "日本\r\n")
	file := filepath.Join(dir, "demo.cast")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.WriteCast(t.Context(), f), f.Close()); err != nil {
		t.Fatal(err)
	}
	// It insists on a terminal.
	cmd := exec.CommandContext(t.Context(), "script", "-qec", "asciinema cat "+file, os.DevNull)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "HOME="+dir)
	out, err := cmd.CombinedOutput()
	if want := "\x1b[32mcafé\x1b[m\r\n日本\r\n"; err != nil || !strings.Contains(strings.ReplaceAll(string(out), "\r\r", "\r"), want) {
		t.Errorf("asciinema: %q, %v; want %q", out, err, want)
	}
}
