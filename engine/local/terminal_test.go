//go:build linux || darwin

package local_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/vt"
)

// viewer displays a terminal session as a UI would.
type viewer struct {
	t     testing.TB
	term  engine.Terminal
	vt    *vt.Terminal
	last  engine.TerminalChunk
	reset int // snapshots so far
	off   int64
}

func (s started) view(t testing.TB, o engine.TerminalOptions) *viewer {
	t.Helper()
	term, err := s.run.OpenTerminal(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	v := &viewer{t: t, term: term}
	t.Cleanup(func() { term.Close() })
	return v
}

// next reads one chunk.
func (v *viewer) next() engine.TerminalChunk {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := v.term.Next(ctx)
	if err != nil {
		v.t.Fatal(err)
	}
	switch {
	case c.Reset:
		v.reset++
		v.vt = vt.New(c.Size.Cols, c.Size.Rows)
	case c.Offset != v.off+int64(len(c.Data)):
		v.t.Errorf("stream goes from %d to %d with %d bytes", v.off, c.Offset, len(c.Data))
	}
	if v.vt != nil {
		v.vt.Write(c.Data)
		if cols, rows := v.vt.Size(); cols != c.Size.Cols || rows != c.Size.Rows {
			v.vt.Resize(c.Size.Cols, c.Size.Rows)
		}
	}
	v.off = c.Offset
	v.last = c
	return c
}

// until reads chunks until ok returns true.
func (v *viewer) until(ok func(engine.TerminalChunk) bool) {
	v.t.Helper()
	for !ok(v.next()) {
		if v.last.Exit != nil {
			v.t.Fatal("the job ended first")
		}
	}
}

// shows reads chunks until the screen contains text.
func (v *viewer) shows(text string) {
	v.t.Helper()
	shown := func(engine.TerminalChunk) bool { return v.vt != nil && strings.Contains(v.vt.Text(), text) }
	if !shown(v.last) {
		v.until(shown)
	}
}

func TestTerminalSession(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{PTY: true, Script: "echo before; read x; echo after $x; read y; exit 4"})
	s.printed(t, "before")
	v := s.view(t, engine.TerminalOptions{Control: true, Client: "me", Size: engine.Size{Cols: 60, Rows: 12}})
	v.shows("before")
	if !v.last.Control || v.last.Controller != "me" || v.last.Size != (engine.Size{Cols: 60, Rows: 12}) {
		t.Errorf("chunk %+v", v.last)
	}
	if err := v.term.Write(t.Context(), []byte("typed\n")); err != nil {
		t.Fatal(err)
	}
	v.shows("after typed")
	if err := v.term.Resize(t.Context(), engine.Size{Cols: 70, Rows: 13}); err != nil {
		t.Fatal(err)
	}
	v.until(func(c engine.TerminalChunk) bool { return c.Size == engine.Size{Cols: 70, Rows: 13} })
	if err := v.term.Write(t.Context(), []byte("\n")); err != nil {
		t.Fatal(err)
	}
	for v.next().Exit == nil {
	}
	if exit := v.last.Exit; exit.Status != engine.Exited || *exit.Code != 4 {
		t.Errorf("exit %+v", exit)
	}
	if v.reset != 1 {
		t.Errorf("%d snapshots", v.reset)
	}
}

