//go:build unix

package security

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// With few open files the Go runtime would abort hob with a report of its own.
func TestFewOpenFiles(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, limit := range []int{4, 5, 6, 7, 8, 15} {
		for _, args := range []string{"list", "run true", "status @", "list --json"} {
			cmd := exec.Command("/bin/sh", "-c", fmt.Sprintf(`ulimit -n %d && exec "$0" %s`, limit, args), s.Program("hob"))
			cmd.Dir, cmd.Env = s.Dir, s.Environ()
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Errorf("limit %d, hob %s: no error: %s", limit, args, out)
			}
			for _, words := range []string{fmt.Sprintf("only %d files may be open at a time", limit), "ulimit -n 256"} {
				if !strings.Contains(string(out), words) {
					t.Errorf("limit %d, hob %s: no %q: %s", limit, args, words, out)
				}
			}
		}
	}
}
