package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/hobjobs/hob/engine/ssh/internal/hostconf"
	"github.com/hobjobs/hob/internal/plainfile"
)

const maxTries = 3

// auth is one attempt to authenticate.
type auth struct {
	ctx   context.Context // of the one attempt that this value lives for
	d     *Dialer
	c     *hostconf.Config
	p     asker
	line  *counted
	begun bool  // the host's identity is verified
	err   error // what the user, or a key, refused
	tried []attempt
	// allowed are the methods that the server accepts next; passed are those that have succeeded, where
	// it requires another one as well.
	allowed, passed []string
	agent           *keyAgent
	keysTried       bool
}

func newAuth(ctx context.Context, d *Dialer, c *hostconf.Config, p asker) *auth {
	if c.BatchMode {
		p.Passphrase, p.Password, p.Questions = nil, nil, nil
	}
	return &auth{ctx: ctx, d: d, c: c, p: p}
}

func (a *auth) close() {
	if a.agent != nil {
		a.agent.close()
	}
}

// methods are the ways to authenticate, in order. Keys of the agent and of files
// are one method: of each only the first would be used.
func (a *auth) methods() []ssh.AuthMethod {
	tries := maxTries
	if n := a.c.PasswordPrompts; n > 0 {
		tries = min(n, maxTries)
	}
	byName := map[string]ssh.AuthMethod{}
	if !a.c.NoPubkey {
		byName["publickey"] = ssh.PublicKeysCallback(a.signers)
	}
	if a.p.Questions != nil && !a.c.NoQuestions {
		byName["keyboard-interactive"] = ssh.RetryableAuthMethod(ssh.KeyboardInteractive(a.answer), tries)
	}
	if a.p.Password != nil && !a.c.NoPassword {
		asked := false
		byName["password"] = ssh.RetryableAuthMethod(ssh.PasswordCallback(func() (string, error) {
			again := asked
			asked = true
			a.try("password")
			s, err := a.p.Password(a.ctx, a.p.host, a.c.User, again)
			return s, a.note(err)
		}), tries)
	}
	order := a.c.Preferred
	if order == nil {
		order = []string{"publickey", "keyboard-interactive", "password"}
	}
	var ms []ssh.AuthMethod
	for _, name := range order {
		if m := byName[name]; m != nil {
			ms = append(ms, m)
		}
	}
	return ms
}

// next notes what the server takes, before each method that is tried and when none is
// left. It chooses none itself. Once the connection has ended it fails: the next method would ask
// the user in vain.
func (a *auth) next(c *ssh.ClientAuthContext) (ssh.AuthMethod, error) {
	if a.line.ended.Load() {
		return nil, io.ErrUnexpectedEOF
	}
	a.allowed, a.passed = c.AllowedMethods, c.PartialSuccessMethods
	asks := a.p.Questions != nil || a.p.Password != nil
	keysAreNext := !a.c.NoPubkey && !a.keysTried && slices.Contains(c.AllowedMethods, "publickey")
	if asks && !keysAreNext { // the server may wait for the user without asking, as for a confirmation on a phone
		limitOf(a.ctx).involve()
	}
	return nil, nil
}

// rejected describes the answer of the user that the server has just rejected; it is empty if there was
// none.
func (a *auth) rejected() string {
	if n := len(a.tried); n > 0 {
		switch a.tried[n-1].what {
		case "password":
			return "wrong password"
		case "keyboard-interactive":
			return "wrong answers"
		}
	}
	return ""
}

// wanted returns which interactive authentication the server would accept if the user could be
// prompted; empty: none. Keyboard-interactive is not started to find out: that may send a message
// to the user's phone.
func (a *auth) wanted() string {
	switch {
	case slices.Contains(a.allowed, "password") && a.p.Password == nil && !a.c.NoPassword:
		return "a password"
	case slices.Contains(a.allowed, "keyboard-interactive") && a.p.Questions == nil && !a.c.NoQuestions:
		return "answers to its questions"
	}
	return ""
}

// try notes what was tried, for the error; what is tried several times in a row
// is counted.
func (a *auth) try(what string) {
	if n := len(a.tried); n > 0 && a.tried[n-1].what == what {
		a.tried[n-1].times++
		return
	}
	a.tried = append(a.tried, attempt{what, 1})
}

type attempt struct {
	what  string
	times int
}

func (t attempt) String() string {
	if t.times == 1 {
		return t.what
	}
	return fmt.Sprintf("%s %d times", t.what, t.times)
}

func (a *auth) note(err error) error {
	if err != nil && a.err == nil {
		a.err = err
	}
	return err
}

func (a *auth) answer(name, instruction string, questions []string, echos []bool) ([]string, error) {
	if len(questions) == 0 {
		return nil, nil
	}
	a.try("keyboard-interactive")
	q := Questions{
		User:        a.c.User,
		Name:        bounded(name),
		Instruction: bounded(instruction),
	}
	for i, text := range questions {
		q.Questions = append(q.Questions, Question{Text: bounded(text), Echo: i < len(echos) && echos[i]})
	}
	answers, err := a.p.Questions(a.ctx, a.p.host, q)
	return answers, a.note(err)
}

// signers returns the keys to offer. A server limits how many it accepts to see, so the likely ones come
// first: those of IdentityFile that the agent has, then the other ones of IdentityFile, then the other
// ones of the agent.
func (a *auth) signers() ([]ssh.Signer, error) {
	a.keysTried = true
	inAgent := a.fromAgent()
	var first, files []ssh.Signer
	used := map[string]bool{}
	take := func(list *[]ssh.Signer, s ssh.Signer) {
		if key := string(s.PublicKey().Marshal()); !used[key] {
			used[key] = true
			*list = append(*list, s)
		}
	}
	takeIdentity := func(list *[]ssh.Signer, file string, s ssh.Signer) {
		for _, cert := range a.certificates(file, s.PublicKey()) {
			if cs, err := ssh.NewCertSigner(cert, s); err == nil {
				take(list, cs)
			}
		}
		take(list, s)
	}
	for _, file := range a.c.IdentityFiles {
		pub := publicKey(file)
		if s := withKey(inAgent, pub); s != nil {
			a.try(file + " (agent)")
			takeIdentity(&first, file, s)
		} else if s := a.fromFile(file, pub); s != nil {
			a.try(file)
			takeIdentity(&files, file, s)
		}
	}
	all := append(first, files...)
	if !a.c.IdentitiesOnly {
		var rest []ssh.Signer
		for _, s := range inAgent {
			take(&rest, s)
		}
		if len(rest) > 0 {
			a.try(fmt.Sprintf("%d more of the agent", len(rest)))
		}
		all = append(all, rest...)
	}
	return all, nil
}

// fromAgent returns the keys of the agent, which stays open because it does the signing.
func (a *auth) fromAgent() []ssh.Signer {
	if a.c.Agent == "" {
		return nil
	}
	if a.agent == nil {
		opened, err := openAgent(a.ctx, a.c.Agent)
		if err != nil {
			return nil
		}
		a.agent = opened
	}
	signers, err := a.agent.signers()
	if err != nil {
		a.try("the agent (no response)")
		return nil
	}
	for i, s := range signers {
		if s, ok := s.(ssh.AlgorithmSigner); ok {
			signers[i] = agentKey{s, limitOf(a.ctx)}
		}
	}
	return signers
}

// maxKeyFile limits the size of a file with one key, in bytes.
const maxKeyFile = 1 << 20

// publicKey reads FILE.pub, or FILE itself if that is a public key.
func publicKey(file string) ssh.PublicKey {
	for _, name := range []string{file + ".pub", file} {
		data, err := plainfile.ReadLinked(name, maxKeyFile)
		if err != nil {
			continue
		}
		if pub, _, _, _, err := ssh.ParseAuthorizedKey(data); err == nil {
			return pub
		}
	}
	return nil
}

// certificates are those for the key: CertificateFile, and the one beside it.
func (a *auth) certificates(file string, pub ssh.PublicKey) []*ssh.Certificate {
	var certs []*ssh.Certificate
	for _, name := range append([]string{file + "-cert.pub"}, a.c.CertificateFiles...) {
		data, err := plainfile.ReadLinked(name, maxKeyFile)
		if err != nil {
			continue
		}
		key, _, _, _, err := ssh.ParseAuthorizedKey(data)
		if cert, ok := key.(*ssh.Certificate); err == nil && ok && bytes.Equal(cert.Key.Marshal(), pub.Marshal()) {
			certs = append(certs, cert)
		}
	}
	return certs
}

// fromFile is the key in file; one that is encrypted is decrypted when the server
// wants it.
func (a *auth) fromFile(file string, pub ssh.PublicKey) ssh.Signer {
	a.d.mu.Lock()
	s := a.d.keys[file]
	a.d.mu.Unlock()
	if s != nil {
		return s
	}
	data, err := plainfile.ReadLinked(file, maxKeyFile)
	if err != nil {
		return nil
	}
	s, err = ssh.ParsePrivateKey(data)
	if err == nil {
		return s
	}
	missing, ok := errors.AsType[*ssh.PassphraseMissingError](err)
	if !ok {
		return nil
	}
	if missing.PublicKey != nil {
		pub = missing.PublicKey
	}
	if pub == nil {
		return nil // an old format without its .pub beside it
	}
	return &lockedKey{a: a, file: file, data: data, pub: pub}
}

