package engine_test

import (
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/joblog"
)

func texts(lines []joblog.Line) []string {
	var out []string
	for _, l := range lines {
		out = append(out, l.Text)
	}
	return out
}

func linesOf(lines iter.Seq2[joblog.Line, error]) (all []joblog.Line, err error) {
	for line, err := range lines {
		if err != nil {
			return all, err
		}
		all = append(all, line)
	}
	return all, nil
}

// tailOf returns the last five lines of a stream.
func tailOf(t *testing.T, e *engine.Engine, id engine.ID, s engine.Stream) ([]joblog.Line, error) {
	t.Helper()
	return linesOf(openLog(t, e, id, s).Lines(t.Context(), joblog.Query{Last: true, Limit: 5}))
}

func openLog(t *testing.T, e *engine.Engine, id engine.ID, s engine.Stream) *joblog.Log {
	t.Helper()
	l, err := e.Handle(id).Log(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func TestLog(t *testing.T) {
	e := open(t)
	x := create(t, e, engine.ExecutionSpec{})
	for i := range 1000 {
		x.Append([]byte(fmt.Sprintf("\x1b[32mline %d\x1b[0m\n", i)))
	}
	x.Append([]byte("no line feed"))
	l := openLog(t, e, x.ID(), engine.StreamOutput)
	ctx := t.Context()
	if n, err := l.CountLines(ctx); n != 1001 || err != nil {
		t.Errorf("%d lines, %v", n, err)
	}
	tail, err := linesOf(l.Lines(ctx, joblog.Query{Last: true, Limit: 2}))
	if diff := cmp.Diff([]string{"line 999", "no line feed"}, texts(tail)); diff != "" || err != nil {
		t.Errorf("tail, %v:\n%s", err, diff)
	}
	if string(tail[0].Raw) != "\x1b[32mline 999\x1b[0m" || tail[1].End-tail[1].Start != 12 {
		t.Errorf("bytes of %+v", tail)
	}
	from, err := linesOf(l.Lines(ctx, joblog.Query{From: 500, Limit: 3}))
	if diff := cmp.Diff([]string{"line 500", "line 501", "line 502"}, texts(from)); diff != "" || err != nil || from[0].Number != 500 {
		t.Errorf("from, %v:\n%s", err, diff)
	}
	window, err := l.Window(ctx, from[0].Start+3, 2, 2)
	if diff := cmp.Diff([]string{"line 498", "line 499", "line 500", "line 501"}, texts(window)); diff != "" || err != nil {
		t.Errorf("window, %v:\n%s", err, diff)
	}
	if n, err := l.LineNumber(ctx, from[0].Start+3); n != 500 || err != nil {
		t.Errorf("line number %d, %v", n, err)
	}
	if off, ok, err := l.LineOffset(ctx, 500); off != from[0].Start || !ok || err != nil {
		t.Errorf("line offset %d, %v, %v", off, ok, err)
	}
	if _, ok, err := l.LineOffset(ctx, 5000); ok || err != nil {
		t.Errorf("there is no line 5000: %v, %v", ok, err)
	}
	found, err := linesOf(l.Lines(ctx, joblog.Query{From: 700, Filter: regexp.MustCompile(`7\d7$`), Exclude: regexp.MustCompile("1"), Limit: 2}))
	if diff := cmp.Diff([]string{"line 707", "line 727"}, texts(found)); diff != "" || err != nil || found[1].Number != 727 {
		t.Errorf("filtered, %v:\n%s", err, diff)
	}
	last, err := linesOf(l.Lines(ctx, joblog.Query{Filter: regexp.MustCompile("5"), Last: true, Limit: 1, Numbers: true}))
	if err != nil || len(last) != 1 || last[0].Number != 995 {
		t.Errorf("the last filtered line: %+v, %v", last, err)
	}
	if at, ok := l.TimeAt(t.Context(), from[0].Start); !ok || at.Before(get(t, e, x.ID()).StartedAt.Add(-patience)) {
		t.Errorf("time %v, %v", at, ok)
	}
	if holes, err := l.Holes(ctx); len(holes) != 0 || err != nil {
		t.Errorf("holes %v, %v", holes, err)
	}
}

// A log that is opened before the job prints anything has the times of its lines.
func TestLogOpenedBeforeItsTimes(t *testing.T) {
	e := open(t)
	x := create(t, e, engine.ExecutionSpec{})
	l := openLog(t, e, x.ID(), engine.StreamOutput)
	if _, ok := l.TimeAt(t.Context(), 0); ok {
		t.Error("what was not written has a time")
	}
	x.Append([]byte("line\n"))
	at, ok := l.TimeAt(t.Context(), 0)
	if since := get(t, e, x.ID()).StartedAt.Add(-patience); !ok || at.Before(since) {
		t.Errorf("time %v, %v", at, ok)
	}
}

func TestLogOverLimit(t *testing.T) {
	e := open(t)
	x := create(t, e, engine.ExecutionSpec{LogLimit: 2 << 20})
	line := strings.Repeat("x", 1023) + "\n"
	for i := range 4 << 10 {
		x.Append([]byte(fmt.Sprintf("%06d", i) + line[6:]))
	}
	l := openLog(t, e, x.ID(), engine.StreamOutput)
	holes, err := l.Holes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if j := get(t, e, x.ID()); len(holes) == 0 && j.NoLimit {
		t.Skip("this file system cannot free bytes inside a file")
	}
	if len(holes) != 1 || holes[0].Start != 1<<20 {
		t.Fatalf("holes %v", holes)
	}
	if n, err := l.CountLines(t.Context()); n != 4<<10 || err != nil {
		t.Errorf("%d lines, %v", n, err)
	}
	window, err := l.Window(t.Context(), holes[0].End, 1, 2)
	if err != nil || len(window) != 3 || window[1].Dropped != holes[0].End-holes[0].Start {
		t.Errorf("around the hole: %+v, %v", window, err)
	}
	var kept, dropped int64
	for more := true; more; {
		p := poll(t, e, x.ID(), "a", 0)
		kept, dropped, more = kept+int64(len(p.Output)), dropped+p.Dropped, p.More
		if strings.Contains(string(p.Output), "\x00") {
			t.Error("a poll has the hole's zero bytes")
		}
	}
	if kept+dropped != 4<<20 || dropped != holes[0].End-holes[0].Start {
		t.Errorf("polled %d bytes, %d dropped, hole %v", kept, dropped, holes)
	}
}

func TestLogStreams(t *testing.T) {
	e, f := withFake(t)
	split := start(t, e, engine.Spec{Split: true})
	f.Job(split.ID).PrintTo(engine.StreamStderr, "bad\n")
	if lines, err := tailOf(t, e, split.ID, engine.StreamStderr); err != nil || len(lines) != 1 || lines[0].Text != "bad" {
		t.Errorf("stderr %+v, %v", lines, err)
	}
	if size, err := openLog(t, e, split.ID, engine.StreamOutput).Size(t.Context()); size != 0 || err != nil {
		t.Errorf("stdout has %d, %v", size, err)
	}
	one := start(t, e, engine.Spec{})
	if _, err := e.Handle(one.ID).Log(t.Context(), engine.StreamStderr); !errors.Is(err, engine.ErrUnsupported) {
		t.Errorf("stderr of a job with one stream: %v", err)
	}
	if _, err := e.Handle(one.ID).Log(t.Context(), "sideways"); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("no such stream: %v", err)
	}
	if _, err := e.Handle("nothing-22222").Log(t.Context(), engine.StreamOutput); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("no such job: %v", err)
	}
}

// A window of long lines retains only the bytes that it returns, not the blocks they were read in.
func TestLongLinesRetainOnlyTheirBytes(t *testing.T) {
	e := open(t)
	x := create(t, e, engine.ExecutionSpec{})
	for range 5 {
		x.Append([]byte(strings.Repeat("long", 1<<18) + "\n"))
	}
	lines, err := tailOf(t, e, x.ID(), engine.StreamOutput)
	if err != nil || len(lines) != 5 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	for i := 1; i < len(lines); i++ {
		if a, b := lines[i-1].Raw, lines[i].Raw; !lines[i].Cut || cap(a) > len(a) || len(b) != 64<<10 {
			t.Errorf("line %d: %d bytes, cut %t", i, len(b), lines[i].Cut)
		}
	}
}
