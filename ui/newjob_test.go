package ui

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/prompt"
)

func TestPastedScriptKeepsLines(t *testing.T) {
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

func TestCanceledFormRestoresText(t *testing.T) {
	inBubble(t, "after Esc", func(t *testing.T) {
		s := newHarness(t, 100, 30, three())
		s.press("n")
		s.write("make all")
		s.press("esc")
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

func TestFailedDirectoryIsNotSuggested(t *testing.T) {
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
		s.sees("current directory")
		s.press("esc", "e")
		s.sees("Directory  ~/gone")
	})
}

// In a field that was not edited, Tab moves to the next one.
func TestTabSkipsUneditedField(t *testing.T) {
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
		s.press("down", "tab")
		s.sees("local (or: gpu-box, web1)")
		s.write("gp")
		s.sees("gp[u-box]")
		s.press("tab", "enter")
		s.calledLast(`start "make" in "" on "gpu-box"`)
	})
}

// Earlier commands are offered before programs in PATH and files.
func TestTabCompletesCommand(t *testing.T) {
	bin := t.TempDir()
	for name, mode := range map[string]os.FileMode{"mkimage": 0o700, "mkindex": 0o700, "mkindex.txt": 0o600, "gopherize": 0o700} {
		if err := os.WriteFile(filepath.Join(bin, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+filepath.Join(bin, "missing"))
	for name, tt := range map[string]struct {
		typed string
		tabs  int
		want  string
	}{
		"an earlier command":                   {"make", 1, "make test"},
		"the program after the earlier one":    {"go", 2, "gopherize "},
		"the only program, with a blank":       {"mkim", 1, "mkimage "},
		"one of several programs":              {"mk", 2, "mkindex"},
		"a program behind an assignment":       {"A=b gop", 1, "A=b gopherize "},
		"a program behind a pipe":              {"ls | gop", 1, "ls | gopherize "},
		"not where an argument stands":         {"ls gop", 1, "ls gop"},
		"nothing, for a name that is complete": {"mkindex", 1, "mkindex"},
	} {
		inBubble(t, name, func(t *testing.T) {
			s := newHarness(t, 100, 30, three())
			s.press("n")
			s.write(tt.typed)
			form := s.pane.modal.over.box.(*prompt.Form)
			for range tt.tabs {
				s.press("tab")
			}
			if got := form.Value(fieldCommand); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	inBubble(t, "on a host only earlier commands", func(t *testing.T) {
		s := newHarness(t, 100, 30, three())
		s.press("n", "down", "down")
		s.write("web1")
		s.press("up", "up")
		s.write("gop")
		s.press("tab")
		s.press("enter")
		s.calledLast(`start "gop" in "" on "web1"`)
	})
}

func TestInvalidDirectoryIsShownInItsField(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three(), func(o *options) { o.checkDir = statDir })
		s.press("n")
		s.write("make all")
		for dir, wrong := range map[string]string{file: "not a directory", file + "-gone": "no such directory"} {
			s.press("down", "ctrl+u")
			s.write(dir)
			s.press("up", "enter")
			s.sees(wrong)
			if name, _ := s.pane.modal.over.box.(*prompt.Form).Field(); name != fieldDir {
				t.Errorf("%s: the cursor is in %s", dir, name)
			}
			s.press("up")
		}
		for _, call := range s.eng.did() {
			if strings.HasPrefix(call, "start") {
				t.Errorf("the engine was called: %s", call)
			}
		}
		s.press("down", "ctrl+u")
		s.write(filepath.Dir(file))
		s.press("enter")
		s.calledLast(fmt.Sprintf(`start "make all" in %q on ""`, filepath.Dir(file)))
		s.seesNot("New job")
	})
}

func TestStartAndAttach(t *testing.T) {
	inBubble(t, "attaches", func(t *testing.T) {
		s := newHarness(t, 100, 30, three())
		s.press("n")
		s.sees("Ctrl+O start & attach")
		s.write("make all")
		s.press("ctrl+o")
		s.sees("screen of new-aaaaa")
		s.calledLast(`start "make all" in "/home/me/src" on ""`)
		if got, want := s.eng.spec.Size, TerminalSize(100, 30); got != want {
			t.Errorf("started with a terminal of %v, want %v", got, want)
		}
	})
	inBubble(t, "not to a job that failed at once", func(t *testing.T) {
		eng := three()
		eng.failStart = true
		s := newHarness(t, 100, 30, eng)
		s.press("n")
		s.write("nope")
		s.press("ctrl+o")
		s.sees("Can't start nope")
		s.sees("Jobs")
	})
	inBubble(t, "not in a form for something else", func(t *testing.T) {
		s := newHarness(t, 100, 30, three())
		s.deliver(AskMsg{Title: "web1", Text: "Password", Reply: func(string, bool) {}})
		s.pump()
		s.press("ctrl+o")
		s.sees("web1")
		s.seesNot("Ctrl+O")
	})
}

// Completions of earlier text are dropped when the user has typed more.
func TestOutdatedCompletionsAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 100, 30, three())
		s.press("n")
		s.write("cat no")
		form := s.pane.modal.over.box.(*prompt.Form)
		cmd := s.pane.forms.complete(form)
		s.write("tes")
		s.deliver(cmd())
		s.pump()
		s.write("!")
		s.sees("cat notes!")
	})
}

// A suggested directory of this machine is not used for a host.
func TestDirectoryFollowsHost(t *testing.T) {
	inBubble(t, "offered", func(t *testing.T) {
		s := newHarness(t, 100, 30, three())
		s.press("n")
		s.write("make")
		s.sees("Directory  ~/src")
		s.press("down", "down")
		s.write("w")
		s.sees("Directory  (home directory on ")
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

// A new job gets the directory of the selected job. If hob runs elsewhere, the form says so, and Tab
// offers the current directory.
func TestNewJobNamesItsDirectory(t *testing.T) {
	elsewhere := func(o *options) { o.dir = "/home/me/other" }
	for name, tt := range map[string]struct {
		keys []string
		want string
	}{
		"of the selected job":     {[]string{"n"}, "Directory  ~/src  (as npm run dev)"},
		"Tab offers the other":    {[]string{"n", "tab", "tab"}, "Directory  ~/other  (current directory)"},
		"and the first one again": {[]string{"n", "tab", "tab", "tab"}, "Directory  ~/src  (as npm run dev)"},
		"Esc withdraws the offer": {[]string{"n", "tab", "tab", "esc"}, "Directory  ~/src  (as npm run dev)"},
		"an edited one":           {[]string{"n", "tab", "x"}, "Directory  ~/srcx   "},
		"an edit":                 {[]string{"e"}, "Directory  ~/src   "},
	} {
		inBubble(t, name, func(t *testing.T) {
			s := newHarness(t, 120, 30, three(), elsewhere)
			s.press(tt.keys...)
			s.sees(tt.want)
		})
	}
	inBubble(t, "of the current directory", func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		s.press("n")
		s.sees("Directory  ~/src   ")
		s.press("tab", "tab")
		if name, _ := s.pane.modal.over.box.(*prompt.Form).Field(); name != fieldHost {
			t.Errorf("Tab goes to %s", name)
		}
	})
}