// lockedKey is an encrypted key: its passphrase is asked for when it is to sign.
type lockedKey struct {
	a    *auth
	file string
	data []byte
	pub  ssh.PublicKey
}

func (k *lockedKey) PublicKey() ssh.PublicKey { return k.pub }

func (k *lockedKey) Sign(r io.Reader, data []byte) (*ssh.Signature, error) {
	return k.SignWithAlgorithm(r, data, "")
}

func (k *lockedKey) SignWithAlgorithm(r io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	s, err := k.unlock()
	if err != nil {
		return nil, k.a.note(err)
	}
	as, ok := s.(ssh.AlgorithmSigner)
	if !ok || algorithm == "" {
		return s.Sign(r, data)
	}
	return as.SignWithAlgorithm(r, data, algorithm)
}

// unlock asks for the passphrase and decrypts the key. Decrypting can take seconds, as a key may be
// protected by much work; the host has no part in either.
func (k *lockedKey) unlock() (ssh.Signer, error) {
	if k.a.p.Passphrase == nil {
		return nil, fmt.Errorf("the key %s is encrypted, and its passphrase cannot be prompted for", k.file)
	}
	defer limitOf(k.a.ctx).hold()()
	for try := range maxTries {
		pass, err := k.a.p.Passphrase(k.a.ctx, k.a.p.host, k.file, try > 0)
		if err != nil {
			return nil, err
		}
		s, err := ssh.ParsePrivateKeyWithPassphrase(k.data, []byte(pass))
		if err == nil {
			k.a.d.mu.Lock()
			if k.a.d.keys == nil {
				k.a.d.keys = map[string]ssh.Signer{}
			}
			k.a.d.keys[k.file] = s
			k.a.d.mu.Unlock()
			return s, nil
		}
	}
	return nil, fmt.Errorf("no passphrase opened the key %s", k.file)
}

// refused returns why authentication failed.
func (a *auth) refused(err error) error {
	tried := "no credentials to try"
	if len(a.tried) > 0 {
		words := make([]string, len(a.tried))
		for i, t := range a.tried {
			words[i] = t.String()
		}
		tried = "tried " + strings.Join(words, ", ")
	} else if len(a.allowed) > 0 {
		tried += "; the server accepts " + strings.Join(a.allowed, ", ")
	}
	alias := a.c.Alias
	e := &Error{
		Step:  "authenticate",
		Final: true,
		Hint:  "check whether ssh " + alias + " works; ssh-add -l lists the agent's keys",
	}
	switch wanted := a.wanted(); {
	case a.err != nil:
		e.Err = fmt.Errorf("log in as %s: %w", a.c.User, a.err)
	case strings.Contains(err.Error(), "authentication failures"):
		e.exhausted = true
		e.Err = fmt.Errorf("log in as %s: too many authentication failures (%s)", a.c.User, tried)
		if wrong := a.rejected(); wrong != "" {
			e.Err = fmt.Errorf("log in as %s: %s, and the host allows no more attempts (%s)", a.c.User, wrong, tried)
		}
		e.Hint = "keys count as attempts: set IdentitiesOnly yes and IdentityFile for this host"
	case wanted != "" && len(a.passed) > 0:
		e.Err = fmt.Errorf("log in as %s: the %s was accepted, and the server also requires %s", a.c.User, strings.ReplaceAll(a.passed[0], "publickey", "key"), wanted)
		e.Hint = a.howToBeAsked("")
	case wanted != "":
		e.Err = fmt.Errorf("log in as %s: the server requires %s (%s)", a.c.User, wanted, tried)
		e.Hint = a.howToBeAsked("; or set up a key: ssh-copy-id " + alias)
	default:
		e.Err = fmt.Errorf("log in as %s: refused (%s)", a.c.User, tried)
	}
	return e
}

// howToBeAsked is the hint for a host that wants something of a person.
func (a *auth) howToBeAsked(or string) string {
	if a.c.BatchMode {
		return "BatchMode in the ssh configuration forbids prompts" + or
	}
	return "run hob hosts check " + a.c.Alias + " on a terminal, or press Enter on a job in the UI" + or
}