func TestOneControllerManyViewers(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{PTY: true, Script: "while read x; do echo got $x; done", Size: engine.Size{Cols: 80, Rows: 24}})
	first := s.view(t, engine.TerminalOptions{Control: true, Client: "first", Size: engine.Size{Cols: 61, Rows: 21}})
	first.next()
	second := s.view(t, engine.TerminalOptions{Control: true, Client: "second", Size: engine.Size{Cols: 62, Rows: 22}})
	second.until(func(c engine.TerminalChunk) bool { return c.Controller == "first" })
	if second.last.Control || second.last.Size != (engine.Size{Cols: 61, Rows: 21}) {
		t.Errorf("second attached as %+v", second.last)
	}
	if err := second.term.Write(t.Context(), []byte("no\n")); !errors.Is(err, engine.ErrNotControl) {
		t.Errorf("a viewer types: %v", err)
	}
	if err := second.term.TakeControl(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, v := range []*viewer{first, second} {
		v.until(func(c engine.TerminalChunk) bool {
			return c.Controller == "second" && c.Size == engine.Size{Cols: 62, Rows: 22} && c.Control == (v == second)
		})
	}
	if err := second.term.Write(t.Context(), []byte("yes\n")); err != nil {
		t.Fatal(err)
	}
	first.shows("got yes")
	second.shows("got yes")
	if err := engine.Type(t.Context(), first.term, true, engine.Size{Cols: 63, Rows: 23}, []byte("mine\n")); err != nil {
		t.Fatal(err)
	}
	second.until(func(c engine.TerminalChunk) bool {
		return c.Controller == "first" && c.Size == engine.Size{Cols: 63, Rows: 23}
	})
	second.shows("got mine")
	if err := second.term.TakeControl(t.Context()); err != nil {
		t.Fatal(err)
	}
	second.term.Close()
	first.until(func(c engine.TerminalChunk) bool { return c.Controller == "" })
}

func TestProbeHasNoEffect(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{PTY: true, Script: "while read x; do echo got $x; done"})
	v := s.view(t, engine.TerminalOptions{Control: true, Client: "me"})
	v.next()
	for range 20 {
		probe := dialRaw(t, s)
		probe.Close()
	}
	if err := v.term.Write(t.Context(), []byte("still\n")); err != nil {
		t.Fatal(err)
	}
	v.shows("got still")
	if !v.last.Control {
		t.Error("the keyboard is gone")
	}
}

