package ssh

import (
	"context"

	"github.com/hobjobs/hob/engine/ssh/internal/client"
)

// Prompts is how a person is asked. Each function may be nil: then that question
// cannot be answered. They are called from goroutines of the backend, for one
// host one at a time, but for several hosts at once; host is the name that the
// user knows the host by, so that a question shows who asks. An error ends the
// attempt to connect; the context ends when the caller gives up.
type Prompts struct {
	// Passphrase asks for the passphrase of the key in file. again: the one
	// before was wrong.
	Passphrase func(ctx context.Context, host, file string, again bool) (string, error)
	// Password asks for user's password. again: the one before was wrong.
	Password func(ctx context.Context, host, user string, again bool) (string, error)
	// Questions asks what the server wants to know (keyboard-interactive).
	Questions func(ctx context.Context, host string, q Questions) ([]string, error)
	// HostKey asks whether the key of a host that is not known is to be trusted;
	// it is then added to known_hosts.
	HostKey func(ctx context.Context, host string, k HostKey) (bool, error)
	// Banner shows what the server says before somebody is authenticated. It
	// must not block.
	Banner func(host, text string)
}

// Questions is one round of questions of a server.
type Questions = client.Questions

// Question is one of them.
type Question = client.Question

// HostKey is the key that an unknown host shows.
type HostKey = client.HostKey

// bind is p for one host.
func (p Prompts) bind(host string) client.Prompts {
	var c client.Prompts
	if p.Passphrase != nil {
		c.Passphrase = func(ctx context.Context, file string, again bool) (string, error) {
			return p.Passphrase(ctx, host, file, again)
		}
	}
	if p.Password != nil {
		c.Password = func(ctx context.Context, user string, again bool) (string, error) {
			return p.Password(ctx, host, user, again)
		}
	}
	if p.Questions != nil {
		c.Questions = func(ctx context.Context, q Questions) ([]string, error) { return p.Questions(ctx, host, q) }
	}
	if p.HostKey != nil {
		c.HostKey = func(ctx context.Context, k HostKey) (bool, error) { return p.HostKey(ctx, host, k) }
	}
	if p.Banner != nil {
		c.Banner = func(text string) { p.Banner(host, text) }
	}
	return c
}
