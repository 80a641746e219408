package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hobjobs/hob/engine/ssh"
)

// A prompter asks the user for passwords and confirmations on behalf of hosts: in the UI
// while it runs, otherwise on the terminal. It shows one prompt at a time. The zero value
// is ready to use.
type prompter struct {
	one sync.Mutex                // held while a prompt is open
	ui  atomic.Pointer[uiPrompts] // nil unless the UI runs
}

// uiPrompts are the prompts of the UI, see package program. If confirm is nil, ask is used
// instead.
type uiPrompts struct {
	ask     func(ctx context.Context, title, text string, secret bool) (string, error)
	confirm func(ctx context.Context, title, text, yes string) (bool, error)
}

// useUI sends prompts to the UI until restore is called.
func (a *prompter) useUI(ui uiPrompts) (restore func()) {
	a.ui.Store(&ui)
	return func() { a.ui.Store(nil) }
}

// open waits until no other prompt is open. The caller calls done after its prompt. The
// functions of ui are nil unless the UI runs.
func (a *prompter) open() (ui uiPrompts, done func()) {
	a.one.Lock()
	if running := a.ui.Load(); running != nil {
		ui = *running
	}
	return ui, a.one.Unlock
}

// errNoTerminal means that there is no terminal for a prompt.
var errNoTerminal = errors.New("there is no terminal to ask on")

// errInterrupted means that the user pressed Ctrl+C at a prompt.
var errInterrupted = errors.New("interrupted")

// ask prompts for one line on behalf of host.
func (a *prompter) ask(ctx context.Context, host, text string, secret bool) (string, error) {
	ui, done := a.open()
	defer done()
	if ui.ask != nil {
		return ui.ask(ctx, host, text, secret)
	}
	lines := strings.Split(text, "\n") // a server sent it: escape all but line breaks
	for i, l := range lines {
		lines[i] = escape(l)
	}
	return askTerminal(ctx, host+": "+strings.Join(lines, "\n"), secret)
}

func (a *prompter) prompts() ssh.Prompts {
	return ssh.Prompts{
		Passphrase: func(ctx context.Context, host, file string, again bool) (string, error) {
			text := "passphrase for key " + file
			if again {
				text = "Wrong passphrase, try again; " + text
			}
			s, err := a.ask(ctx, host, text, true)
			return s, unanswered(err, "the key %s has a passphrase", file, "add the key to ssh-agent: ssh-add "+file)
		},
		Password: func(ctx context.Context, host, user string, again bool) (string, error) {
			text := "password for " + user
			if again {
				text = "Wrong password, try again; " + text
			}
			s, err := a.ask(ctx, host, text, true)
			return s, unanswered(err, "the host requires the password of %s", user, "set up a key for this host (ssh-copy-id), or run hob on a terminal")
		},
		Questions: a.questions,
		HostKey:   a.hostKey,
	}
}

func (a *prompter) questions(ctx context.Context, host string, q ssh.Questions) ([]string, error) {
	answers := make([]string, len(q.Questions))
	intro := strings.TrimSpace(q.Name + "\n" + q.Instruction)
	for i, question := range q.Questions {
		text := strings.TrimSuffix(strings.TrimSpace(question.Text), ":")
		if intro != "" {
			text, intro = intro+"\n"+text, ""
		}
		s, err := a.ask(ctx, host, text, !question.Echo)
		if err != nil {
			return nil, unanswered(err, "the host asks %q", escape(text), "set up a key for this host (ssh-copy-id), or run hob on a terminal")
		}
		answers[i] = s
	}
	return answers, nil
}

func (a *prompter) hostKey(ctx context.Context, host string, k ssh.HostKey) (bool, error) {
	text := k.Address + " is not in known_hosts. Fingerprint:"
	if k.OtherKeys {
		text = k.Address + " is in known_hosts with a certificate authority, which has not signed this key. Fingerprint:"
	}
	text += "\n" + k.Type + " " + k.Fingerprint + "\nTrust this host?" // the fingerprint on its own line is easy to compare
	trusted, err := a.confirm(ctx, host, text, "Trust it")
	return trusted, unanswered(err, "the host is not in known_hosts; its key is %s", k.Type+" "+k.Fingerprint,
		"compare it with the host's own key (there: ssh-keygen -lf /etc/ssh/ssh_host_*.pub), then connect once with ssh, or run hob on a terminal")
}

// confirm asks a yes/no question. yes is the label of the button for yes.
func (a *prompter) confirm(ctx context.Context, host, text, yes string) (bool, error) {
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
		case "yes", "y":
			return true, nil
		case "no", "n":
			return false, nil
		}
		text = "Please type yes or no"
	}
}

// unanswered replaces errNoTerminal by an error that describes the prompt.
func unanswered(err error, format, what, hint string) error {
	if !errors.Is(err, errNoTerminal) {
		return err
	}
	return &unansweredError{fmt.Errorf(format+", and %w", what, err), hint}
}

// unansweredError means that a prompt could not be shown.
type unansweredError struct {
	err  error
	hint string
}

func (e *unansweredError) Error() string { return e.err.Error() }
func (e *unansweredError) Unwrap() error { return e.err }

// promptLine writes a prompt to a terminal and returns the line that read returns. A secret does
// not appear as it is typed; the prompt mentions that, so that the terminal does not seem to hang.
// After an interrupt read keeps running in its goroutine until the terminal is closed.
func promptLine(ctx context.Context, tty io.Writer, text string, secret bool, read func() (string, error), interrupted <-chan os.Signal) (string, error) {
	if secret {
		text += " (input hidden)"
	}
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
