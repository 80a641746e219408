package client

import "context"

// Prompts is how the user is prompted. Each function may be nil: then that question cannot be
// answered. host is the name under which the user configured the host, so that a prompt shows where
// it comes from. An error ends the attempt to connect; the context ends when the caller gives up.
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

// asker prompts on behalf of one host, under the name that the user configured.
type asker struct {
	Prompts
	host string
}

// none reports whether nothing can be asked.
func (p asker) none() bool {
	return p.Passphrase == nil && p.Password == nil && p.Questions == nil && p.HostKey == nil
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

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }
