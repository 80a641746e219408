// Package sshtest provides SSH servers for tests: one in the test's own process, which behaves like
// OpenSSH or dropbear and injects faults on demand, and the real ones if they are installed. Each has
// its own keys, and a client configuration that connects to it and to nothing else.
package sshtest

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// NewKey generates a key.
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

// KeyFile is [MakeKeyFile] for a test.
func KeyFile(t testing.TB, file, passphrase string) ssh.PublicKey {
	t.Helper()
	public, err := MakeKeyFile(file, passphrase)
	if err != nil {
		t.Fatal(err)
	}
	return public
}

// MakeKeyFile writes a new private key to a file, encrypted if passphrase is not empty, and the
// public key to file.pub.
func MakeKeyFile(file, passphrase string) (ssh.PublicKey, error) {
	pub, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	block, err := ssh.MarshalPrivateKey(key, "")
	if passphrase != "" {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte(passphrase))
	}
	if err != nil {
		return nil, err
	}
	public, err := ssh.NewPublicKey(pub)
	if err != nil {
		return nil, err
	}
	return public, errors.Join(
		os.WriteFile(file, pem.EncodeToMemory(block), 0o600),
		os.WriteFile(file+".pub", ssh.MarshalAuthorizedKey(public), 0o600))
}

// Write creates a file that only its owner can access.
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

// NewClient creates a client configuration without hosts.
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

// AddHost adds a host. Lines in extra override the default configuration.
func (c *Client) AddHost(t testing.TB, name, addr string, extra ...string) {
	t.Helper()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	lines := append([]string{"Host " + name}, extra...)
	lines = append(lines,
		"HostName "+host, "Port "+port, "IdentityFile "+c.Identity, "IdentitiesOnly yes", "IdentityAgent none",
		"UserKnownHostsFile "+c.KnownHosts, "GlobalKnownHostsFile /dev/null", "StrictHostKeyChecking yes", "ControlPath none",
		"ConnectTimeout 60") // of a machine under load
	c.append(t, c.ConfigFile, strings.Join(lines, "\n  ")+"\n")
}

// Know adds a line for addr to known_hosts, with a marker such as @revoked if marker is not empty.
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
