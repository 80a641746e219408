package main

import (
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
)

// question is the agent's next question.
func (a tested) question(t *testing.T) questionEvent {
	t.Helper()
	for {
		if q := next[questionEvent](t, a); q.text != "" {
			return q
		}
	}
}

func TestQuestionIsAsked(t *testing.T) {
	needTerminal(t)
	a := begin(t, step{name: "setup", script: `printf 'Your name? '; read -r n; echo "hello $n"`})
	h := hosted(t, a)
	a.answer()
	job := next[startedEvent](t, a).job
	q := a.question(t)
	h.ask(q)
	if screen := h.screen(); !strings.Contains(screen, "setup asks: Your name?") {
		t.Errorf("no question:\n%s", screen)
	}
	h.types("Ann")
	if h.prompt.Value() != "" || !strings.Contains(h.screen(), "> Ann") {
		t.Errorf("the keys went to %q:\n%s", h.prompt.Value(), h.screen())
	}
	if msg := h.update(tea.KeyPressMsg{Code: tea.KeyEnter})(); msg != nil {
		t.Fatalf("the answer: %v", msg)
	}
	if h.question != nil || strings.Contains(h.screen(), "asks") {
		t.Errorf("still there:\n%s", h.screen())
	}
	if _, err := a.eng.Handle(job.ID).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	now, err := a.eng.Handle(job.ID).Facts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if last := a.lastLine(now); last != "hello Ann" {
		t.Errorf("the job printed %q", last)
	}
	if err := a.reply(q, "Eve"); !errors.Is(err, errQuestionOver) {
		t.Errorf("a second answer: %v", err)
	}
}

// A secret is for the job's terminal alone, even if that echoes it: the agent does not ask for it, and an
// answer to the question before is not typed into it.
func TestSecretIsNotAsked(t *testing.T) {
	needTerminal(t)
	a := begin(t, step{name: "login", script: `printf 'User? '; read -r u
stty -echo; printf 'Sesame: '; read -r s; stty echo; printf '\nToken: '; read -r t; printf 'Go on? '; read -r g; echo "${#s} $g"`})
	a.answer()
	job := next[startedEvent](t, a).job
	user := a.question(t)
	if err := a.reply(user, "ann"); err != nil {
		t.Fatal(err)
	}
	h := hosted(t, a)
	for _, entry := range []engine.Entry{engine.EntryHidden, engine.EntryOpen} {
		q := a.question(t)
		h.notice = ""
		h.ask(q)
		if q.job.Entry != entry || h.question != nil || !strings.Contains(h.screen(), "login asks for a secret") {
			t.Errorf("%q is shown as\n%s", q.text, h.screen())
		}
		if err := a.reply(q, "secret"); !errors.Is(err, errQuestionOver) {
			t.Errorf("a secret through the agent: %v", err)
		}
		if err := a.reply(user, "ann again"); !errors.Is(err, errQuestionOver) {
			t.Errorf("a late answer: %v", err)
		}
		if err := a.eng.Handle(job.ID).Write(t.Context(), []byte("secret\r")); err != nil {
			t.Fatal(err)
		}
	}
	if q := a.question(t); q.text != "Go on?" {
		t.Errorf("the next question is %q", q.text)
	}
}

func TestQuestionAnsweredInTheTerminalIsRemoved(t *testing.T) {
	h := hosted(t, begin(t))
	job := engine.Job{Request: engine.Request{ID: "one-22222", Name: "one"}}
	h.ask(questionEvent{job, "Continue?"})
	h.types("y")
	h.ask(questionEvent{job: job})
	if screen := h.screen(); h.question != nil || strings.Contains(screen, "one asks") || h.reply.Value() != "" {
		t.Errorf("still there:\n%s", screen)
	}
}

// needTerminal skips a test on systems where jobs have no terminal.
func needTerminal(t *testing.T) {
	t.Helper()
	if !local.New().Capabilities("").PTY {
		t.Skip("jobs have no terminal here")
	}
}
