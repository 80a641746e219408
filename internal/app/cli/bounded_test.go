package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An error may quote a line of any length, for example of a file.
func TestErrorMessagesAreBounded(t *testing.T) {
	t.Parallel()
	for name, json := range map[string]bool{"text": false, "json": true} {
		out, err := os.Create(filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		a := &app{stdout: out, stderr: out, json: json}
		if code := a.report(errors.New(strings.Repeat("é", 20<<20))); code != exitFailed {
			t.Errorf("%s: code %d", name, code)
		}
		if fi, err := out.Stat(); err != nil || fi.Size() < maxMessage || fi.Size() > 3*maxMessage {
			t.Errorf("%s: %d bytes, %v", name, fi.Size(), err)
		}
	}
}
