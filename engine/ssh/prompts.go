package ssh

import (
	"context"

	"github.com/hobjobs/hob/engine/ssh/internal/client"
)

// Prompts is how the user is prompted. Each function may be nil: then that question cannot be
// answered. They are called from goroutines of the backend: one at a time for each host, and
// concurrently for different hosts. host is the name under which the user configured the host, so that
// a prompt shows where it comes from. An error ends the attempt to connect; the context ends when the
// caller gives up.
type Prompts struct {
	// Passphrase asks for the passphrase of the key in file. again: the one before was wrong.
	Passphrase func(ctx context.Context, host, file string, again bool) (string, error)
	// Password asks for user's password. again: the one before was wrong.
	Password func(ctx context.Context, host, user string, again bool) (string, error)
	// Questions asks the server's questions (keyboard-interactive).
	Questions func(ctx context.Context, host string, q Questions) ([]string, error)
	// HostKey asks whether the key of a host that is not known is to be trusted; it is then added
	// to known_hosts.
	HostKey func(ctx context.Context, host string, k HostKey) (bool, error)
}

// Questions is one round of questions of a server.
type Questions struct {
	User, Name, Instruction string
	Questions               []Question
}

// Question is one question of [Questions].
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

// forClient returns p with the types of the package that connects, which cannot import this one.
func (p Prompts) forClient() client.Prompts {
	prompts := client.Prompts{Passphrase: p.Passphrase, Password: p.Password}
	if p.Questions != nil {
		prompts.Questions = func(ctx context.Context, host string, q client.Questions) ([]string, error) {
			asked := Questions{User: q.User, Name: q.Name, Instruction: q.Instruction}
			for _, one := range q.Questions {
				asked.Questions = append(asked.Questions, Question(one))
			}
			return p.Questions(ctx, host, asked)
		}
	}
	if p.HostKey != nil {
		prompts.HostKey = func(ctx context.Context, host string, k client.HostKey) (bool, error) {
			return p.HostKey(ctx, host, HostKey(k))
		}
	}
	return prompts
}
