package logfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func texts(lines []Line) []string {
	list := []string{}
	for _, l := range lines {
		if l.Gap > 0 {
			l.Text = fmt.Sprintf("gap of %d", l.Gap)
		}
		list = append(list, fmt.Sprintf("%d %s", l.Number, l.Text))
	}
	return list
}

func TestFollower(t *testing.T) {
	f := appendTo(t, false)
	write := func(s string) {
		t.Helper()
		if _, err := f.WriteString(s); err != nil {
			t.Fatal(err)
		}
	}
	log, err := Open(f.Name(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	all := NewFollower(log, 0, 0, Query{})
	some := NewFollower(log, 0, 0, Query{Filter: FromRegexp(regexp.MustCompile("o"))})
	step := func(add string, wantAll, wantSome []string) {
		t.Helper()
		write(add)
		for f, want := range map[*Follower][]string{all: wantAll, some: wantSome} {
			got := texts(collect(t, func(fn func(Line) error) error { return f.Read(t.Context(), fn) }))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("after %q (-want +got):\n%s", add, diff)
			}
		}
	}
	step("", []string{}, []string{})
	step("one\ntw", []string{"0 one"}, []string{"0 one"})
	step("", []string{}, []string{})
	step("o\nthree\n", []string{"1 two", "2 three"}, []string{"1 two"})
	step("10%\r", []string{}, []string{})
	step("20%\r", []string{}, []string{})
	step("100%\r\n", []string{"3 100%"}, []string{})
	step("$ pro", []string{}, []string{})
	rest := collect(t, func(fn func(Line) error) error { return all.Rest(t.Context(), fn) })
	if len(rest) != 1 || rest[0].Text != "$ pro" || !rest[0].Open || rest[0].Number != 4 {
		t.Errorf("Rest = %+v", rest)
	}
	size, _ := log.Size(t.Context())
	if all.off != size {
		t.Errorf("offset = %d, want the end, %d", all.off, size)
	}
}

func TestFollowerReportsGap(t *testing.T) {
	log := counted("one\ntwo\nthree\nfour\n", Hole{})
	f := NewFollower(log, 0, 0, Query{})
	f.src = counted("one\ntwo\nthree\nfour\n", Hole{Start: 5, End: 15})
	got := texts(collect(t, func(fn func(Line) error) error { return f.Read(t.Context(), fn) }))
	want := []string{"0 one", "1 t", "-1 gap of 10", "3 our"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// After an error of fn, the next Read continues with the next line.
func TestFollowerContinuesAfterError(t *testing.T) {
	f := NewFollower(memoryLog("one\ntwo\n"), 0, 0, Query{})
	enough := errors.New("enough")
	if err := f.Read(t.Context(), func(Line) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("error = %v, want the caller's", err)
	}
	got := texts(collect(t, func(fn func(Line) error) error { return f.Read(t.Context(), fn) }))
	if diff := cmp.Diff([]string{"1 two"}, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// If the hole grows during a walk, the reader gets a gap instead of zeros.
func TestHoleGrowsDuringRead(t *testing.T) {
	log := &movingHoleLog{holedLog: counted("one\ntwo\nthree\nfour\nfive\nsix\nseven\n", Hole{Start: 4, End: 8})}
	want := []string{"0 one", "-1 gap of 4", "2 three", "-1 gap of 5", "-1 five", "-1 six", "-1 seven"}
	got := texts(collect(t, func(fn func(Line) error) error {
		return From(t.Context(), log, 0, Query{}, func(l Line) error {
			if l.Text == "three" {
				log.hole = counted(string(log.data), Hole{Start: 4, End: 19}).hole
			}
			return fn(l)
		})
	}))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}

	log.hole = Hole{Start: 4, End: 8}
	buf := make([]byte, 5)
	log.onRead = func() { log.hole.End = 14; log.onRead = nil }
	p, err := Read(t.Context(), log, buf, 8)
	if err != nil || string(buf[:p.N]) != "four\n" || p.Dropped != 6 || p.Next() != 19 {
		t.Errorf("Read = %+v %q, %v, want the bytes after the new hole", p, buf[:p.N], err)
	}
}

// moving is a log whose hole changes between the look at it and a read.
type movingHoleLog struct {
	holedLog
	onRead func()
}

func (m *movingHoleLog) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if m.onRead != nil {
		m.onRead()
	}
	return m.holedLog.ReadAt(ctx, p, off)
}

func (m *movingHoleLog) Hole(context.Context) (Hole, error) { return m.hole, nil }

func TestTruncatedLog(t *testing.T) {
	f := appendTo(t, false)
	if _, err := f.WriteString("one\ntwo\nthree\n"); err != nil {
		t.Fatal(err)
	}
	log, err := Open(f.Name(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	short := &shrinkingLog{File: log, cut: func() { _ = os.Truncate(f.Name(), 6) }}
	for _, limit := range []int64{0, 2} {
		got := collect(t, func(fn func(Line) error) error { return Tail(t.Context(), short, Query{Limit: limit}, fn) })
		if len(got) != 2 || got[0].Text != "one" || got[1].Text != "tw" {
			t.Errorf("limit %d: lines = %+v", limit, got)
		}
	}
}

// shrinking is cut after its size was looked at.
type shrinkingLog struct {
	*File
	cut func()
}

func (s *shrinkingLog) Size(ctx context.Context) (int64, error) {
	size, err := s.File.Size(ctx)
	s.cut()
	return max(size, 14), err
}
