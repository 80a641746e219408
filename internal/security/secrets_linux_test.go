package security

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/hobjobs/hob/internal/testtool/stage"
)

// TestVariableValuesAreNotStored passes a secret to a job with -e and searches for it on disk and in
// the arguments of all processes: while the job runs, after its end, and after a restart that gets the
// value from the caller's environment.
func TestVariableValuesAreNotStored(t *testing.T) {
	s := newStage(t)
	const secret = "correct-horse-battery-staple"
	for _, kind := range []string{"--pty", "--no-pty", "--split"} {
		id := s.Must(t, "run", "-b", kind, "-e", "TOKEN="+secret, "-c", `test -n "$TOKEN" && echo given; exec sleep 1000`)
		s.Must(t, "wait", "--for", "given", id)
		nowhere(t, s, kind+", running", secret)
		s.Must(t, "kill", "--grace", "0s", id)
		nowhere(t, s, kind+", ended", secret)
	}
	again := s.Command("restart", "@")
	again.Env = append(again.Env, "TOKEN="+secret)
	if out, err := again.CombinedOutput(); err != nil {
		t.Fatalf("restart: %v: %s", err, out)
	}
	s.Must(t, "wait", "--for", "given", "@")
	nowhere(t, s, "restarted", secret)
	if _, code, err := s.Ask("restart", "@"); code != 2 || !bytes.Contains([]byte(err.Error()), []byte("TOKEN")) {
		t.Errorf("restart without the value: code %d, %v", code, err)
	}
}

func nowhere(t *testing.T, s *stage.Stage, when, secret string) {
	t.Helper()
	for _, root := range []string{s.State, s.Runtime} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil
			}
			if data, err := os.ReadFile(path); err == nil && bytes.Contains(data, []byte(secret)) {
				t.Errorf("%s: the value is in %s", when, path)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(lines) == 0 {
		t.Fatalf("no processes seen: %v", err)
	}
	for _, path := range lines {
		if data, err := os.ReadFile(path); err == nil && bytes.Contains(data, []byte(secret)) {
			t.Errorf("%s: the value is in the arguments of %q", when, data)
		}
	}
}
