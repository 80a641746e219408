package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/hobjobs/hob/engine/ssh"
)

// An asker puts the questions of hosts to the person: in the UI while that runs,
// else on the terminal. Questions wait for each other. The zero value is ready.
type asker struct {
	one sync.Mutex // held while a question is open

	mu sync.Mutex // guards ui
	ui questioner
}

// questioner is how the UI asks, see [ui.App]. Without confirm such a question is
// asked as one for a line of text.
type questioner struct {
	ask     func(ctx context.Context, title, text string, secret bool) (string, error)
	confirm func(ctx context.Context, title, text, yes string) (bool, error)
}

// through has questions go through the UI until restore is called.
func (a *asker) through(w questioner) (restore func()) {
	set := func(w questioner) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.ui = w
	}
	set(w)
	return func() { set(questioner{}) }
}

// open begins a question: until done is called others wait. w is the UI, if it
// runs.
func (a *asker) open() (w questioner, done func()) {
	a.one.Lock()
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ui, a.one.Unlock
}

// errNobody reports that there is no terminal to ask a question on.
var errNobody = errors.New("there is no terminal to ask on")

// errInterrupted reports Ctrl+C in place of an answer.
var errInterrupted = errors.New("interrupted")

// ask asks for one line on behalf of host.
func (a *asker) ask(ctx context.Context, host, text string, secret bool) (string, error) {
	ui, done := a.open()
	defer done()
	if ui.ask != nil {
		return ui.ask(ctx, host, text, secret)
	}
	lines := strings.Split(text, "\n") // a server's words: only their line breaks may act
	for i, l := range lines {
		lines[i] = escape(l)
	}
	return askTerminal(ctx, host+": "+strings.Join(lines, "\n"), secret)
}

// prompts are the questions that a connection may have.
func (a *asker) prompts() ssh.Prompts {
	return ssh.Prompts{
		Passphrase: func(ctx context.Context, host, file string, again bool) (string, error) {
			text := "passphrase of the key " + file
			if again {
				text = "that was not it; " + text
			}
			s, err := a.ask(ctx, host, text, true)
			return s, unanswered(err, "the key %s has a passphrase", file, "ssh-add "+file+" gives it to the agent")
		},
		Password: func(ctx context.Context, host, user string, again bool) (string, error) {
			text := "password of " + user
			if again {
				text = "that was not it; " + text
			}
			s, err := a.ask(ctx, host, text, true)
			return s, unanswered(err, "the host wants the password of %s", user, "set up a key for this host (ssh-copy-id), or run hob on a terminal")
		},
		Questions: a.questions,
		HostKey:   a.hostKey,
	}
}

func (a *asker) questions(ctx context.Context, host string, q ssh.Questions) ([]string, error) {
	answers := make([]string, len(q.Questions))
	intro := strings.TrimSpace(q.Name + "\n" + q.Instruction)
	for i, question := range q.Questions {
		text := strings.TrimSuffix(strings.TrimSpace(question.Text), ":")
		if intro != "" {
			text, intro = intro+"\n"+text, ""
		}
		s, err := a.ask(ctx, host, text, !question.Echo)
		if err != nil {
			return nil, unanswered(err, "the host asks: %s", escape(text), "set up a key for this host (ssh-copy-id), or run hob on a terminal")
		}
		answers[i] = s
	}
	return answers, nil
}

func (a *asker) hostKey(ctx context.Context, host string, k ssh.HostKey) (bool, error) {
	text := k.Address + " is not known yet. It shows the key"
	if k.OtherKeys {
		text = k.Address + " is known by its authority only, which has not signed the key"
	}
	text += "\n" + k.Type + " " + k.Fingerprint + "\nTrust it?" // a line of its own is easy to compare
	trusted, err := a.confirm(ctx, host, text, "Trust it", fmt.Sprintf("is %s %s the key of %s?", k.Type, k.Fingerprint, k.Address))
	return trusted, unanswered(err, "the host is unknown: it shows the key %s", k.Type+" "+k.Fingerprint,
		"compare that with the host's own (ssh-keygen -lf /etc/ssh/ssh_host_*.pub there), then connect once with ssh, or run hob on a terminal")
}

// confirm asks a question whose answer is yes, labeled as yes, or no; again is the question
// after an answer that is neither.
func (a *asker) confirm(ctx context.Context, host, text, yes, again string) (bool, error) {
	ui, done := a.open()
	if ui.confirm != nil {
		defer done()
		return ui.confirm(ctx, host, text, yes)
	}
	done()
	text += " (yes/no)"
	for {
		s, err := a.ask(ctx, host, text, false)
		if err != nil {
			return false, err
		}
		switch strings.ToLower(strings.TrimSpace(s)) {
		case "yes":
			return true, nil
		case "no", "n", "":
			return false, nil
		}
		text = "Say yes or no: " + again
	}
}

// unanswered explains what was asked for where there is no terminal to ask on.
func unanswered(err error, format, what, hint string) error {
	if !errors.Is(err, errNobody) {
		return err
	}
	return &unansweredError{fmt.Errorf(format+", and %w", what, err), hint}
}

// unansweredError is a question without an answer, and what helps.
type unansweredError struct {
	err  error
	hint string
}

func (e *unansweredError) Error() string { return e.err.Error() }
func (e *unansweredError) Unwrap() error { return e.err }

// answered puts a question on a terminal and waits for what read, which takes a
// line from there, returns. read goes on by itself after an interrupt: it ends with
// the terminal.
func answered(ctx context.Context, tty io.Writer, text string, secret bool, read func() (string, error), interrupted <-chan os.Signal) (string, error) {
	fmt.Fprintf(tty, "%s: ", text)
	type line struct {
		text string
		err  error
	}
	answer := make(chan line, 1)
	go func() {
		s, err := read()
		answer <- line{s, err}
	}()
	select {
	case l := <-answer:
		if secret {
			fmt.Fprintln(tty)
		}
		if l.err != nil && l.text == "" {
			return "", errors.New("no answer was given")
		}
		return strings.TrimRight(l.text, "\r\n"), nil
	case <-interrupted:
		fmt.Fprintln(tty)
		return "", errInterrupted
	case <-ctx.Done():
		fmt.Fprintln(tty)
		return "", ctx.Err()
	}
}
