package cause

import (
	"strings"
	"testing"
)

func TestSummary(t *testing.T) {
	tests := map[string]struct {
		output string
		code   int
		want   string
		found  bool
	}{
		"success":           {"error: is handled\nadded 12 packages", 0, "added 12 packages", false},
		"a cause":           {"listening\nError: listen EADDRINUSE: address already in use :::5173\nbye", 1, "port 5173 is in use", true},
		"a test":            {"--- FAIL: TestTotal (0.02s)\n    total_test.go:41: got 1799, want 1619\nFAIL", 1, "TestTotal: total_test.go:41: got 1799, want 1619", true},
		"a class of errors": {"SyntaxError: Unexpected identifier 'http'\n    at wrapSafe (node:internal:1:1)", 1, "SyntaxError: Unexpected identifier 'http'", true},
		"no cause":          {"checking\n3 problems", 1, "3 problems", false},
		"ended from inside": {"error: no such host", 143, "error: no such host", false},
		"no output":         {"", 1, "", false},
		"update of npm":     {"3 problems\n\nnpm notice\nnpm notice New minor version of npm available! 11.19.1 -> 11.21.2\nnpm notice\n", 3, "3 problems", false},
		"update of pip":     {"Successfully installed flask-3.0\n\n[notice] A new release of pip is available: 24.0 -> 25.1\n", 0, "Successfully installed flask-3.0", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, found := Summary(strings.Split(tt.output, "\n"), tt.code)
			if got != tt.want || found != tt.found {
				t.Errorf("Summary() = %q, %v, want %q, %v", got, found, tt.want, tt.found)
			}
		})
	}
}
