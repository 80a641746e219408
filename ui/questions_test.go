package ui

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
)

func TestQuestionOfHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 100, 30, three())
		answers := make(chan string, 2)
		ask := func(title string) AskMsg {
			return AskMsg{Title: title, Text: "Passphrase of id_ed25519", Secret: true, Reply: func(text string, ok bool) {
				if !ok {
					text = "refused"
				}
				answers <- title + " " + text
			}}
		}
		s.deliver(ask("web1"))
		s.deliver(ask("web2"))
		s.pump()
		s.sees("web1")
		s.write("hunter2")
		s.seesNot("hunter2")
		s.press("enter")
		if got := <-answers; got != "web1 hunter2" {
			t.Errorf("the answer is %q", got)
		}
		s.sees("web2")
		s.press("esc")
		if got := <-answers; got != "web2 refused" {
			t.Errorf("the answer is %q", got)
		}
		s.seesNot("web2")
	})
}

// A host's key is trusted only by an explicit choice: no is preselected, and a key typed while
// the box appears is ignored.
func TestYesOrNoQuestion(t *testing.T) {
	for name, tt := range map[string]struct {
		keys []string
		want string
		ok   bool
	}{
		"the first answer is no": {[]string{"enter"}, "no", true},
		"y is yes":               {[]string{"y"}, "yes", true},
		"yes is chosen":          {[]string{"tab", "enter"}, "yes", true},
		"refused":                {[]string{"esc"}, "", false},
	} {
		inBubble(t, name, func(t *testing.T) {
			s := newHarness(t, 100, 30, three())
			var answers []string
			s.deliver(AskMsg{Title: "web1", Text: "It shows the key SHA256:abc. Trust it?", Confirm: "Trust it", Reply: func(text string, ok bool) {
				answers = append(answers, text)
				if ok != tt.ok {
					t.Errorf("ok is %v", ok)
				}
			}})
			s.sees("web1")
			s.press("y", "enter") // typed before the box appeared
			s.sees("SHA256:abc")
			time.Sleep(ignoreKeysTime)
			s.pump()
			s.press(tt.keys...)
			if diff := cmp.Diff([]string{tt.want}, answers); diff != "" {
				t.Errorf("answers (-want +got)\n%s", diff)
			}
			s.seesNot("SHA256:abc")
		})
	}
}

// The error about an unreachable host has its name and the cause.
func TestHintNamesTheHost(t *testing.T) {
	why := fmt.Errorf("web1: no such host: %w", engine.ErrUnreachable)
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&engine.Error{Op: "start", Err: why, Hint: "hob hosts check web1"}, why.Error() + "; hob hosts check web1"},
		{&engine.Error{Op: "stop", Err: engine.ErrUnreachable}, "the host is unreachable"},
		{engine.ErrUnreachable, "the host is unreachable"},
	} {
		if got := hint(tt.err); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.err, got, tt.want)
		}
	}
}

func TestCloseRefusesQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 100, 20, three())
		refused := 0
		for range 2 {
			s.deliver(AskMsg{Title: "web1", Reply: func(_ string, ok bool) {
				if !ok {
					refused++
				}
			}})
		}
		s.pump()
		if err := s.pane.Close(); err != nil {
			t.Error(err)
		}
		if refused != 2 {
			t.Errorf("%d of 2 questions were refused", refused)
		}
		s.deliver(AskMsg{Title: "late", Reply: func(_ string, ok bool) { refused++ }})
		s.pump()
		if refused != 3 {
			t.Error("a question that came too late was not refused")
		}
	})
}

// The text of a server keeps its lines but no control characters.
func TestQuestionKeepsLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 80, 24, three())
		s.deliver(AskMsg{Title: "web1", Text: "\nCorporate login\r\n\nUse is \x1b[31mlogged.\nCode", Reply: func(string, bool) {}})
		s.pump()
		s.sees("│ Corporate login ")
		s.sees("│ Use is logged. ")
		s.sees("│ Code ")
		s.press("esc")
	})
}
