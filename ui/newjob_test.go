package ui

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
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
