package enginetest

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/joblog"
)

// growth is the number of lines that a job prints while a reader reads: more than a reader makes
// requests before it waits.
const growth = 8

// readers returns a case for each reader that waits for output: it begins before there is any that it
// shows, and all is printed between its requests.
func readers() []suiteCase {
	matching := regexp.MustCompile("line")
	var cases []suiteCase
	for _, reader := range []struct {
		name string
		read func(*grower) (text string)
	}{
		{"follower of the last lines", func(g *grower) string {
			return g.follow(joblog.Query{
				Last:   true,
				Limit:  2 * growth,
				Filter: matching,
			})
		}},
		{"follower of new lines", func(g *grower) string { return g.follow(joblog.Query{Last: true, Filter: matching}) }},
		{"follower from a line on", func(g *grower) string { return g.follow(joblog.Query{Filter: matching}) }},
		{"follower of bytes", (*grower).followBytes},
		{"poll", (*grower).polls},
		{"wait for a line", (*grower).waitsForLines},
		{"subscription", (*grower).subscribes},
	} {
		for _, printed := range []struct{ name, text string }{
			{"an empty log", ""},
			{"a log without a match", "first\nopen "},
		} {
			cases = append(cases, suiteCase{reader.name + " loses nothing that is printed while it begins on " + printed.name, func(s *suite) {
				s.need(s.caps.Stdin, "input")
				g := s.growing(printed.text)
				want := "open "
				if printed.text == "" {
					want = ""
				}
				for i := range growth {
					want += lineOf(i) + "\n"
				}
				got := strings.TrimPrefix(reader.read(g), "first\n") // which a follower of bytes and a poll return
				if diff := cmp.Diff(want, got); diff != "" {
					s.Errorf("read (-want +got):\n%s", diff)
				}
			}})
		}
	}
	return cases
}

func lineOf(i int) string { return fmt.Sprintf("line %d.", i) }

// grower is a job that prints a line after each request of a reader, and ends after the last line.
type grower struct {
	*suite
	e       *engine.Engine // of the reader
	id      engine.ID
	printed int
}

// growing starts a job that has printed a text.
func (s *suite) growing(text string) *grower {
	s.Helper()
	g := &grower{suite: s, printed: growth} // it does not grow yet
	j := s.sh(`printf %s "$TEXT"; while read line; do echo "$line"; done`, func(spec *engine.Spec) {
		spec.Stdin, spec.Env = true, map[string]string{"TEXT": text}
	})
	g.id = j.ID
	if text != "" {
		s.until(j.ID, func(out string) bool { return out == text })
	}
	e, err := engine.New(engine.WithStateDir(s.root), engine.WithClient("reader"), engine.WithBackend(Growing(s.cfg.New(), g.grow)))
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		if err := e.Close(); err != nil {
			s.Errorf("close the reader's engine: %v", err)
		}
	})
	g.e, g.printed = e, 0
	return g
}

// grow makes the job print its next line, and returns when the log has it.
func (g *grower) grow() {
	if g.printed == growth {
		return
	}
	line := lineOf(g.printed) + "\n"
	g.printed++
	g.done(g.suite.e.Handle(g.id).Write(g.ctx(), []byte(line)))
	g.until(g.id, func(out string) bool { return strings.HasSuffix(out, line) })
	if g.printed == growth {
		g.done(g.suite.e.Handle(g.id).CloseInput(g.ctx()))
	}
}

// follow returns the lines that a follower returns until the job ends.
func (g *grower) follow(q joblog.Query) string {
	log, err := g.e.Handle(g.id).Log(g.ctx(), engine.StreamOutput)
	g.done(err)
	defer log.Close()
	feed, err := log.Follow(g.ctx(), q)
	g.done(err)
	var text strings.Builder
	g.followed(func(j engine.Job) error {
		for line, err := range feed.Read(g.ctx(), j.Status.Finished()) {
			if err != nil {
				return err
			}
			text.WriteString(line.Text + "\n")
		}
		return nil
	})
	return text.String()
}

func (g *grower) followBytes() string {
	log, err := g.e.Handle(g.id).Log(g.ctx(), engine.StreamOutput)
	g.done(err)
	defer log.Close()
	var text strings.Builder
	g.followed(func(engine.Job) error {
		for piece, err := range log.Pieces(g.ctx(), int64(text.Len())) {
			if err != nil {
				return err
			}
			text.Write(piece.Data)
		}
		return nil
	})
	return text.String()
}

func (g *grower) followed(look func(engine.Job) error) {
	_, err := g.e.Handle(g.id).WaitFor(g.ctx(), engine.Condition{Look: look})
	g.done(err)
}

func (g *grower) polls() string {
	text := ""
	for {
		p, err := g.e.Handle(g.id).Poll(g.ctx(), engine.PollOptions{Client: "reader", Wait: Patience})
		g.done(err)
		text += string(p.Output)
		if p.Job.Status.Finished() && !p.More {
			return text
		}
	}
}

// waitsForLines waits, again and again, for the next line from now on.
func (g *grower) waitsForLines() string {
	text := ""
	for i := 0; i < growth; i = g.printed {
		next := regexp.MustCompile(regexp.QuoteMeta(lineOf(i)))
		out, err := g.e.Handle(g.id).WaitFor(g.ctx(), engine.Condition{Line: next, FromNow: true})
		g.done(err)
		text += out.Line + "\n"
		for skipped := i + 1; skipped < g.printed; skipped++ { // printed before this one was found
			text += lineOf(skipped) + "\n"
		}
	}
	return text
}

// subscribes reads what events report, as a view does.
func (g *grower) subscribes() string {
	sub := g.e.Subscribe(engine.Filter{IDs: []engine.ID{g.id}})
	defer sub.Close()
	var text []byte
	for {
		events, err := sub.Next(g.ctx())
		g.done(err)
		for _, ev := range events {
			p := make([]byte, max(0, ev.Offset-int64(len(text))))
			n, _, err := ReadStream(g.ctx(), g.e.Handle(g.id), engine.StreamOutput, p, int64(len(text)))
			if err != nil && !errors.Is(err, io.EOF) {
				g.Fatal(err)
			}
			text = append(text, p[:n]...)
			if ev.Job.Status.Finished() {
				return string(text)
			}
		}
	}
}
