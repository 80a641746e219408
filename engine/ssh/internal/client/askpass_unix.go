//go:build unix

package client

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
)

// askpass answers what the ssh program asks. That runs a script of ours for each
// question, which passes it on through one pipe and reads the answer from
// another, both in a directory of ours.
type askpass struct {
	script string
	asked  *os.File
	answer *os.File
	p      asker
	done   chan struct{}

	mu   sync.Mutex // guards what follows
	last string     // question
	err  error      // the prompt that the user declined
}

// The script prints the answer, which begins with a plus; anything else is a
// refusal. What is only to be shown (touch the key) is shown until it is killed.
const askpassScript = `#!/bin/sh
d=${0%/*}
printf '%s\n%s\000' "${SSH_ASKPASS_PROMPT:-ask}" "$1" >"$d/asked"
[ "${SSH_ASKPASS_PROMPT-}" = none ] && exec sleep 600
IFS= read -r a <"$d/answer"
case $a in +*) printf '%s\n' "${a#+}" ;; *) exit 1 ;; esac
`

const quitKind = "quit"

func newAskpass(ctx context.Context, dir string, p asker) (*askpass, error) {
	a := &askpass{script: filepath.Join(dir, "ask"), p: p, done: make(chan struct{})}
	if err := os.WriteFile(a.script, []byte(askpassScript), 0o700); err != nil {
		return nil, err
	}
	var err error
	for name, f := range map[string]**os.File{"asked": &a.asked, "answer": &a.answer} {
		file := filepath.Join(dir, name)
		if mkErr := syscall.Mkfifo(file, 0o600); mkErr != nil {
			err = errors.Join(err, mkErr)
			continue
		}
		// Both ways, so that neither opening nor writing waits for the script.
		opened, openErr := os.OpenFile(file, os.O_RDWR, 0)
		*f, err = opened, errors.Join(err, openErr)
	}
	if err != nil {
		if a.asked != nil {
			a.asked.Close()
		}
		if a.answer != nil {
			a.answer.Close()
		}
		return nil, err
	}
	go a.serve(ctx) // close waits for it
	return a, nil
}

func (a *askpass) serve(ctx context.Context) {
	defer close(a.done)
	r := bufio.NewReader(a.asked)
	for {
		message, err := r.ReadString(0)
		if err != nil {
			return
		}
		kind, text, _ := strings.Cut(strings.TrimSuffix(message, "\x00"), "\n")
		switch kind {
		case quitKind:
			return
		case "none": // a message, such as that a security key is to be touched
			limitOf(ctx).involve()
			continue
		}
		s, err := a.put(ctx, text)
		reply := "+" + s + "\n"
		if err != nil || strings.ContainsAny(s, "\r\n") {
			reply = "-\n"
			a.mu.Lock()
			if a.err == nil {
				a.err = err
			}
			a.mu.Unlock()
		}
		if _, err := io.WriteString(a.answer, reply); err != nil {
			return
		}
	}
}

// wordings are how ssh asks things of a person. They are compiled when it does: every start
// of a program that links this package would pay for it.
type wordings struct{ passphrase, password, stranger *regexp.Regexp }

var asking = sync.OnceValue(func() wordings {
	return wordings{
		passphrase: regexp.MustCompile(`^Enter passphrase for key '(.*)': *$`),
		password:   regexp.MustCompile(`^(.*)@.*'s password: *$`),
		stranger:   regexp.MustCompile(`(?s)^The authenticity of host '(\S+)[^']*'.*?(\S+) key fingerprint is:? (SHA256:[A-Za-z0-9+/=]+)`),
	}
})

var errUnasked = errors.New("a prompt is not possible")

// put puts one question to the person.
func (a *askpass) put(ctx context.Context, text string) (string, error) {
	a.mu.Lock()
	again := text == a.last
	a.last = text
	a.mu.Unlock()
	if m := asking().passphrase.FindStringSubmatch(text); m != nil && a.p.Passphrase != nil {
		return a.p.Passphrase(ctx, a.p.host, m[1], again)
	}
	if m := asking().password.FindStringSubmatch(text); m != nil && a.p.Password != nil {
		return a.p.Password(ctx, a.p.host, m[1], again)
	}
	if m := asking().stranger.FindStringSubmatch(text); m != nil {
		if a.p.HostKey == nil {
			return "", errUnasked
		}
		yes, err := a.p.HostKey(ctx, a.p.host, HostKey{Address: m[1], Type: m[2], Fingerprint: m[3]})
		if yes && err == nil {
			return "yes", nil
		}
		return "no", err
	}
	if a.p.Questions == nil {
		return "", errUnasked
	}
	answers, err := a.p.Questions(ctx, a.p.host, Questions{Questions: []Question{{Text: text, Echo: strings.Contains(text, "yes/no")}}})
	if err != nil || len(answers) != 1 {
		return "", errors.Join(err, errUnasked)
	}
	return answers[0], nil
}

// refusal returns the prompt that the user declined.
func (a *askpass) refusal() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}

func (a *askpass) close() {
	if a == nil {
		return
	}
	// Its reader may not be woken by closing everywhere.
	io.WriteString(a.asked, quitKind+"\n\x00") //nolint:errcheck // a pipe that is open both ways
	<-a.done
	a.asked.Close()
	a.answer.Close()
}
