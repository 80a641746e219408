package ui

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/prompt"
)

func TestAPastedScriptKeepsItsLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 100, 30, three())
		s.press("n")
		s.deliver(tea.PasteMsg{Content: "cd /tmp\r\nmake\n"})
		s.pump()
		s.sees("cd /tmp↵make ")
		s.press("enter")
		s.calledLast(`start "cd /tmp\nmake" in "/home/me/src" on ""`)
		s.press("n", "up")
		s.sees("cd /tmp↵make")
	})
}

func TestPastedLinesAreSentAsLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 100, 30, three())
		s.press("i")
		s.deliver(tea.PasteMsg{Content: "one\ntwo"})
		s.pump()
		s.sees("one↵two")
		s.press("enter")
		s.calledLast(`write dev-aaaaa "one\rtwo\r"`)
	})
}

func TestCompletedPathsAreQuoted(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "my dir"), 0o700); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		eng.jobs[0].Dir = dir
		s := newHarness(t, 100, 30, eng)
		s.press("n")
		s.write("ls my")
		s.press("tab")
		s.write("x")
		s.sees(`ls my\ dir/x`)
		s.press("ctrl+u")
		s.write(`ls "m`)
		s.press("tab")
		s.write(`"`)
		s.sees(`ls "my dir/"`)
	})
}

func TestEscClosesCompletionsFirst(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"one", "only"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		eng.jobs[0].Dir = dir
		s := newHarness(t, 100, 30, eng)
		s.press("n")
		s.write("ls on")
		s.press("tab")
		s.sees("only/")
		s.press("esc")
		s.sees("New job")
		s.sees("ls on ")
		s.seesNot("only/")
		s.press("esc")
		s.seesNot("New job")
	})
}

func TestWhatWasTypedForAJobComesBack(t *testing.T) {
	inBubble(t, "after Esc", func(t *testing.T) {
		s := newHarness(t, 100, 30, three())
		s.press("n")
		s.write("make all")
		s.press("esc")
		s.sees("n brings back what you typed")
		s.press("n")
		s.sees("make all")
		s.press("enter")
		s.calledLast(`start "make all" in "/home/me/src" on ""`)
		s.press("n")
		s.seesNot("Command    make all")
	})
	inBubble(t, "after a start that was refused", func(t *testing.T) {
		eng := three()
		eng.fail["start"] = errors.New("no route to web1")
		s := newHarness(t, 100, 30, eng)
		s.press("n")
		s.write("make all")
		s.press("tab", "ctrl+u")
		s.write("/srv")
		s.press("down")
		s.write("web1")
		s.press("enter")
		s.calledLast(`start "make all" in "/srv" on "web1"`)
		s.press("n")
		s.sees("make all")
		s.sees("/srv")
		s.sees("web1")
		s.press("enter")
		s.calledLast(`start "make all" in "/srv" on "web1"`, `start "make all" in "/srv" on "web1"`)
	})
	inBubble(t, "not once it was deleted", func(t *testing.T) {
		s := newHarness(t, 100, 30, three())
		s.press("n")
		s.write("make all")
		s.press("esc", "n", "ctrl+u", "esc", "n")
		s.seesNot("make all")
	})
	inBubble(t, "of the job that was to be restarted", func(t *testing.T) {
		s := newHarness(t, 100, 30, three())
		s.press("e")
		s.write(" --more")
		s.press("esc")
		s.sees("e brings back what you typed")
		s.press("n")
		s.seesNot("--more")
		s.press("esc", "e")
		s.sees(" --more")
	})
	inBubble(t, "nothing was typed", func(t *testing.T) {
		s := newHarness(t, 100, 30, three())
		s.press("n", "esc")
		s.seesNot("brings back")
	})
}

func TestADirectoryThatFailedIsNotOfferedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		code := 126
		j := &eng.jobs[0]
		j.Dir, j.Status = "/home/me/gone", engine.Failed
		j.Exit = engine.Exit{Status: engine.Failed, Code: &code, Reason: engine.ReasonSpawn, At: noon}
		s := newHarness(t, 100, 30, eng)
		s.run(s.pane.Select(j.ID))
		s.press("n")
		s.seesNot("Directory  ~/gone")
		s.sees("where hob runs")
		s.press("esc", "e")
		s.sees("Directory  ~/gone")
	})
}

// Tab goes on from a field in which nothing was typed: what stood there, or
// nothing, is what is wanted.
func TestTabPassesWhatWasLeftAsItIs(t *testing.T) {
	inBubble(t, "through the form", func(t *testing.T) {
		s := newHarness(t, 100, 30, three(), WithHosts("web1", "web2"))
		s.press("n")
		s.write("make all")
		s.press("tab", "tab", "tab")
		s.write("--name x")
		s.press("enter")
		s.calledLast(`start "make all" in "/home/me/src" on ""`)
	})
	inBubble(t, "and completes what was typed", func(t *testing.T) {
		s := newHarness(t, 100, 30, three(), WithHosts("gpu-box", "web1"))
		s.press("n")
		s.write("make")
		s.press("tab", "tab")
		s.sees("this machine, or gpu-box, web1")
		s.write("gp")
		s.sees("gp[u-box]")
		s.press("tab", "enter")
		s.calledLast(`start "make" in "" on "gpu-box"`)
	})
}

// Who types on does not get an answer to what stood there before.
func TestCompletionsThatComeLateAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 100, 30, three())
		s.press("n")
		s.write("cat no")
		form := s.pane.over.box.(*prompt.Form)
		cmd := s.pane.complete(form)
		s.write("tes")
		s.deliver(cmd())
		s.pump()
		s.write("!")
		s.sees("cat notes!")
	})
}

// A directory of this machine that was only offered is nothing for a host.
func TestTheDirectoryFollowsTheHost(t *testing.T) {
	inBubble(t, "offered", func(t *testing.T) {
		s := newHarness(t, 100, 30, three())
		s.press("n")
		s.write("make")
		s.sees("Directory  ~/src")
		s.press("down", "down")
		s.write("w")
		s.sees("Directory  (the home directory there)")
		s.press("ctrl+u")
		s.sees("Directory  ~/src")
		s.write("web1")
		s.press("up")
		s.write("~/src")
		s.press("enter")
		s.calledLast(`start "make" in "~/src" on "web1"`)
	})
	inBubble(t, "typed", func(t *testing.T) {
		s := newHarness(t, 100, 30, three())
		s.press("n")
		s.write("make")
		s.press("down")
		s.write("/app")
		s.press("down")
		s.write("web1")
		s.press("enter")
		s.calledLast(`start "make" in "~/src/app" on "web1"`)
	})
}
