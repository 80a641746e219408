package jobdir_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
)

func TestTimesLookup(t *testing.T) {
	dir := t.TempDir()
	w, err := jobdir.CreateTimes(dir)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	type entry struct {
		off  int64
		at   time.Time
		size record.Size
	}
	var all []entry
	e := entry{0, time.UnixMilli(1_700_000_000_000), record.Size{Cols: 120, Rows: 40}}
	for i := range 5000 {
		if i%97 == 0 {
			e.size.Cols = 60 + rng.IntN(100)
		}
		if err := w.Add(e.off, e.at, e.size); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
		e.off += int64(1 + rng.IntN(100_000))
		e.at = e.at.Add(time.Duration(100+rng.IntN(5000)) * time.Millisecond)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := jobdir.OpenTimes(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for i := 0; i < len(all)-1; i += 7 {
		for _, off := range []int64{all[i].off, all[i+1].off - 1} {
			m, ok := r.At(off)
			if !ok || m.Offset != all[i].off || !m.At.Equal(all[i].at) || m.Size != all[i].size {
				t.Fatalf("At(%d) = %+v, %v, want %+v", off, m, ok, all[i])
			}
		}
		from := r.From(all[i].off+1, 3)
		for k, m := range from {
			if m.Offset != all[i+k].off {
				t.Fatalf("From entry %d: %+v", i, from)
			}
		}
	}
	fi, err := os.Stat(filepath.Join(dir, jobdir.TimesFile))
	if err != nil {
		t.Fatal(err)
	}
	if per := float64(fi.Size()) / float64(len(all)); per > 8 {
		t.Errorf("%.1f bytes an entry", per)
	}
}

func TestTimesGrain(t *testing.T) {
	dir := t.TempDir()
	w, err := jobdir.CreateTimes(dir)
	if err != nil {
		t.Fatal(err)
	}
	at := time.UnixMilli(1_700_000_000_000)
	small, large := record.Size{Cols: 10, Rows: 5}, record.Size{Cols: 20, Rows: 5}
	for i, size := range []record.Size{small, small, large, large} {
		if err := w.Add(int64(10*i), at.Add(time.Duration(i)*time.Millisecond), size); err != nil {
			t.Fatal(err)
		}
	}
	// If the clock is set back, recorded times do not decrease.
	if err := w.Add(100, at.Add(-time.Hour), small); err != nil {
		t.Fatal(err)
	}
	w.Close()
	r, err := jobdir.OpenTimes(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ms := r.From(0, 10)
	if len(ms) != 3 || ms[0].Size != small || ms[1].Offset != 20 || ms[1].Size != large || ms[2].Offset != 100 || ms[2].At.Before(ms[1].At) {
		t.Errorf("entries %+v", ms)
	}
}

func TestTimesWithSeveralWriters(t *testing.T) {
	dir := t.TempDir()
	at := time.UnixMilli(1_700_000_000_000)
	for i := range 3 {
		w, err := jobdir.CreateTimes(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Add(int64(i*100), at.Add(time.Duration(i)*time.Second), record.Size{Cols: 1, Rows: 1}); err != nil {
			t.Fatal(err)
		}
		w.Close()
	}
	r, err := jobdir.OpenTimes(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if m, ok := r.At(150); !ok || m.Offset != 100 {
		t.Errorf("At(150) = %+v, %v", m, ok)
	}
	if ms := r.From(0, 10); len(ms) != 3 {
		t.Errorf("entries %+v", ms)
	}
}

func FuzzTimes(f *testing.F) {
	f.Add([]byte{2, 0, 1, 80, 24, 1, 5, 5, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, jobdir.TimesFile), string(data))
		r, err := jobdir.OpenTimes(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for _, off := range []int64{0, 1, 1 << 40} {
			if m, ok := r.At(off); ok && m.Offset > off {
				t.Errorf("At(%d) = %+v", off, m)
			}
			if ms := r.From(off, 5); len(ms) > 5 {
				t.Errorf("%d entries", len(ms))
			}
		}
	})
}

func TestTimesLookupWhileWriting(t *testing.T) {
	dir := t.TempDir()
	w, err := jobdir.CreateTimes(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r, err := jobdir.OpenTimes(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	begin := time.UnixMilli(1_700_000_000_000)
	at := func(i int) time.Time { return begin.Add(time.Duration(i) * jobdir.TimesGrain) }
	for i := range 3000 { // several blocks
		if err := w.Add(int64(10*i), at(i), record.Size{Cols: 80, Rows: 24}); err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{i, max(0, i-1), i / 2} {
			if m, ok := r.At(int64(10*k + 5)); !ok || m.Offset != int64(10*k) || !m.At.Equal(at(k)) {
				t.Fatalf("with %d entries, entry %d: %+v, %v", i+1, k, m, ok)
			}
		}
	}
}

// While a job floods its terminal, all lines on screen belong to the last entry.
func BenchmarkTimesOfLastLines(b *testing.B) {
	dir := b.TempDir()
	w, err := jobdir.CreateTimes(dir)
	if err != nil {
		b.Fatal(err)
	}
	const entries = 3000
	for i := range entries {
		at := time.UnixMilli(int64(i) * 1000)
		if err := w.Add(int64(i)*100, at, record.Size{Cols: 80, Rows: 24}); err != nil {
			b.Fatal(err)
		}
	}
	w.Close()
	r, err := jobdir.OpenTimes(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	b.ReportAllocs()
	for b.Loop() {
		for line := range int64(120) {
			if _, ok := r.At(entries*100 + line); !ok {
				b.Fatal("no time")
			}
		}
	}
}
