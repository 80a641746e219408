package cli

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh"
)

// fakeUser answers prompts in order and records them.
type fakeUser struct {
	answers []string
	asked   []string
}

func (p *fakeUser) ask(_ context.Context, title, text string, secret bool) (string, error) {
	p.asked = append(p.asked, fmt.Sprintf("%s | %s | %v", title, text, secret))
	if len(p.answers) == 0 {
		return "", errors.New("no answer")
	}
	s := p.answers[0]
	p.answers = p.answers[1:]
	return s, nil
}

// prompterFor returns a prompter that sends its prompts to p, as it does while the UI runs.
func prompterFor(p *fakeUser) *prompter {
	a := &prompter{}
	a.useUI(uiPrompts{ask: p.ask})
	return a
}

func TestPromptsNameTheHost(t *testing.T) {
	key := ssh.HostKey{Address: "10.0.0.7:22", Type: "ssh-ed25519", Fingerprint: "SHA256:abc"}
	for name, c := range map[string]struct {
		answers []string
		put     func(p ssh.Prompts) (any, error)
		want    any
		asked   []string
	}{
		"passphrase": {
			[]string{"sesame"},
			func(p ssh.Prompts) (any, error) { return p.Passphrase(t.Context(), "web1", "/k/id", false) },
			"sesame", []string{"web1 | passphrase for key /k/id | true"},
		},
		"passphrase again": {
			[]string{"sesame"},
			func(p ssh.Prompts) (any, error) { return p.Passphrase(t.Context(), "web1", "/k/id", true) },
			"sesame", []string{"web1 | Wrong passphrase, try again; passphrase for key /k/id | true"},
		},
		"password": {
			[]string{"pw"},
			func(p ssh.Prompts) (any, error) { return p.Password(t.Context(), "web1", "ann", true) },
			"pw", []string{"web1 | Wrong password, try again; password for ann | true"},
		},
		"keyboard-interactive": {
			[]string{"pw", "123456"},
			func(p ssh.Prompts) (any, error) {
				return p.Questions(t.Context(), "web1", ssh.Questions{
					Name: "Two factors", Instruction: "Both, please.",
					Questions: []ssh.Question{{Text: "Password: "}, {Text: "Code:", Echo: true}},
				})
			},
			[]string{"pw", "123456"},
			[]string{"web1 | Two factors\nBoth, please.\nPassword | true", "web1 | Code | false"},
		},
		"host key": {
			[]string{"perhaps", " YES "},
			func(p ssh.Prompts) (any, error) { return p.HostKey(t.Context(), "web1", key) },
			true,
			[]string{
				"web1 | 10.0.0.7:22 is not in known_hosts. Fingerprint:\nssh-ed25519 SHA256:abc\nTrust this host? (yes/no) | false",
				"web1 | Please type yes or no | false",
			},
		},
		"host key, one letter is an answer": {
			[]string{"Y"},
			func(p ssh.Prompts) (any, error) { return p.HostKey(t.Context(), "web1", key) },
			true,
			[]string{"web1 | 10.0.0.7:22 is not in known_hosts. Fingerprint:\nssh-ed25519 SHA256:abc\nTrust this host? (yes/no) | false"},
		},
		"host key, an empty answer is none": {
			[]string{"", "n"},
			func(p ssh.Prompts) (any, error) { return p.HostKey(t.Context(), "web1", key) },
			false,
			[]string{"web1 | 10.0.0.7:22 is not in known_hosts. Fingerprint:\nssh-ed25519 SHA256:abc\nTrust this host? (yes/no) | false", "web1 | Please type yes or no | false"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := &fakeUser{answers: c.answers}
			got, err := c.put(prompterFor(p).prompts())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("answer (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(c.asked, p.asked); diff != "" {
				t.Errorf("asked (-want +got)\n%s", diff)
			}
		})
	}
}

// The UI offers a yes and a no button instead of a line of text.
func TestUIConfirmsHostKey(t *testing.T) {
	for _, trusted := range []bool{true, false} {
		var asked string
		a := &prompter{}
		a.useUI(uiPrompts{confirm: func(_ context.Context, title, text, yes string) (bool, error) {
			asked = title + " | " + text + " | " + yes
			return trusted, nil
		}})
		got, err := a.prompts().HostKey(t.Context(), "web1", ssh.HostKey{Address: "10.0.0.7:22", Type: "ssh-ed25519", Fingerprint: "SHA256:abc"})
		if got != trusted || err != nil {
			t.Errorf("HostKey = %v, %v", got, err)
		}
		if want := "web1 | 10.0.0.7:22 is not in known_hosts. Fingerprint:\nssh-ed25519 SHA256:abc\nTrust this host? | Trust it"; asked != want {
			t.Errorf("asked %q, want %q", asked, want)
		}
	}
}

func TestHostKeyIsNotTrustedWithoutAnswer(t *testing.T) {
	yes, err := prompterFor(&fakeUser{}).prompts().HostKey(t.Context(), "web1", ssh.HostKey{})
	if yes || err == nil {
		t.Errorf("HostKey = %v, %v", yes, err)
	}
}

func TestExplainHosts(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		exit int
		hint string
	}{
		"error with a hint": {
			&engine.Error{Op: "start", Err: &ssh.HostError{Host: "web1", Err: errors.New("refused"), Hint: "see ssh-add -l"}}, exitHost, "see ssh-add -l",
		},
		"error without a hint": {&ssh.HostError{Host: "web 1", Err: errors.New("refused")}, exitHost, "Diagnose: hob hosts check 'web 1'"},
		"no terminal to ask on": {
			&ssh.HostError{Host: "web1", Err: unanswered(errNoTerminal, "a %s", "key", "ssh-add it"), Hint: "other"}, exitHost, "ssh-add it",
		},
		"Ctrl+C": {&ssh.HostError{Host: "web1", Err: unanswered(errInterrupted, "a %s", "key", "ssh-add it")}, exitBroken, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := explain(c.err)
			if f.exit != c.exit || f.hint != c.hint {
				t.Errorf("explain(%v) = exit %d, hint %q; want %d, %q", c.err, f.exit, f.hint, c.exit, c.hint)
			}
		})
	}
}
