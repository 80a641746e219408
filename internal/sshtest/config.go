// Package sshtest is SSH servers for tests: one in the test's own process, with
// the manners of OpenSSH or of dropbear and with faults on demand, a bad network
// before any of them, and the real ones where they are installed. Each has its own
// keys, and a client configuration that leads to it and to nothing else.
package sshtest

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// NewKey makes a key.
func NewKey(t testing.TB) ssh.Signer {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// KeyFile makes a key in a file, encrypted if passphrase is not empty, with its
// public half beside it.
func KeyFile(t testing.TB, file, passphrase string) ssh.PublicKey {
	t.Helper()
	pub, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var block *pem.Block
	if passphrase == "" {
		block, err = ssh.MarshalPrivateKey(key, "")
	} else {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte(passphrase))
	}
	if err != nil {
		t.Fatal(err)
	}
	public, err := ssh.NewPublicKey(pub)
	if err != nil {
		t.Fatal(err)
	}
	Write(t, file, string(pem.EncodeToMemory(block)))
	Write(t, file+".pub", string(ssh.MarshalAuthorizedKey(public)))
	return public
}

// Write makes a file that is nobody else's business.
func Write(t testing.TB, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Client is a client's configuration.
type Client struct {
	Dir        string
	ConfigFile string
	KnownHosts string
	Identity   string // file of a key without passphrase
	Public     ssh.PublicKey
}

// NewClient makes a configuration that knows no host yet.
func NewClient(t testing.TB) *Client {
	t.Helper()
	dir := t.TempDir()
	c := &Client{
		Dir: dir, ConfigFile: filepath.Join(dir, "config"), KnownHosts: filepath.Join(dir, "known_hosts"), Identity: filepath.Join(dir, "id"),
	}
	c.Public = KeyFile(t, c.Identity, "")
	Write(t, c.ConfigFile, "")
	Write(t, c.KnownHosts, "")
	return c
}

// AddHost adds a host with extra lines of configuration, which win over the
// usual ones.
func (c *Client) AddHost(t testing.TB, name, addr string, extra ...string) {
	t.Helper()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	lines := append([]string{"Host " + name}, extra...)
	lines = append(lines,
		"HostName "+host, "Port "+port, "IdentityFile "+c.Identity, "IdentitiesOnly yes", "IdentityAgent none",
		"UserKnownHostsFile "+c.KnownHosts, "GlobalKnownHostsFile /dev/null", "StrictHostKeyChecking yes", "ControlPath none")
	c.append(t, c.ConfigFile, strings.Join(lines, "\n  ")+"\n")
}

// Know adds a line for addr to known_hosts; marker may be "" or one such as
// @revoked.
func (c *Client) Know(t testing.TB, marker, addr string, key ssh.PublicKey) {
	t.Helper()
	line := knownhosts.Line([]string{addr}, key)
	if marker != "" {
		line = marker + " " + line
	}
	c.append(t, c.KnownHosts, line+"\n")
}

func (*Client) append(t testing.TB, file, text string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}
