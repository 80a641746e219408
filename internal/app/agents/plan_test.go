package agents

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// homeOf makes an empty home with one file.
func homeOf(t *testing.T, path, text string) (file string) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for _, name := range []string{"CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME", "CRUSH_GLOBAL_CONFIG", "CRUSH_SKILLS_DIR"} {
		t.Setenv(name, "")
	}
	file = filepath.Join(home, path)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func planOf(t *testing.T, name string, remove bool) Plan {
	t.Helper()
	a, ok := Find(name)
	if !ok {
		t.Fatalf("no agent %s", name)
	}
	p, err := a.Plan(remove)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func contents(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAFileThatHasChangedMeanwhileIsNotOverwritten(t *testing.T) {
	file := homeOf(t, ".claude.json", "{}\n")
	p := planOf(t, "claude", false)
	const newer = `{"startups": 2}`
	if err := os.WriteFile(file, []byte(newer), 0o600); err != nil {
		t.Fatal(err)
	}
	backups, err := p.Apply(time.Now())
	if err == nil || len(backups) != 0 || contents(t, file) != newer {
		t.Errorf("%v, copies %v: %s", err, backups, contents(t, file))
	}
}

func TestEachChangeKeepsTheFileBefore(t *testing.T) {
	const before = "{\n  \"theme\": \"dark\"\n}\n"
	file := homeOf(t, ".gemini/settings.json", before)
	if runtime.GOOS != "windows" {
		if err := os.Chmod(file, 0o640); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for round, remove := range []bool{false, true, false} {
		old := contents(t, file)
		backups, err := planOf(t, "gemini", remove).Apply(now)
		if err != nil {
			t.Fatal(err)
		}
		if len(backups) != 1 || contents(t, backups[0]) != old {
			t.Fatalf("round %d: copies %v", round, backups)
		}
		want := ".hob-20260304-050607" + []string{"", "-2", "-3"}[round]
		if !strings.HasSuffix(backups[0], want) {
			t.Errorf("round %d: the copy is %s, want …%s", round, backups[0], want)
		}
		if remove && contents(t, file) != before {
			t.Errorf("after the removal:\n%s", contents(t, file))
		}
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("the mode is %v", info.Mode())
	}
}

func TestEveryAgentIsSetUpAndRemoved(t *testing.T) {
	for _, a := range All() {
		t.Run(a.Name, func(t *testing.T) {
			kept := homeOf(t, "mine", "x")
			p := planOf(t, a.Name, false)
			if len(p.Changes) < 3 {
				t.Errorf("only %v", p.Changes)
			}
			for _, c := range p.Changes {
				if c.Outcome != string(added) {
					t.Errorf("%v", c)
				}
			}
			if _, err := p.Apply(time.Now()); err != nil {
				t.Fatal(err)
			}
			if again := planOf(t, a.Name, false); len(again.Files) != 0 {
				t.Errorf("a second setup changes %v", again.Files)
			}
			if _, err := planOf(t, a.Name, true).Apply(time.Now()); err != nil {
				t.Fatal(err)
			}
			err := filepath.WalkDir(filepath.Dir(kept), func(path string, d os.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					if strings.HasSuffix(path, "skills") || strings.HasSuffix(path, "plugins") {
						t.Errorf("%s is left", path)
					}
					return err
				}
				if !strings.Contains(path, ".hob-2") && strings.Contains(contents(t, path), "hob") {
					t.Errorf("%s is left with: %s", path, contents(t, path))
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// The user's comment and empty object were lost when hob removed the objects that it emptied.
func TestRemovalKeepsCommentsAndEmptyObjects(t *testing.T) {
	file := homeOf(t, ".gemini/settings.json", "{\"theme\":\"x\", /* keep me */ \"mcpServers\": {} // and me\n}\n")
	for _, remove := range []bool{false, true} {
		if _, err := planOf(t, "gemini", remove).Apply(time.Now()); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(contents(t, file)+"\n"), 0o600); err != nil { // as the agent might
			t.Fatal(err)
		}
	}
	const want = "{\"theme\":\"x\", /* keep me */ \"mcpServers\": {}, // and me\n\"hooks\": {\"BeforeTool\": [], \"SessionStart\": []}}\n\n\n"
	if got := contents(t, file); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A file that is as the setup left it becomes what it was. One that was changed in the meantime keeps
// the change, and the objects that are empty without hob.
func TestRemovalRestoresFiles(t *testing.T) {
	const changed = "{\n  \"mcpServers\": {},\n  \"hooks\": {\n    \"BeforeTool\": [],\n    \"SessionStart\": []\n  }\n}\n\n"
	for name, c := range map[string]struct{ before, added, after string }{
		"no file":                 {"", "", ""},
		"an empty object":         {"{}", "", "{}"},
		"blank":                   {"\n", "", "\n"},
		"the user's style":        {"{\"a\":1 ,\r\n\"hooks\":{ }, // x\r\n}", "", "{\"a\":1 ,\r\n\"hooks\":{ }, // x\r\n}"},
		"changed after the setup": {"{}\n", "\n", changed},
		"created, then changed":   {"", "\n", changed},
		"of hob before the setup": {"{\"mcpServers\": {\"hob\": {\"command\": \"hob\", \"args\": [\"mcp\"]}}}\n", "", "{\"mcpServers\": {}, \"hooks\": {\"BeforeTool\": [], \"SessionStart\": []}}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			file := homeOf(t, ".gemini/settings.json", c.before)
			if c.before == "" {
				if err := os.Remove(file); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 { // the second time, with the copies of the first
				if _, err := planOf(t, "gemini", false).Apply(time.Now()); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(file, []byte(contents(t, file)+c.added), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := planOf(t, "gemini", true).Apply(time.Now()); err != nil {
				t.Fatal(err)
			}
			switch {
			case c.after == "" && exists(file):
				t.Errorf("the file remains: %q", contents(t, file))
			case c.after != "" && contents(t, file) != c.after:
				t.Errorf("got %q, want %q", contents(t, file), c.after)
			}
		})
	}
}

func TestSetupWritesThroughLinks(t *testing.T) {
	link := homeOf(t, ".claude/settings.json", "{}\n")
	home := filepath.Dir(filepath.Dir(link))
	target := filepath.Join(home, "dotfiles", "claude.json")
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	symlink(t, filepath.Join("..", "dotfiles", "claude.json"), link) // to a missing file
	skill := filepath.Join(home, ".claude", "skills", "hob", "SKILL.md")
	shared := filepath.Join(home, "dotfiles", "SKILL.md")
	if err := os.MkdirAll(filepath.Dir(skill), 0o755); err != nil {
		t.Fatal(err)
	}
	symlink(t, shared, skill)

	if _, err := planOf(t, "claude", false).Apply(time.Now()); err != nil {
		t.Fatal(err)
	}
	if !isLink(link) || !isLink(skill) || !strings.Contains(contents(t, target), "hob hook claude") {
		t.Error("a link was replaced")
	}
	text := contents(t, shared)
	if _, err := planOf(t, "claude", true).Apply(time.Now()); err != nil {
		t.Fatal(err)
	}
	if !isLink(link) || strings.Contains(contents(t, target), "hob hook claude") {
		t.Error("the settings still have the hook, or are no link any more")
	}
	if isLink(skill) || contents(t, shared) != text {
		t.Error("the link to the skill remains, or its target has changed")
	}
}

func TestRemovalKeepsLinkedDirectories(t *testing.T) {
	mine := homeOf(t, "dotfiles/skills/README", "mine")
	home := filepath.Dir(filepath.Dir(filepath.Dir(mine)))
	link := filepath.Join(home, ".claude", "skills")
	if err := os.Mkdir(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	symlink(t, filepath.Dir(mine), link)
	for _, remove := range []bool{false, true} {
		if _, err := planOf(t, "claude", remove).Apply(time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if !isLink(link) || exists(filepath.Join(link, "hob")) || contents(t, mine) != "mine" {
		t.Error("the link is gone, or the skill is left")
	}
}

// Settings were written before it turned out that the skill cannot be.
func TestSetupChecksAllFilesFirst(t *testing.T) {
	const before = "{}\n"
	file := homeOf(t, ".gemini/settings.json", before)
	symlink(t, "missing", filepath.Join(filepath.Dir(file), "skills"))
	backups, err := planOf(t, "gemini", false).Apply(time.Now())
	if _, ok := errors.AsType[*FileError](err); !ok || len(backups) != 0 || contents(t, file) != before {
		t.Errorf("%v, copies %v: %s", err, backups, contents(t, file))
	}
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(entries) != 2 {
		t.Errorf("the directory has %v, %v", entries, err)
	}
}

func TestSetupReportsWhatItHasChanged(t *testing.T) {
	file := homeOf(t, "settings.json", "old")
	p := Plan{Files: []File{
		{Path: file, Old: []byte("old"), New: []byte("new"), given: file},
		{Path: file, Old: []byte("old"), New: []byte("newer"), given: file}, // changed by the first
	}}
	backups, err := p.Apply(time.Now())
	part, ok := errors.AsType[*PartialError](err)
	if !ok || len(backups) != 1 || !slices.Equal(part.Changed, []string{file}) || !slices.Equal(part.Backups, backups) {
		t.Errorf("%v, copies %v", err, backups)
	}
	if contents(t, file) != "new" {
		t.Errorf("the file has %s", contents(t, file))
	}
}

func symlink(t *testing.T, target, link string) {
	t.Helper()
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err) // on Windows it takes a permission
	}
}

func TestABrokenFileStopsThePlan(t *testing.T) {
	homeOf(t, ".claude/settings.json", "{")
	a, _ := Find("claude")
	if p, err := a.Plan(false); err == nil || len(p.Files) != 0 {
		t.Errorf("%v, %v", p, err)
	}
}
