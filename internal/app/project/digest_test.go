package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine"
)

func testKey(t *testing.T) digestKey {
	t.Helper()
	key, err := makeKey(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestDigestsShowWhichVariablesChanged(t *testing.T) {
	key := testKey(t)
	before := Process{Env: map[string]string{"SAME": "1", "V": "1", "LOST": "1", "OWN": "1"}, EnvFrom: map[string]string{"V": ".env", "LOST": ".env"}}
	now := Process{Env: map[string]string{"SAME": "1", "V": "2", "NEW": "1", "OWN": "2"}, EnvFrom: map[string]string{"V": ".env", "NEW": "more.env"}}
	digests := key.digests(before)
	equal(t, "nothing", key.changed(before, digests), map[string][]string{})
	got := key.changed(now, digests)
	for _, names := range got {
		if len(names) == 2 && names[0] > names[1] {
			names[0], names[1] = names[1], names[0]
		}
	}
	equal(t, "changes", got, map[string][]string{".env": {"LOST", "V"}, "more.env": {"NEW"}, "": {"OWN"}})
	equal(t, "of another key", testKey(t).changed(before, digests), map[string][]string{})
	for name, digest := range digests {
		if strings.Contains(digest, before.Env[name]+" ") && len(digest) < 20 {
			t.Errorf("%s shows its value: %s", name, digest)
		}
	}
}

// Which variables the file adds to PATH counts, not what PATH was before.
func TestDigestsIgnoreTheInheritedPath(t *testing.T) {
	key := testKey(t)
	before := Process{Env: map[string]string{"PATH": "/bin:/x"}, AddedPath: ":/x"}
	equal(t, "changes", key.changed(Process{Env: map[string]string{"PATH": "/sbin:/x"}, AddedPath: ":/x"}, key.digests(before)), map[string][]string{})
	equal(t, "changes", key.changed(Process{Env: map[string]string{"PATH": "/bin:/y"}, AddedPath: ":/y"}, key.digests(before)), map[string][]string{"": {"PATH"}})
}

func TestKeyIsMadeOnce(t *testing.T) {
	dir := t.TempDir()
	if key, err := readKey(dir); key != nil || err != nil {
		t.Errorf("without a file the key is %v, %v", key, err)
	}
	first, err := makeKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	again, err := makeKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the key", again, first)
	if fi, err := os.Stat(filepath.Join(dir, keyFile)); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("the mode of the key is %v, %v", fi.Mode(), err)
	}
}

// A key file that was cut short, as on a full disk, would stop all digests for good.
func TestShortKeyIsReplaced(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, keyFile), []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	made, err := makeKey(dir)
	if err != nil || len(made) != keySize {
		t.Fatalf("a key of %d bytes, %v", len(made), err)
	}
	read, err := readKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the key", read, made)
}

// A job of a version without digests runs on: nothing shows that its variables differ.
func TestDifferences(t *testing.T) {
	key := testKey(t)
	proc := Process{Name: "web", Script: "serve", Dir: "/", Env: map[string]string{"V": "1"}}
	job := func(change func(*engine.Spec)) engine.Job {
		s := engine.Spec{}
		proc.describe(&s, key)
		change(&s)
		return engine.Job{Request: engine.Request{
			Name:       "web",
			Script:     s.Script,
			Command:    s.Command,
			Dir:        s.Dir,
			Restart:    s.Restart,
			EnvNames:   []string{"V"},
			EnvDigests: s.EnvDigests,
		}}
	}
	for _, tt := range []struct {
		want   string
		change func(*engine.Spec)
	}{
		{"", func(*engine.Spec) {}},
		{"command changed", func(s *engine.Spec) { s.Script = "other" }},
		{"command changed, directory changed", func(s *engine.Spec) { s.Script, s.Dir = "other", "/tmp" }},
		{"restart policy changed", func(s *engine.Spec) { s.Restart = "always" }},
		{"environment changed (V)", func(s *engine.Spec) { s.EnvDigests = map[string]string{"V": key.of("V", "2", "")} }},
		{"", func(s *engine.Spec) { s.EnvDigests = nil }},
	} {
		up := Up{key: key}
		equal(t, "differences", strings.Join(up.differences(proc, job(tt.change)), ", "), tt.want)
	}
}
