package client

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/skeema/knownhosts"
	"golang.org/x/crypto/ssh"
	xknownhosts "golang.org/x/crypto/ssh/knownhosts"
)

// knownKeys are the keys of known_hosts files. A line that means nothing to us is as if
// it were not there, as it is for ssh: it is one of a protocol that is gone, of a kind
// of key that is yet to come, or half a line.
type knownKeys struct {
	*knownhosts.HostKeyDB
	files map[string]string // which file of the user's a copy stands for
}

// longestLine is the longest that the library takes, in bytes.
const longestLine = 60_000

// readKnownKeys reads files; those that cannot be read are left out.
func readKnownKeys(files []string) (knownKeys, error) {
	var readable []string
	for _, f := range files {
		if _, err := os.ReadFile(f); err == nil {
			readable = append(readable, f)
		}
	}
	db, err := knownhosts.NewDB(readable...)
	if err == nil {
		return knownKeys{HostKeyDB: db}, nil
	}
	// The library takes files only, and each line of them or none.
	dir, err := os.MkdirTemp("", "hob-known")
	if err != nil {
		return knownKeys{}, err
	}
	defer os.RemoveAll(dir)
	k := knownKeys{files: map[string]string{}}
	var copies []string
	for i, f := range readable {
		data, err := os.ReadFile(f)
		if err != nil {
			return knownKeys{}, err
		}
		name := filepath.Join(dir, strconv.Itoa(i))
		if err := os.WriteFile(name, understood(data), 0o600); err != nil {
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

// understood is a known_hosts file with empty lines in the place of those that cannot
// be understood: the numbers of the others stay.
func understood(file []byte) []byte {
	lines := bytes.Split(file, []byte("\n"))
	for i, l := range lines {
		text := strings.TrimSpace(string(l))
		if text == "" || text[0] == '#' {
			continue
		}
		if len(l) > longestLine || knownLine(text) != nil {
			lines[i] = nil
		}
	}
	return bytes.Join(lines, []byte("\n"))
}

// knownLine says what is wrong with a line of a known_hosts file that is neither empty
// nor a comment.
func knownLine(line string) error {
	fields := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
	if len(fields) > 0 && (fields[0] == "@cert-authority" || fields[0] == "@revoked") {
		fields = fields[1:]
	}
	if len(fields) < 3 {
		return errors.New("not a pattern, a type and a key")
	}
	blob, err := base64.StdEncoding.DecodeString(fields[2])
	if err != nil {
		return err
	}
	key, err := ssh.ParsePublicKey(blob)
	if err != nil {
		return err
	}
	if key.Type() != fields[1] {
		return fmt.Errorf("a key of type %s is called %s", key.Type(), fields[1])
	}
	return knownPatterns(fields[0])
}

// knownPatterns says what is wrong with the names that a line of a known_hosts file is
// for.
func knownPatterns(s string) error {
	switch s[0] {
	case '@':
		return errors.New("an unknown marker")
	case '|':
		parts := strings.Split(s, "|")
		if len(parts) != 4 || parts[1] != "1" {
			return errors.New("not a hashed name")
		}
		for _, p := range parts[2:] {
			if _, err := base64.StdEncoding.DecodeString(p); err != nil {
				return err
			}
		}
		return nil
	}
	for p := range strings.SplitSeq(s, ",") {
		name, negated := strings.CutPrefix(p, "!")
		if negated && name == "" {
			return errors.New("a negation of nothing")
		}
		if strings.HasPrefix(name, "[") {
			if _, _, err := net.SplitHostPort(name); err != nil {
				return err
			}
		}
	}
	return nil
}
