package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLoggerAppendsToFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hob.log")
	if err := os.WriteFile(path, []byte("earlier\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(logVariable, path)
	a := &app{stderr: os.Stderr, client: "tester"}
	a.logger().Warn("something failed", "job", "x-22222")
	if a.logger() != a.slog {
		t.Error("the second call returns another logger")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	if !strings.HasPrefix(text, "earlier\n") || !strings.Contains(text, "client=tester") || !strings.Contains(text, `msg="something failed"`) || !strings.Contains(text, "job=x-22222") {
		t.Errorf("the file: %q", text)
	}
}