func TestViewersSeeSameScreen(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	// Output begins when the file exists, so that viewers connect before, during and after it.
	dir := t.TempDir()
	s := p.start(t, engine.Spec{
		PTY: true, Size: engine.Size{Cols: 40, Rows: 10},
		Command: []string{"sh", "-c", `while [ ! -e "$0/go" ]; do sleep 0.01; done; seq 1 60000; printf 'end: '; read x`, dir},
	})
	screens := make([]string, 10)
	resets := make([]int, 10)
	var wg sync.WaitGroup
	for i := range screens {
		if i == 5 {
			if err := os.WriteFile(dir+"/go", nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		v := s.view(t, engine.TerminalOptions{Client: fmt.Sprint(i)})
		wg.Go(func() {
			for v.vt == nil || !strings.Contains(v.vt.Text(), "end:") {
				c, err := v.term.Next(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				v.apply(c)
			}
			screens[i], resets[i] = v.vt.Text(), v.reset
		})
	}
	wg.Wait()
	var want []string
	for n := 59992; n <= 60000; n++ {
		want = append(want, fmt.Sprint(n))
	}
	want = append(want, "end:")
	for i, got := range screens {
		if diff := cmp.Diff(want, strings.Split(got, "\n")); diff != "" {
			t.Errorf("viewer %d (%d snapshots): %s", i, resets[i], diff)
		}
	}
}

func (v *viewer) apply(c engine.TerminalChunk) {
	if c.Reset {
		v.reset++
		v.vt = vt.New(c.Size.Cols, c.Size.Rows)
	} else if c.Offset != v.off+int64(len(c.Data)) {
		v.t.Errorf("stream goes from %d to %d with %d bytes", v.off, c.Offset, len(c.Data))
	}
	if v.vt != nil {
		v.vt.Write(c.Data)
	}
	v.off = c.Offset
}

func TestFrozenViewerDoesNotBlockJob(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{PTY: true, Script: "seq 1 300000; printf 'end: '; read x", Size: engine.Size{Cols: 40, Rows: 10}})
	frozen := s.view(t, engine.TerminalOptions{Client: "frozen"})
	s.printed(t, "end: ") // without any reads from the session
	log := s.output(t)
	if n := strings.Count(log, "\r\n"); n != 300000 {
		t.Errorf("%d lines in the log", n)
	}
	frozen.shows("end:")
	want := "299992\n299993\n299994\n299995\n299996\n299997\n299998\n299999\n300000\nend:"
	if got := frozen.vt.Text(); got != want {
		t.Errorf("screen %q", got)
	}
	if frozen.off != int64(len(log)) {
		t.Errorf("stream ends at %d, the log at %d", frozen.off, len(log))
	}
}

func TestScreen(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{PTY: true, Size: engine.Size{Cols: 20, Rows: 4}, Script: `printf '\033]2;my title\007\033[31mred\033[m\r\nsecond '; read x; printf '\033[?1049hfull'; read y; printf '\033[?1049l'; echo last`})
	s.printed(t, "second ")
	eventually(t, "screen", func() bool {
		got, err := s.run.Screen(t.Context())
		return err == nil && got.Text == "red\nsecond" && got.CursorX == 7 && got.CursorY == 1 && got.Title == "my title" && strings.Contains(got.ANSI, "\x1b[31m")
	})
	if err := s.run.Write(t.Context(), []byte("\n")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "alternate screen", func() bool {
		got, err := s.run.Screen(t.Context())
		return err == nil && got.Alternate && strings.Contains(got.Text, "full")
	})
	if err := s.run.Write(t.Context(), []byte("\n")); err != nil {
		t.Fatal(err)
	}
	s.wait(t)
	eventually(t, "last screen", func() bool {
		got, err := s.run.Screen(t.Context())
		return err == nil && got.Text == "red\nsecond\nlast" && !got.Alternate && strings.Contains(got.Main, "last")
	})
}

func TestTerminalFactsAnswerQueries(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	script := `stty raw -echo; printf ready; dd bs=1 count=1 2>/dev/null; printf '\033]11;?\007'; dd bs=1 count=24 2>/dev/null | od -An -c | tr -d ' \\n'; stty sane; echo done`
	s := p.start(t, engine.Spec{PTY: true, Script: script})
	s.printed(t, "ready")
	v := s.view(t, engine.TerminalOptions{Control: true, Facts: engine.TerminalFacts{HaveColors: true, Background: [3]uint8{0x12, 0x34, 0x56}}})
	v.next()
	if err := v.term.Write(t.Context(), []byte("x")); err != nil {
		t.Fatal(err)
	}
	s.printed(t, "done")
	if got := s.output(t); !strings.Contains(strings.Join(strings.Fields(got), ""), "rgb:1212/3434/5656") {
		t.Errorf("answer %q", got)
	}
}

func TestSnapshotFollowsOutputExactly(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{PTY: true, Script: "i=0; while [ $i -lt 3000 ]; do echo $i; i=$((i+1)); done; printf 'end: '; read x", Size: engine.Size{Cols: 10, Rows: 5}})
	for over := false; !over; {
		v := s.view(t, engine.TerminalOptions{})
		v.until(func(engine.TerminalChunk) bool { return v.vt != nil })
		v.nextUntilTheEnd()
		data := []byte(s.output(t))
		// The screen matches the log up to the same offset.
		want := vt.New(10, 5)
		want.Write(data[:v.off])
		if got := v.vt.Text(); got != want.Text() {
			t.Fatalf("at %d: %q, want %q", v.off, got, want.Text())
		}
		over = bytes.Contains(data, []byte("end: "))
		v.term.Close()
	}
}

// nextUntilTheEnd reads another chunk unless the output has ended.
func (v *viewer) nextUntilTheEnd() {
	if !strings.Contains(v.vt.Text(), "end:") {
		v.next()
	}
}

func TestWatchReportsAlternateScreen(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{PTY: true, Script: `printf '\033[?1049hfull'; read x; printf '\033[?1049l'; read y; printf '\033[?1049h'`})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var told []bool
	err := s.run.Watch(ctx, func(o engine.State, _ engine.Note) {
		if len(told) > 0 && told[len(told)-1] == o.Alternate || len(told) == 0 && !o.Alternate {
			return
		}
		told = append(told, o.Alternate)
		if len(told) <= 2 {
			if err := s.run.Write(ctx, []byte("\n")); err != nil {
				t.Error(err)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(told) < 2 || !told[0] || told[1] || told[len(told)-1] {
		t.Errorf("the alternate screen was shown: %v", told)
	}
	if s.state(t).Alternate {
		t.Error("a job that ended shows the alternate screen for ever")
	}
}
