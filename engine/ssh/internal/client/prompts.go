package client

import "context"

// Prompts is how a person is asked about one host. Nil functions cannot answer.
type Prompts struct {
	Passphrase func(ctx context.Context, file string, again bool) (string, error)
	Password   func(ctx context.Context, user string, again bool) (string, error)
	Questions  func(ctx context.Context, q Questions) ([]string, error)
	HostKey    func(ctx context.Context, k HostKey) (bool, error)
	Banner     func(text string)
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
	Address     string // host:port that was dialled
	Type        string // "ssh-ed25519"
	Fingerprint string // "SHA256:…"
	File        string // where it would be kept
	// OtherKeys says that the host is known by keys of other types, so that this
	// one is not simply new.
	OtherKeys bool
}

// Error says why a host could not be reached.
type Error struct {
	Step  string // config, resolve, connect, host key, authenticate, session
	Err   error
	Final bool // trying again without a person is of no use
	Hint  string
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }
