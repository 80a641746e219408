package client

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/skeema/knownhosts"
	"golang.org/x/crypto/ssh"
	xknownhosts "golang.org/x/crypto/ssh/knownhosts"

	"github.com/hobjobs/hob/engine/ssh/internal/hostconf"
	"github.com/hobjobs/hob/internal/plainfile"
)

// hostKeys judges the key of one host by known_hosts.
type hostKeys struct {
	c    *hostconf.Config
	db   knownKeys
	ask  func(HostKey) (bool, error)
	err  error // why the key was refused
	addr string
	// shown: the host has shown a key.
	shown bool
}

func newHostKeys(c *hostconf.Config) (*hostKeys, error) {
	k := &hostKeys{c: c, addr: c.KeyAddress()}
	var err error
	if k.db, err = readKnownKeys(c.KnownHosts); err != nil {
		return nil, err
	}
	return k, nil
}

// algorithms are those of the keys that the host is known by: a server shows one
// key of several, and of another type it would look like a changed one.
func (k *hostKeys) algorithms() []string {
	if of := k.db.HostKeyAlgorithms(k.addr); len(of) > 0 {
		var certs, plain []string
		for _, a := range of {
			if strings.Contains(a, "-cert-") {
				certs = append(certs, a)
			} else {
				plain = append(plain, a)
			}
		}
		if len(plain) == 0 {
			// Only an authority is known; a host without a certificate is unknown
			// and can still be accepted.
			return append(certs, ssh.SupportedAlgorithms().HostKeys...)
		}
		return append(certs, plain...)
	}
	return known(k.c.HostKeyAlgos, ssh.SupportedAlgorithms().HostKeys)
}

func (k *hostKeys) fail(err error, hint string) error {
	k.err = &Error{
		Step:  "host key",
		Err:   err,
		Final: true,
		Hint:  hint,
	}
	return k.err
}

// check accepts or refuses the host's key. The address is checked by name, as
// `CheckHostIP no` does, so that a hop behind a jump needs no address.
func (k *hostKeys) check(key ssh.PublicKey) error {
	k.shown = true
	err := k.db.HostKeyCallback()(k.addr, &net.TCPAddr{IP: net.IPv4zero}, key)
	if err == nil {
		return nil
	}
	print := ssh.FingerprintSHA256(key)
	if revoked, ok := errors.AsType[*xknownhosts.RevokedError](err); ok {
		return k.fail(fmt.Errorf("the host's key %s is revoked by %s:%d", print, k.db.origin(revoked.Revoked), revoked.Revoked.Line), "do not use this host before it has a new key")
	}
	known, ok := errors.AsType[*xknownhosts.KeyError](err)
	if cert, ok := key.(*ssh.Certificate); ok {
		if err := k.revoked(cert); err != nil {
			return err
		}
		return k.fail(fmt.Errorf("the host's certificate is not signed by an authority in known_hosts: %w", err), "")
	}
	if !ok {
		return k.fail(fmt.Errorf("the host's key: %w", err), "")
	}
	authority := k.onlyAuthorities()
	if len(known.Want) > 0 && !authority {
		w := known.Want[0]
		return k.fail(fmt.Errorf("the host's key has changed: it is %s %s, which differs from %s:%d", key.Type(), print, k.db.origin(w), w.Line),
			fmt.Sprintf("if that is expected, remove the old key: ssh-keygen -R %s", xknownhosts.Normalize(k.addr)))
	}
	return k.unknown(key, print, authority)
}

// revoked refuses a certificate whose key, or whose signing key, is revoked: the library does not
// report which line does.
func (k *hostKeys) revoked(cert *ssh.Certificate) error {
	for what, key := range map[string]ssh.PublicKey{"the key": cert.Key, "the authority": cert.SignatureKey} {
		err := k.db.HostKeyCallback()(k.addr, &net.TCPAddr{IP: net.IPv4zero}, key)
		if r, ok := errors.AsType[*xknownhosts.RevokedError](err); ok {
			return k.fail(fmt.Errorf("%s of the host's certificate, %s, is revoked by %s:%d", what, ssh.FingerprintSHA256(key), k.db.origin(r.Revoked), r.Revoked.Line),
				"do not use this host before it has a new key")
		}
	}
	return nil
}

// onlyAuthorities reports whether only certificate authorities are known for the host, so that a
// plain key is not a changed key but an unknown one.
func (k *hostKeys) onlyAuthorities() bool {
	keys := k.db.HostKeys(k.addr)
	return len(keys) > 0 && !slices.ContainsFunc(keys, func(key knownhosts.PublicKey) bool { return !key.Cert })
}

func (k *hostKeys) unknown(key ssh.PublicKey, print string, authority bool) error {
	file := ""
	if len(k.c.KnownHosts) > 0 {
		file = k.c.KnownHosts[0]
	}
	switch k.c.StrictKeys {
	case "yes":
		return k.fail(fmt.Errorf("the host is unknown: no key of %s is in known_hosts (it presents %s %s)", k.addr, key.Type(), print), "add its key to known_hosts, or connect once with ssh")
	case "accept-new", "no":
		// There is no unchecked key here: what is accepted is written down.
	default:
		if k.ask == nil {
			return k.fail(fmt.Errorf("the host is unknown, and its key cannot be confirmed without a prompt (%s %s)", key.Type(), print), "connect to it once with ssh")
		}
		yes, err := k.ask(HostKey{
			Address:     k.addr,
			Type:        key.Type(),
			Fingerprint: print,
			File:        file,
			OtherKeys:   authority,
		})
		if err != nil {
			return k.fail(err, "")
		}
		if !yes {
			return k.fail(fmt.Errorf("the host is unknown and its key was not accepted (%s %s)", key.Type(), print), "compare the fingerprint with that of the host's own key (there: ssh-keygen -lf /etc/ssh/ssh_host_*.pub)")
		}
	}
	if file == "" {
		return k.fail(errors.New("the host is unknown and there is no known_hosts file to keep its key in"), "set UserKnownHostsFile")
	}
	if err := k.keep(file, key); err != nil {
		return k.fail(fmt.Errorf("keep the host's key: %w", err), "")
	}
	return nil
}

// keep adds the key. The file is only ever appended to, in one write.
func (k *hostKeys) keep(file string, key ssh.PublicKey) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	name := xknownhosts.Normalize(k.addr)
	if k.c.HashKnown {
		name = xknownhosts.HashHostname(name)
	}
	line := name + " " + strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key))) + "\n"
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	// A last line without an end must not swallow ours.
	if fi, statErr := f.Stat(); statErr == nil && fi.Size() > 0 {
		var last [1]byte
		if _, readErr := f.ReadAt(last[:], fi.Size()-1); readErr == nil && last[0] != '\n' {
			line = "\n" + line
		}
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Close())
}

// known returns the part of the configuration's list that is implemented here; nil, the default, if
// they have nothing in common: a host that insists will report it.
func known(asked []string, implemented ...[]string) []string {
	all := slices.Concat(implemented...)
	var out []string
	for _, name := range asked {
		if slices.Contains(all, name) {
			out = append(out, name)
		}
	}
	return out
}

// knownKeys are the keys of known_hosts files. Lines that are not understood are ignored, as ssh
// does: an obsolete protocol, a new kind of key, or half a line.
type knownKeys struct {
	*knownhosts.HostKeyDB
	files map[string]string // the user's file, by the name of its copy
}

// maxKnownHosts limits the size of a known_hosts file, in bytes. Some organizations distribute one with
// all their hosts.
const maxKnownHosts = 64 << 20

// readKnownKeys reads files; those that cannot be read are left out.
func readKnownKeys(files []string) (knownKeys, error) {
	var readable []string
	for _, f := range files {
		if _, err := plainfile.ReadLinked(f, maxKnownHosts); err == nil {
			readable = append(readable, f)
		}
	}
	db, err := knownhosts.NewDB(readable...)
	if err == nil {
		return knownKeys{HostKeyDB: db}, nil
	}
	// The library only reads files, and rejects a file because of one line.
	dir, err := os.MkdirTemp("", "hob-known")
	if err != nil {
		return knownKeys{}, err
	}
	defer os.RemoveAll(dir)
	k := knownKeys{files: map[string]string{}}
	var copies []string
	for i, f := range readable {
		name := filepath.Join(dir, strconv.Itoa(i))
		if err := understood(f, name); err != nil {
			return knownKeys{}, err
		}
		copies, k.files[name] = append(copies, name), f
	}
	k.HostKeyDB, err = knownhosts.NewDB(copies...)
	return k, err
}

// origin is the file of the user's that a key was read from.
func (k knownKeys) origin(key xknownhosts.KnownKey) string {
	if f, ok := k.files[key.Filename]; ok {
		return f
	}
	return key.Filename
}

// understood copies a known_hosts file. Lines that the library rejects become empty, so that the
// numbers of the others stay the same.
func understood(file, to string) error {
	data, err := plainfile.ReadLinked(file, maxKnownHosts)
	if err != nil {
		return err
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	for i, l := range lines {
		if text := bytes.TrimSpace(l); len(text) == 0 || text[0] == '#' {
			continue
		}
		if err := os.WriteFile(to, l, 0o600); err != nil {
			return err
		}
		if _, err := knownhosts.NewDB(to); err != nil {
			lines[i] = []byte("\n")
		}
	}
	return os.WriteFile(to, bytes.Join(lines, nil), 0o600)
}
