package client

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"

	"github.com/skeema/knownhosts"
	xknownhosts "golang.org/x/crypto/ssh/knownhosts"
)

// knownKeys are the keys of known_hosts files. Lines that are not understood are ignored, as ssh
// does: an obsolete protocol, a new kind of key, or half a line.
type knownKeys struct {
	*knownhosts.HostKeyDB
	files map[string]string // the user's file, by the name of its copy
}

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
	data, err := os.ReadFile(file)
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
