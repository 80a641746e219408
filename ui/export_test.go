package ui

import (
	"time"

	"github.com/hobjobs/hob/engine"
)

// What the tests of a program around a pane need. They are in package ui_test, because package
// program imports this one.

type Fake = fake

const (
	IgnoreKeysTime = ignoreKeysTime
	DoubleLeave    = doubleLeave
	HostLeave      = hostLeave
)

func NewFakePane(eng *Fake, opts ...Option) *Pane { return newPane(eng, opts...) }
func WithClock(now func() time.Time) Option       { return withClock(now) }
func Noon() time.Time                             { return noon }
func Three() *Fake                                { return three() }
func Exited(j engine.Job, code int) engine.Job    { return exited(j, code) }
func (f *fake) Job(i int) *engine.Job             { return &f.jobs[i] }
func (f *fake) Tell(events ...engine.Event)       { f.sub.batches <- events }
func (f *fake) EndScreen(e engine.Exit)           { f.screen.end(e) }
func (f *fake) Calls() []string                   { return f.did() }
func (f *fake) Fail(method string, err error)     { f.fail[method] = err }
func (f *fake) WithoutSnapshot()                  { f.late = true }

// Slow makes stops and Close hang until resume.
func (f *fake) Slow() (resume func()) {
	f.slow = make(chan struct{})
	return func() { close(f.slow) }
}

// Typing returns the context of the open box or prompt, and the text of the prompt.
func (p *Pane) Typing() (context, text string) {
	if p.modal.over != nil || p.modal.prompt != nil {
		context = p.context()
	}
	if p.modal.prompt != nil {
		text = p.modal.prompt.line.Value()
	}
	return context, text
}
