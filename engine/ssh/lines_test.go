package ssh

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// Each read of a log adds to what its reader knows of the programs.
func TestReportsOfFollowedLog(t *testing.T) {
	var f lineFacts
	for _, step := range []struct {
		name    string
		printed int // since the read before
		end     string
		want    []string
	}{
		{"first", 40_000, "\x1b]7501;state=working\a\x1b]7501;state=done:id=a\a", []string{" working", "a done"}},
		{"another task", 60, "\x1b]7501;state=blocked:id=b\a" + strings.Repeat(".", 60), []string{" working", "a done", "b blocked"}},
		{"only text", 60, strings.Repeat(".", 1024), []string{" working", "a done", "b blocked"}},
		{"more than was read", 20_000, strings.Repeat(".", mostRead), []string{"a done"}},
		{"shell prompt", 30, "\x1b]7501;state=idle\a\x1b]133;A\a" + strings.Repeat(".", 30), []string{"a done"}},
	} {
		f.said = f.saidWith([][]byte{[]byte(step.end)}, f.output+int64(step.printed), time.Unix(1, 0))
		f.output += int64(step.printed)
		var got []string
		for p := f.said.Program(); p != nil && len(got) < len(p.Reports); {
			r := p.Reports[len(got)]
			got = append(got, r.ID+" "+string(r.State))
		}
		if !slices.Equal(got, step.want) {
			t.Errorf("%s: reports %q, want %q", step.name, got, step.want)
		}
	}
}
