package tool

import (
	"bytes"
	"context"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/mcp/plain"
)

// streamSum collects the output of one stream during a poll.
type streamSum struct {
	gather
	t      *Tools
	j      engine.Job
	stream engine.Stream
	keep   lineFilter
	held   []byte // an incomplete last line
	binary string // the notice about binary output
}

// add appends the next bytes. With a filter it holds back an incomplete last line.
func (s *streamSum) add(ctx context.Context, p []byte) {
	p = append(s.held, p...)
	s.held = nil
	if n := s.t.binary(ctx, s.j, s.stream, p); n != "" {
		s.binary = n
		return
	}
	if begin := bytes.LastIndexByte(p, '\n') + 1; s.keep.some() && len(p)-begin <= maxHeld {
		p, s.held = p[:begin], p[begin:]
	}
	s.gather.add(s.keep.lines(plain.Clean(p)))
}

func (s *streamSum) excerpt() Excerpt {
	s.gather.add(s.keep.lines(plain.Clean(s.held)))
	x := s.gather.excerpt()
	if s.binary != "" {
		x.Notices = []string{s.binary}
	}
	return x
}

// gather keeps the beginning and the end of a text that arrives in pieces.
type gather struct {
	head, before, last string // the end is before and last; before is dropped once last is long enough
	skipped            int64  // bytes between head and the end
}

func (g *gather) add(piece string) {
	if len(g.head) < maxRead {
		g.head += piece
		return
	}
	if len(g.last) >= maxRead {
		g.skipped += int64(len(g.before))
		g.before, g.last = g.last, ""
	}
	g.last += piece
}

func (g *gather) excerpt() Excerpt {
	return Excerpt{head: g.head, tail: g.before + g.last, skipped: g.skipped}
}
