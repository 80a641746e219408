package logfile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// appendTo opens a new log for appending. If needHoles is set, it skips the test unless the
// file system can free bytes inside a file.
func appendTo(t *testing.T, needHoles bool) *os.File {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(t.TempDir(), "output.log"), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := CheckPunch(f); needHoles && err != nil {
		if !errors.Is(err, ErrNoHoles) {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return f
}

func TestDue(t *testing.T) {
	const mib = 1 << 20
	tests := map[string]struct {
		hole        Hole
		size, limit int64
		want        Hole
	}{
		"empty":            {Hole{}, 0, 2 * mib, Hole{}},
		"at the limit":     {Hole{}, 2 * mib, 2 * mib, Hole{}},
		"a byte over":      {Hole{}, 2*mib + 1, 2 * mib, Hole{mib, mib + grain, -1}},
		"a step over":      {Hole{}, 2*mib + grain, 2 * mib, Hole{mib, mib + grain, -1}},
		"within the step":  {Hole{mib, mib + grain, 7}, 2*mib + grain, 2 * mib, Hole{mib, mib + grain, 7}},
		"next step":        {Hole{mib, mib + grain, 7}, 2*mib + grain + 1, 2 * mib, Hole{mib, mib + 2*grain, -1}},
		"far over":         {Hole{}, 100 * mib, 2 * mib, Hole{mib, 99 * mib, -1}},
		"limit too small":  {Hole{}, 2 * mib, 1, Hole{}},
		"larger step":      {Hole{}, 1024*mib + 1, 1024 * mib, Hole{mib, 17 * mib, -1}},
		"largest step":     {Hole{}, 1<<40 + 1, 1 << 40, Hole{mib, mib + maxStep, -1}},
		"already less":     {Hole{mib, 50 * mib, 1}, 51 * mib, 2 * mib, Hole{mib, 50 * mib, 1}},
		"no multiple of 4": {Hole{}, 100*mib + 1, 100 * mib, Hole{mib, mib + 25*grain, -1}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, NextHole(tt.hole, tt.size, tt.limit)); diff != "" {
				t.Errorf("hole (-want +got):\n%s", diff)
			}
		})
	}
}

