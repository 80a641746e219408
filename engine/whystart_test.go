package engine

import (
	"os"
	"path/filepath"
	"testing"
)

func TestStartHint(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"server.js": 0o644, "script": 0o644, "tool": 0o755} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "web"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		command []string
		want    string
	}{
		"a line of shell":    {[]string{"ls | wc"}, "to run a shell command line: hob run -c 'ls | wc'"},
		"a variable":         {[]string{"FOO=bar", "make"}, "to set a variable: hob run -e FOO=bar make"},
		"two variables":      {[]string{"A=1", "B=x y", "make", "-j"}, "to set a variable: hob run -e A=1 -e 'B=x y' make -j"},
		"only a variable":    {[]string{"A=1"}, "to set a variable: hob run -e A=1 COMMAND"},
		"an option with =":   {[]string{"--a=b"}, ""},
		"a builtin":          {[]string{"cd", "web"}, "cd is a shell command: hob run -c 'cd web'"},
		"one of bash":        {[]string{"source", "env"}, "source is a shell command: hob run bash -c 'source env'"},
		"a program here":     {[]string{"tool", "-v"}, "a program in this directory needs its path: hob run ./tool -v"},
		"a script here":      {[]string{"server.js"}, "server.js is not executable; to run it: hob run node server.js"},
		"not executable":     {[]string{"./script"}, "./script is not executable; to fix this: chmod +x ./script"},
		"executable already": {[]string{"./tool"}, ""},
		"a directory":        {[]string{"web"}, "web is a directory; to run a command there: hob run -C web COMMAND"},
		"nothing there":      {[]string{"./missing"}, ""},
		"a script":           {nil, ""},
	} {
		if got := startHint(dir, c.command); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestAliasHintNamesTheUsersShell(t *testing.T) {
	for shell, want := range map[string]string{
		"/usr/bin/zsh": "if ll is an alias or function of your shell: hob run zsh -ic 'll -h'",
		"":             "if ll is an alias or function of your shell: hob run bash -ic 'll -h'",
	} {
		t.Setenv("SHELL", shell)
		if got := aliasHint([]string{"ll", "-h"}); got != want {
			t.Errorf("SHELL=%q: %q, want %q", shell, got, want)
		}
	}
}
