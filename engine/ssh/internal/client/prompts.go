package client

import "context"

// Prompts is how a person is asked; see the type of the same name in package ssh.
type Prompts struct {
	Passphrase func(ctx context.Context, host, file string, again bool) (string, error)
	Password   func(ctx context.Context, host, user string, again bool) (string, error)
	Questions  func(ctx context.Context, host string, q Questions) ([]string, error)
	HostKey    func(ctx context.Context, host string, k HostKey) (bool, error)
	Banner     func(host, text string)
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
