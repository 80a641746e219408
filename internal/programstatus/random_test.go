package programstatus

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/vt"
)

// Whatever a program writes around its reports, the store has few records with clean texts, and the terminal goes on.
func TestRandomBytesAroundReports(t *testing.T) {
	const total = 10_000_000
	pieces := []string{
		"\x1b]7501;", "\x1b]7501;state=working", "\x1b]7501;?", "state=", "blocked", "idle", "clear", ":id=", ":kind=auth", ":progress=", "100",
		":app=", ":title=", ":msg=", "YQ==", "/w==", "CQ==", "a/b", "\a", "\x1b\\", "\x1b]133;A\a", "\x1bc", "\x9d7501;state=done\x9c", "\x18", "\x1bP",
		":msg=" + strings.Repeat("QUFB", 700), ":title=" + strings.Repeat("QUFB", 60), ":id=" + strings.Repeat("a", 32) + "/x",
	}
	random := rand.New(rand.NewPCG(7501, 1)) //nolint:gosec // the test is the same each time
	var s Store
	reports := 0
	term := vt.New(80, 24, vt.WithReply(func(p []byte) {
		if strings.Contains(string(p), "7501;state") {
			t.Errorf("the terminal reports %q", p)
		}
	}), vt.WithHandler(vt.Handler{
		Status: func(body string) {
			if r, ok := Parse(body); ok {
				reports++
				s.Apply(r, time.Unix(int64(reports), 0))
			}
		},
		Prompt: func() { s.EndRun() },
		Reset:  func() { s.Clear() },
	}))
	var chunk []byte
	for written := 0; written < total; written += len(chunk) {
		chunk = chunk[:0]
		for len(chunk) < 4096 {
			switch random.IntN(4) {
			case 0:
				chunk = append(chunk, "\x1b]7501;state=working"...)
				fallthrough
			case 1, 2:
				chunk = append(chunk, pieces[random.IntN(len(pieces))]...)
				continue
			}
			for range random.IntN(64) {
				chunk = append(chunk, byte(random.Uint32()))
			}
		}
		term.Write(chunk)
		checkStore(t, &s)
	}
	if reports < 1000 {
		t.Errorf("only %d reports were read: the test is of little use", reports)
	}
	term.Write([]byte("\x1b\\\x18\x1bc\x1b]7501;state=done\a"))
	if p := s.Program(); p == nil || p.State != record.ProgramDone || len(p.Reports) != 1 {
		t.Errorf("afterwards a report is read as %+v", p)
	}
}

func checkStore(t *testing.T, s *Store) {
	t.Helper()
	p := s.Program()
	if p == nil {
		return
	}
	if len(p.Reports) > maxReports {
		t.Fatalf("%d records", len(p.Reports))
	}
	known := []record.ProgramState{record.ProgramIdle, record.ProgramWorking, record.ProgramDone, record.ProgramBlocked, record.ProgramError}
	for _, r := range p.Reports {
		if !slices.Contains(known, r.State) {
			t.Fatalf("state %q", r.State)
		}
		for _, text := range []string{r.Title, r.Message, r.App, r.ID} {
			if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) || len(text) > maxMessage {
				t.Fatalf("text %q", text)
			}
		}
	}
}