// All bytes outside the hole must be readable, and the log must not exceed its limit.
func TestWriterEnforcesLimit(t *testing.T) {
	f := appendTo(t, true)
	var records []Hole
	w, err := NewWriter(f, Config{Limit: MinLimit, Record: func(h Hole) { records = append(records, h) }})
	if err != nil {
		t.Fatal(err)
	}
	var written bytes.Buffer
	for i := 0; written.Len() < 5<<20; i++ {
		line := fmt.Appendf(nil, "line %d %s\n", i, strings.Repeat("x", i%3000))
		written.Write(line)
		if n, err := w.Write(line); n != len(line) || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
		if st := w.Stats(); st.Size-st.Hole.Len() > MinLimit {
			t.Fatalf("%d bytes kept, limit %d", st.Size-st.Hole.Len(), int64(MinLimit))
		}
	}
	st := w.Stats()
	if st.LimitErr != nil || st.Lost != 0 {
		t.Fatalf("stats = %+v", st)
	}
	all := written.Bytes()
	if st.Size != int64(len(all)) {
		t.Errorf("size = %d, want %d", st.Size, len(all))
	}
	if st.Hole.Empty() || st.Hole.Start != Head {
		t.Fatalf("hole = %+v", st.Hole)
	}
	want := int64(bytes.Count(all[st.Hole.Start:st.Hole.End], lf))
	if st.Hole.Lines != want {
		t.Errorf("%d lines in the hole, want %d", st.Hole.Lines, want)
	}
	if diff := cmp.Diff(st.Hole, records[len(records)-1]); diff != "" {
		t.Errorf("last record (-stats +record):\n%s", diff)
	}

	got, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	copy(all[st.Hole.Start:st.Hole.End], make([]byte, st.Hole.Len()))
	if !bytes.Equal(got, all) {
		t.Error("the file differs from the written bytes with zeros in the hole")
	}
	if used := blocks(t, f.Name()); used > MinLimit+256<<10 {
		t.Errorf("the file takes %d bytes on disk", used)
	}

	// The same hole is found without a record, and line numbers are correct with it.
	bare, err := Open(f.Name(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer bare.Close()
	found, err := bare.Hole(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Hole{st.Hole.Start, st.Hole.End, -1}, found); diff != "" {
		t.Errorf("hole found in the file (-want +got):\n%s", diff)
	}
	log, err := Open(f.Name(), func() Hole { return st.Hole })
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	total := int64(bytes.Count(written.Bytes(), lf)) + want // zeros replaced the hole's
	if n, err := Count(t.Context(), log); err != nil || n != total {
		t.Errorf("Count = %d, %v, want %d", n, err, total)
	}
	lines := collect(t, func(fn func(Line) error) error {
		return Tail(t.Context(), log, Query{Limit: 1, Numbered: true}, fn)
	})
	if prefix := fmt.Sprintf("line %d ", lines[0].Number); lines[0].Number != total-1 || !strings.HasPrefix(lines[0].Text, prefix) {
		t.Errorf("last line = %d %.20q, want number %d", lines[0].Number, lines[0].Text, total-1)
	}
	gap := collect(t, func(fn func(Line) error) error {
		return From(t.Context(), log, lineBefore(t, log, st.Hole.Start), Query{Limit: 2}, fn)
	})
	if len(gap) != 3 || gap[1].Gap != st.Hole.Len() {
		t.Errorf("lines around the hole = %+v", gap)
	}
}

// lineBefore returns the number of the line that contains the byte before off.
func lineBefore(t *testing.T, src Source, off int64) int64 {
	t.Helper()
	start, err := LineStart(t.Context(), src, off-1)
	if err != nil {
		t.Fatal(err)
	}
	n, err := numberAt(t.Context(), src, start)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Punch enforces the limit of a log that another process writes. A Read stops at the hole.
func TestPunch(t *testing.T) {
	f := appendTo(t, true)
	job, err := os.OpenFile(f.Name(), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer job.Close()
	block := []byte(strings.Repeat("0123456789abcde\n", 64<<10/16))
	var hole Hole
	for range 80 {
		if _, err := job.Write(block); err != nil {
			t.Fatal(err)
		}
		if hole, _, err = Punch(f, hole, MinLimit, nil); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(Hole{Head, 80*64<<10 - Head, -1}, hole); diff != "" {
		t.Errorf("hole (-want +got):\n%s", diff)
	}
	if again, _, err := Punch(f, Hole{}, MinLimit, nil); err != nil || again != hole {
		t.Errorf("Punch without a record = %+v, %v, want %+v", again, err, hole)
	}
	if none, _, err := Punch(f, Hole{}, 0, nil); err != nil || !none.Empty() {
		t.Errorf("Punch without a limit = %+v, %v", none, err)
	}

	log, err := Open(f.Name(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	buf := make([]byte, 10)
	for _, tt := range []struct{ off, at, dropped int64 }{
		{Head - 4, Head - 4, 0}, {Head, hole.End, hole.Len()}, {hole.End - 1, hole.End, 1}, {hole.End, hole.End, 0},
	} {
		p, err := Read(t.Context(), log, buf, tt.off)
		if err != nil {
			t.Fatal(err)
		}
		if p.Off != tt.at || p.Dropped != tt.dropped || p.Size != 80*64<<10 {
			t.Errorf("Read at %d = %+v, want offset %d, %d dropped", tt.off, p, tt.at, tt.dropped)
		}
		if tt.off == Head-4 && string(buf[:p.N]) != "cde\n" {
			t.Errorf("Read at %d = %q, want it to stop at the hole", tt.off, buf[:p.N])
		}
		if tt.off >= Head && string(buf[:p.N]) != "0123456789" {
			t.Errorf("Read at %d = %q", tt.off, buf[:p.N])
		}
	}
}

func TestWriterAppendsToExistingLog(t *testing.T) {
	f := appendTo(t, false)
	if _, err := f.WriteString("before\n"); err != nil {
		t.Fatal(err)
	}
	w, err := NewWriter(f, Config{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(w, "after\n")
	if st := w.Stats(); st.Size != 13 || !st.Hole.Empty() {
		t.Errorf("stats = %+v, want 13 bytes and no hole", st)
	}
}

// A job may already have written to its log when that is checked.
func TestCheckPunchChangesNothing(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "log")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("ready\n"); err != nil {
		t.Fatal(err)
	}
	if err := CheckPunch(f); err != nil && !errors.Is(err, ErrNoHoles) {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(f.Name()); err != nil || string(got) != "ready\n" {
		t.Errorf("the log is %q afterwards, %v", got, err)
	}
}

// Bytes that a reader holds are freed only after it releases them.
func TestWriterDoesNotFreeHeldBytes(t *testing.T) {
	f := appendTo(t, true)
	held := int64(2<<20 + 1)
	w, err := NewWriter(f, Config{Limit: MinLimit, Held: func(from, to int64) int64 { return min(max(from, held), to) }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(bytes.Repeat([]byte("0123456789abcde\n"), 5<<16)); err != nil {
		t.Fatal(err)
	}
	if got, want := w.Stats().Hole, (Hole{Head, 2 << 20, 1 << 16}); got != want {
		t.Errorf("hole is %+v, want %+v", got, want)
	}
	if !w.Trim() {
		t.Error("Trim reports no held bytes")
	}
	held = 5 << 20
	if w.Trim() {
		t.Error("Trim reports held bytes")
	}
	if got, want := w.Stats().Hole, (Hole{Head, 4 << 20, 3 << 16}); got != want {
		t.Errorf("hole is %+v, want %+v", got, want)
	}
}
