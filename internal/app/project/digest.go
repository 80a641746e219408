package project

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hobjobs/hob/internal/atomicfile"
	"github.com/hobjobs/hob/internal/plainfile"
)

// The values of variables are not stored. To notice that one has changed, the record of a job has a digest of
// each value. Its key is in the state directory, so that the record alone does not help to guess a value.

const (
	keyFile = "env-key" // in the state directory; deletable: then no change of a value is noticed once
	keySize = 32
)

// digestKey makes digests of values. Without a key there are none.
type digestKey []byte

// readKey returns the key in a state directory, nil if there is none.
func readKey(stateDir string) (digestKey, error) {
	key, err := plainfile.Read(filepath.Join(stateDir, keyFile), keySize)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(key) < keySize {
		return nil, nil
	}
	return key, err
}

// makeKey returns the key in a state directory, which exists. It creates the key if there is none. The caller has
// the lock of the key.
func makeKey(stateDir string) (digestKey, error) {
	key, err := readKey(stateDir)
	if key != nil || err != nil {
		return key, err
	}
	key = make(digestKey, keySize)
	_, _ = rand.Read(key) // never fails
	return key, atomicfile.Write(filepath.Join(stateDir, keyFile), key)
}

// id identifies the key in its digests.
func (k digestKey) id() string {
	sum := sha256.Sum256(slices.Concat([]byte("id of "), k))
	return hex.EncodeToString(sum[:4])
}

// of returns the digest of a variable, with the file that the variable is from.
func (k digestKey) of(name, value, from string) string {
	mac := hmac.New(sha256.New, k)
	mac.Write([]byte(name + "\x00" + value))
	return k.id() + ":" + hex.EncodeToString(mac.Sum(nil)[:12]) + " " + from
}

// unset is the value of which a variable that is removed from the environment has a digest.
const unset = "\x00"

// digests returns the digests of the variables of a process; nil without a key.
func (k digestKey) digests(proc Process) map[string]string {
	if k == nil {
		return nil
	}
	all := map[string]string{}
	for name, value := range proc.Env {
		if name == "PATH" && proc.AddedPath != "" {
			value = proc.AddedPath
		}
		all[name] = k.of(name, value, proc.source(name))
	}
	for _, name := range proc.Unset {
		all[name] = k.of(name, unset, proc.source(name))
	}
	return all
}

// changed returns the variables of a process that differ from those with the digests before, by the file that they
// are or were from. Digests of another key differ from nothing.
func (k digestKey) changed(proc Process, before map[string]string) map[string][]string {
	changed := map[string][]string{}
	now := k.digests(proc)
	if now == nil {
		return changed
	}
	for name := range union(now, before) {
		old, hadValue := before[name]
		current, hasValue := now[name]
		otherKey := hadValue && !strings.HasPrefix(old, k.id()+":")
		oldSum, oldFile, _ := strings.Cut(old, " ")
		sum, file, _ := strings.Cut(current, " ")
		if !hasValue {
			file = oldFile
		}
		if sum != oldSum && !otherKey {
			changed[file] = append(changed[file], name)
		}
	}
	return changed
}

// union returns the names in a and b.
func union(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}
