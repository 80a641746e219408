package client

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
)

// Prompts has the functions of ssh.Prompts, which describes them. This package cannot import that one.
type Prompts struct {
	Passphrase func(ctx context.Context, host, file string, again bool) (string, error)
	Password   func(ctx context.Context, host, user string, again bool) (string, error)
	Questions  func(ctx context.Context, host string, q Questions) ([]string, error)
	HostKey    func(ctx context.Context, host string, k HostKey) (bool, error)
}

// asker prompts on behalf of one host, under the name that the user configured.
type asker struct {
	Prompts
	host string
}

// none reports whether nothing can be asked.
func (p asker) none() bool {
	asksForSecrets := p.Passphrase != nil || p.Password != nil
	return !asksForSecrets && p.Questions == nil && p.HostKey == nil
}

// Questions is one round of questions of a server.
type Questions struct {
	User, Name, Instruction string
	Questions               []Question
}

// Question is one of them.
type Question struct {
	Text string
	Echo bool // the answer may be shown
}

// HostKey is the key that an unknown host shows.
type HostKey struct {
	Address     string // host:port that was dialed
	Type        string // "ssh-ed25519"
	Fingerprint string // "SHA256:…"
	File        string // where it would be kept
	// OtherKeys reports that the host is known by keys of other types, so that this one is not
	// simply new.
	OtherKeys bool
}

// Error reports why a host could not be reached.
type Error struct {
	Step  string // config, resolve, connect, host key, authenticate, session
	Err   error
	Final bool // trying again without a person is of no use
	Hint  string

	closed    bool // the host closed the connection without a reason
	exhausted bool // the host ended the login because too many attempts had failed
}

func (e *Error) Error() string { return bounded(e.Err.Error()) }
func (e *Error) Unwrap() error { return e.Err }

// maxText limits what a message repeats of a host's text, such as its banner, in bytes.
const maxText = 2000

// bounded returns the beginning of a host's text.
func bounded(s string) string {
	if len(s) <= maxText {
		return s
	}
	return strings.ToValidUTF8(s[:maxText], "") + "…"
}

// A server closes a connection that is not authenticated in time (LoginGraceTime), which may happen
// while the user is being asked. answers repeats what the user answered on the next connection, so
// that nothing has to be typed twice. Not safe for concurrent use: a host asks one question at a
// time.
type answers struct {
	last    map[string]any  // to each question
	used    map[string]bool // questions of this attempt
	typed   bool            // the user answered a question of this attempt
	guessed bool            // a password or an answer to the server's questions was sent in this attempt
	wrong   bool            // the last one of an earlier attempt was wrong
}

// persist calls connect, which asks the user through p. It calls connect again if the host closed
// the connection after the user had answered a question, or allowed no more attempts after a wrong
// password: keys that were tried before it count as attempts, too.
func persist(p asker, connect func(p asker) (*Transport, error)) (*Transport, error) {
	a := &answers{last: map[string]any{}}
	for p, try := a.over(p), 1; ; try++ {
		a.used, a.typed, a.guessed = map[string]bool{}, false, false
		t, err := connect(p)
		e, ok := errors.AsType[*Error](err)
		switch {
		case !ok || try == maxTries:
			return t, err
		case e.exhausted && a.guessed:
			a.forgetGuesses()
		case !e.closed || !a.typed:
			return t, err
		}
	}
}

const passwordOf, questionsOf = "password ", "questions "

// forgetGuesses makes the next attempt ask the user for what was wrong.
func (a *answers) forgetGuesses() {
	a.wrong = true
	maps.DeleteFunc(a.last, func(question string, _ any) bool {
		return strings.HasPrefix(question, passwordOf) || strings.HasPrefix(question, questionsOf)
	})
}

// over returns p with the answers of earlier attempts.
func (a *answers) over(p asker) asker {
	if ask := p.Passphrase; ask != nil {
		p.Passphrase = func(ctx context.Context, host, file string, again bool) (string, error) {
			return answer(a, "passphrase "+file, func() (string, error) { return ask(ctx, host, file, again) })
		}
	}
	if ask := p.Password; ask != nil {
		p.Password = func(ctx context.Context, host, user string, again bool) (string, error) {
			a.guessed = true
			return answer(a, passwordOf+user, func() (string, error) { return ask(ctx, host, user, again || a.wrong) })
		}
	}
	if ask := p.Questions; ask != nil {
		p.Questions = func(ctx context.Context, host string, q Questions) ([]string, error) {
			a.guessed = true
			return answer(a, fmt.Sprintf("%s%+v", questionsOf, q), func() ([]string, error) { return ask(ctx, host, q) })
		}
	}
	if ask := p.HostKey; ask != nil {
		p.HostKey = func(ctx context.Context, host string, k HostKey) (bool, error) {
			return answer(a, "host key "+k.Fingerprint, func() (bool, error) { return ask(ctx, host, k) })
		}
	}
	return p
}

// answer returns the last answer to a question. If that was already used in this attempt it was
// wrong, and the user is asked.
func answer[T any](a *answers, question string, ask func() (T, error)) (T, error) {
	last, ok := a.last[question].(T)
	if ok && !a.used[question] {
		a.used[question] = true
		return last, nil
	}
	s, err := ask()
	if err == nil {
		a.last[question], a.used[question], a.typed = s, true, true
	}
	return s, err
}
