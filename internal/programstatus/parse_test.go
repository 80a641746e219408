package programstatus

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine/record"
)

func encoded(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func TestParse(t *testing.T) {
	percent := func(n int) *int { return &n }
	idle := record.ProgramReport{State: record.ProgramIdle}
	working := record.ProgramReport{State: record.ProgramWorking}
	done := record.ProgramReport{State: record.ProgramDone}
	blocked := record.ProgramReport{State: record.ProgramBlocked}
	auth := record.ProgramReport{State: record.ProgramBlocked, Kind: record.NeedsSecret}
	nine := "a/b/c/d/e/f/g/h/i"
	for name, tc := range map[string]struct {
		body string
		want record.ProgramReport
	}{
		"working":                         {"state=working", working},
		"the last of a key counts":        {"state=working:state=done", done},
		"a malformed pair is no pair":     {"state=working:state=%", working},
		"blanks":                          {" state = idle ", idle},
		"tabs":                            {"\tstate\t=\tidle\t", idle},
		"unknown and malformed pairs":     {"state=idle:Foo=1:zz=2:=:x", idle},
		"percent":                         {"state=working:progress=40", record.ProgramReport{State: record.ProgramWorking, Percent: percent(40)}},
		"blocked with percent":            {"state=blocked:progress=0", record.ProgramReport{State: record.ProgramBlocked, Percent: percent(0)}},
		"percent above 100":               {"state=working:progress=101", working},
		"percent of letters":              {"state=working:progress=x", working},
		"percent below 0":                 {"state=working:progress=-1", working},
		"percent with a plus":             {"state=working:progress=+1", working},
		"percent that overflows":          {"state=working:progress=356", working},
		"percent when done":               {"state=done:progress=5", done},
		"kind":                            {"state=blocked:kind=auth", auth},
		"kind of one that is not blocked": {"state=working:kind=auth", working},
		"unknown kind":                    {"state=blocked:kind=x", blocked},
		"app":                             {"state=idle:app=claude-code", record.ProgramReport{State: record.ProgramIdle, App: "claude-code"}},
		"app of 33 bytes":                 {"state=idle:app=" + strings.Repeat("a", 33), idle},
		"app with a slash":                {"state=idle:app=a/b", idle},
		"text that is not of a value":     {"state=idle:msg=%%", idle},
		"texts": {"state=idle:title=" + encoded("Fix it") + ":msg=" + encoded("go test ./… ok"),
			record.ProgramReport{State: record.ProgramIdle, Title: "Fix it", Message: "go test ./… ok"}},
		"invisible characters": {"state=idle:msg=" + encoded("a\u202eb\u200bc\u2066d\ufeffe\u061cf\u2060g"),
			record.ProgramReport{State: record.ProgramIdle, Message: "abcdefg"}},
		"longest texts": {"state=idle:title=" + encoded(strings.Repeat("t", 192)) + ":msg=" + encoded(strings.Repeat("m", 2048)),
			record.ProgramReport{State: record.ProgramIdle, Title: strings.Repeat("t", 192), Message: strings.Repeat("m", 2048)}},
		"ID":               {"state=idle:id=a/b-1/c.d", record.ProgramReport{ID: "a/b-1/c.d", State: record.ProgramIdle}},
		"ID of 8 segments": {"state=idle:id=a/b/c/d/e/f/g/h", record.ProgramReport{ID: "a/b/c/d/e/f/g/h", State: record.ProgramIdle}},
	} {
		t.Run(name, func(t *testing.T) {
			r, ok := Parse(tc.body)
			if !ok || r.Clear {
				t.Fatalf("Parse(%q) = %+v, %v, want a record", tc.body, r, ok)
			}
			if diff := cmp.Diff(tc.want, r.ProgramReport); diff != "" {
				t.Errorf("Parse(%q) (-want +got):\n%s", tc.body, diff)
			}
		})
	}
	for name, body := range map[string]string{
		"nothing":                   "",
		"no state":                  "id=a",
		"unknown state":             "state=nope:id=a",
		"the last state is unknown": "state=working:state=nope",
		"empty ID":                  "state=idle:id=",
		"empty segment":             "state=idle:id=a//b",
		"nine segments":             "state=idle:id=" + nine,
		"segment of 33 bytes":       "state=idle:id=" + strings.Repeat("a", 33),
		"ID of 129 bytes":           "state=idle:id=" + strings.Repeat("a", 32) + "/" + strings.Repeat("b", 32) + "/" + strings.Repeat("c", 32) + "/" + strings.Repeat("d", 30),
		"base64 without padding":    "state=idle:msg=YQ",
		"loose bits in base64":      "state=idle:msg=YR==",
		"tab in a text":             "state=idle:msg=CQ==",
		"DEL in a text":             "state=idle:title=fw==",
		"C1 in a text":              "state=idle:msg=" + encoded("\u0085"),
		"invalid UTF-8":             "state=idle:msg=/w==",
		"message too long":          "state=idle:msg=" + strings.Repeat("A", 2733),
		"message decoded too long":  "state=idle:msg=" + encoded(strings.Repeat("m", 2049)),
		"title too long":            "state=idle:title=" + strings.Repeat("A", 257),
		"title decoded too long":    "state=idle:title=" + encoded(strings.Repeat("t", 193)),
		"4,097 bytes":               "state=idle:" + strings.Repeat("a", maxReport-len("state=idle:")+1),
		"withdrawal with bad text":  "state=clear:msg=YQ",
	} {
		t.Run(name, func(t *testing.T) {
			if r, ok := Parse(body); ok {
				t.Errorf("Parse(%q) = %+v, want that it is ignored", body, r)
			}
		})
	}
	if _, ok := Parse("state=idle:" + strings.Repeat("a", maxReport-len("state=idle:"))); !ok {
		t.Error("a report of 4,096 bytes is ignored")
	}
	if r, ok := Parse("state=clear:id=a"); !ok || !r.Clear || r.ID != "a" {
		t.Errorf("Parse of a withdrawal = %+v, %v", r, ok)
	}
}

// FuzzParse checks that whatever is kept is clean and within the limits, and means the same when it is written
// again in plain form.
func FuzzParse(f *testing.F) {
	f.Add("state=blocked:kind=permission:app=claude-code:id=a/b:progress=40:title=Rml4:msg=YQ==")
	f.Add("state=clear:id=a")
	f.Add(" state\t= working:state=idle:msg=%%:=:x")
	f.Fuzz(func(t *testing.T, body string) {
		r, ok := Parse(body)
		if !ok {
			return
		}
		if len(r.Title) > maxTitle || len(r.Message) > maxMessage || len(r.ID) > maxID {
			t.Errorf("Parse(%q) exceeds a limit: %+v", body, r)
		}
		again := "state=" + string(r.State) + ":title=" + encoded(r.Title) + ":msg=" + encoded(r.Message)
		if r.Clear {
			again = "state=clear"
		}
		if r.ID != "" {
			again += ":id=" + r.ID
		}
		second, ok := Parse(again)
		second.App, second.Kind, second.Percent = r.App, r.Kind, r.Percent
		if !ok || cmp.Diff(r, second) != "" {
			t.Errorf("Parse(%q) = %+v, but again %+v, %v", body, r, second, ok)
		}
	})
}
