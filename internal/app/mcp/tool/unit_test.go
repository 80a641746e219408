package tool

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/mcp/params"
)

func TestSchemas(t *testing.T) {
	process := params.SchemaOf[ProcessArgs](false)
	var documented []string
	for _, word := range process.Properties["action"].Enum {
		documented = append(documented, word.(string))
	}
	done := append(slices.Collect(maps.Keys(actions())), actionList)
	if diff := cmp.Diff(slices.Sorted(slices.Values(documented)), slices.Sorted(slices.Values(done))); diff != "" {
		t.Errorf("the actions of the schema and of the tool: %s", diff)
	}
	if diff := cmp.Diff([]string{"command"}, params.SchemaOf[BashArgs](false).Required); diff != "" {
		t.Errorf("required of bash: %s", diff)
	}
	if required := params.SchemaOf[BashArgs](true).Required; len(required) > 0 {
		t.Errorf("required, though it may come under another name: %v", required)
	}
	data, err := json.Marshal(process)
	if err != nil || strings.Contains(string(data), "null") || strings.Contains(string(data), "false") {
		t.Errorf("%s, %v", data, err)
	}
}

func TestExcerptText(t *testing.T) {
	long := strings.Repeat("é", 5000)
	for _, tt := range []struct {
		name       string
		x          Excerpt
		most       int
		begin, end string
		cut        string
	}{
		{"short", Excerpt{head: "abc"}, 10, "abc", "abc", ""},
		{"in two parts", Excerpt{head: "abc", tail: "def"}, 10, "abcdef", "abcdef", ""},
		{"just fits", Excerpt{head: long}, 5000, "é", "é", ""},
		{"too long", Excerpt{head: "begin" + long + "end"}, 1000, "begin", "end", "4208 characters left out of the middle; all of it is in /log"},
		{"not all was read", Excerpt{head: "begin", tail: "end", skipped: 5 << 20}, 1000, "begin", "end", "about 5.0 MiB left out of the middle; all of it is in /log"},
		{
			"emoji of several characters", Excerpt{head: strings.Repeat("👨‍👩‍👧‍👦", 1000)}, 1000,
			strings.Repeat("👨‍👩‍👧‍👦", 57) + "\n[…", "…]\n" + strings.Repeat("👨‍👩‍👧‍👦", 57), "6202 characters left out of the middle; all of it is in /log",
		},
		{"no room", Excerpt{head: long}, 0, "[…", "]\n", "5000 characters left out of the middle; all of it is in /log"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, cut := tt.x.Text(tt.most, "/log")
			if !strings.HasPrefix(text, tt.begin) || !strings.HasSuffix(text, tt.end) {
				t.Errorf("the text is %.80q", text)
			}
			if cut != tt.cut {
				t.Errorf("cut: %q, want %q", cut, tt.cut)
			}
			if n := utf8.RuneCountInString(text); n > max(tt.most, 100) {
				t.Errorf("%d characters", n)
			}
		})
	}
}

func TestGatherKeepsBeginAndEnd(t *testing.T) {
	var g gather
	g.add("begin ")
	for range 200 {
		g.add(strings.Repeat("é", 50_000))
	}
	g.add(" end")
	x := g.excerpt()
	if !strings.HasPrefix(x.head, "begin ") || !strings.HasSuffix(x.tail, " end") {
		t.Errorf("kept %.20q and %.20q", x.head, x.tail[len(x.tail)-20:])
	}
	if sum := int64(len(x.head)+len(x.tail)) + x.skipped; sum != 6+200*100_000+4 {
		t.Errorf("%d bytes are accounted for", sum)
	}
	if !utf8.ValidString(x.head) || !utf8.ValidString(x.tail) {
		t.Error("a character is cut")
	}
	if len(x.head)+len(x.tail) > 4*maxRead {
		t.Errorf("%d bytes are kept", len(x.head)+len(x.tail))
	}
}

func TestClamped(t *testing.T) {
	for _, tt := range []struct {
		ms   float64
		want time.Duration
		said bool
	}{
		{0, 0, false}, {10, 10 * time.Millisecond, false}, {3, 10 * time.Millisecond, true}, {-5, 10 * time.Millisecond, true},
		{30_000, 30 * time.Second, false}, {120_000, 30 * time.Second, true}, {1e300, 30 * time.Second, true}, {12.5, 12500 * time.Microsecond, false},
	} {
		got, note := clamped("timeout", tt.ms, 10*time.Millisecond, maxPoll)
		if got != tt.want || (note != "") != tt.said {
			t.Errorf("%g: %v, %q", tt.ms, got, note)
		}
	}
	if _, note := clamped("timeout", 9_999_999, 0, maxPoll); !strings.Contains(note, "timeout 9999999 is outside") {
		t.Errorf("the number is not said as it was given: %q", note)
	}
}

func TestRetryAfter(t *testing.T) {
	for idle, want := range []time.Duration{5, 5, 10, 30, 60, 60, 60} {
		if got := retryAfter(idle); got != want*time.Second {
			t.Errorf("after %d: %v", idle, got)
		}
	}
}

// A job can write its own record. No text of it reaches an agent as it is.
func TestFactsOfForeignRecord(t *testing.T) {
	const hostile = "a\u202eb\x1b[31mc\u009bd"
	j := engine.Job{
		Request: engine.Request{Name: hostile, Host: hostile},
		State: engine.State{Status: engine.Killed, Exit: engine.Exit{
			Status: engine.Killed,
			Signal: hostile,
			Reason: hostile,
			Error:  hostile,
		}},
		OutputPath: hostile,
		StdoutPath: hostile,
		StderrPath: hostile,
	}
	data, err := json.Marshal(factsOf(j))
	if err != nil {
		t.Fatal(err)
	}
	for _, unsafe := range []string{"\u202e", "\u009b", `\u001b`, `\u202e`} {
		if strings.Contains(string(data), unsafe) {
			t.Errorf("%q is in %s", unsafe, data)
		}
	}
}

// An agent is not told that a job runs if that is not known.
func TestFactsOfUnreachableJob(t *testing.T) {
	j := engine.Job{State: engine.State{Status: engine.Running, Link: engine.LinkUnreachable, LinkError: "stopped"}}
	if a := About(j, time.Now()); a.Unreachable != "stopped" || !strings.HasPrefix(a.headline, "unreachable · ") {
		t.Errorf("%q: %q", a.Unreachable, a.headline)
	}
	j.Status = engine.Exited
	if a := About(j, time.Now()); a.Unreachable != "" || strings.HasPrefix(a.headline, "unreachable") {
		t.Errorf("ended: %q: %q", a.Unreachable, a.headline)
	}
}
