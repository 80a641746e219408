//go:build unix

package tool

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/enginetest"
	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/app/mcp/session"
	"github.com/hobjobs/hob/internal/testtool"
)

// noDelivery delivers nothing.
type noDelivery struct{}

func (noDelivery) Watch(engine.Job)                  {}
func (noDelivery) Answering(engine.ID) (done func()) { return func() {} }
func (noDelivery) Offer(engine.Job)                  {}
func (noDelivery) Forget(engine.ID)                  {}
func (noDelivery) AcceptsTasks(context.Context) bool { return false }
func (noDelivery) About(context.Context, engine.ID)  {}

// growing is an agent with a job that prints a line after each request for its output, and ends
// after the last line.
type growing struct {
	*Tools
	t        *testing.T
	programs *engine.Engine // the other programs that use the job
	job      engine.Job
	printed  int
}

const growth = 10

func newGrowing(t *testing.T) *growing {
	g := &growing{t: t, printed: growth} // it does not grow yet
	dir := testtool.TempDir(t)
	open := func(b engine.Backend) *engine.Engine {
		eng, err := engine.New(engine.WithStateDir(dir), engine.WithBackend(b))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { eng.Close() })
		return eng
	}
	g.programs = open(local.New(local.InProcess()))
	g.Tools = New(&session.Session{Dir: dir, Log: slog.New(slog.DiscardHandler), Life: t.Context()}, noDelivery{})
	g.Settings.MaxOutputChars = 30_000
	g.Opened(open(enginetest.Growing(local.New(local.InProcess()), g.grow)), "tester")
	var err error
	g.job, err = g.programs.Start(t.Context(), engine.Spec{
		Script: `while read line; do echo "$line"; done`, Stdin: true, Labels: g.Scope.Labels(),
	})
	if err != nil {
		t.Fatal(err)
	}
	g.printed = 0
	return g
}

func growthLine(i int) string { return fmt.Sprintf("line %d.", i) }

func (g *growing) grow() {
	if g.printed == growth {
		return
	}
	line := growthLine(g.printed)
	g.printed++
	if err := g.programs.Handle(g.job.ID).Write(g.t.Context(), []byte(line+"\n")); err != nil {
		g.t.Error(err)
		return
	}
	met, err := g.programs.Handle(g.job.ID).WaitFor(g.t.Context(), engine.Condition{Line: regexp.MustCompile(regexp.QuoteMeta(line))})
	if err != nil || !met.Met {
		g.t.Errorf("%q is not printed: %v", line, err)
		return
	}
	if g.printed == growth {
		if err := g.programs.Handle(g.job.ID).CloseInput(g.t.Context()); err != nil {
			g.t.Error(err)
		}
	}
}

// An agent that polls or waits gets every line that is printed between two requests of its server.
func TestAgentMissesNothingWhileTheLogGrows(t *testing.T) {
	var all strings.Builder
	for i := range growth {
		all.WriteString(growthLine(i) + "\n")
	}
	wait := 10_000.0 // at most, in milliseconds
	poll := func(g *growing, in ProcessArgs) string {
		text := ""
		in.Timeout = &wait
		for {
			ans, err := g.poll(t.Context(), g.job, in)
			if err != nil {
				t.Fatal(err)
			}
			text += ans.Body.head + ans.Body.tail
			if ans.Job.Status.Finished() && ans.Body.empty() {
				return text
			}
		}
	}
	t.Run("poll", func(t *testing.T) {
		if diff := cmp.Diff(all.String(), poll(newGrowing(t), ProcessArgs{})); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("poll with a filter", func(t *testing.T) {
		if diff := cmp.Diff(all.String(), poll(newGrowing(t), ProcessArgs{Filter: "line"})); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("log", func(t *testing.T) {
		g := newGrowing(t)
		first := int64(0)
		text := ""
		for {
			ans, err := g.log(t.Context(), g.job, ProcessArgs{Offset: &first})
			if err != nil {
				t.Fatal(err)
			}
			text += ans.Body.head
			for _, n := range ans.Notices {
				if ans.Body.head != "" && strings.Contains(n, "no line") {
					t.Errorf("%q, with %q", n, ans.Body.head)
				}
			}
			first = int64(strings.Count(text, "\n"))
			if first == growth {
				break
			}
		}
		if diff := cmp.Diff(all.String(), text); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("wait", func(t *testing.T) {
		for i := range growth {
			g := newGrowing(t)
			began := time.Now()
			ans, err := g.wait(t.Context(), g.job, ProcessArgs{Until: growthLine(i), Timeout: &wait})
			if err != nil || ans.Met == nil || !*ans.Met || ans.Match != growthLine(i) {
				t.Fatalf("%s: %+v, %v after %v", growthLine(i), ans, err, time.Since(began))
			}
			if _, err := g.programs.Handle(g.job.ID).Stop(t.Context(), engine.StopOptions{Grace: -1}); err != nil {
				t.Log(err) // it may have ended
			}
		}
	})
}
