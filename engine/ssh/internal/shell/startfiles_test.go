//go:build unix

package shell

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hobjobs/hob/internal/testtool"
)

// loginShell returns how a server runs [Command] with that login shell, whose start-up file there is rc.
func loginShell(t *testing.T, name, rc string) (argv, env []string) {
	t.Helper()
	testtool.Need(t, name)
	home := t.TempDir()
	file := filepath.Join(home, map[string]string{"zsh": ".zshenv", "fish": ".config/fish/config.fish"}[name])
	argv, env = []string{name, "-c", Command}, append(os.Environ(), "HOME="+home, "ZDOTDIR="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"))
	switch name {
	case "bash": // bash that is no child of a server's reads no ~/.bashrc
		file = filepath.Join(home, ".bashrc")
		env = append(env, "BASH_ENV="+file)
	case "dash": // dash has no such file; a wrapper as login shell may do the same
		file = filepath.Join(home, "rc")
		argv[2] = ". " + file + "; " + Command
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(rc+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return argv, env
}

// Start-up files that read what is meant for sh take no part of a script, whose rest would be run.
func TestStartUpFilesThatReadTheirInput(t *testing.T) {
	const prelude = "greet() {\necho hello >>\"$HARM\"\ntouch \"$HARM\"\necho \"hello $1\"\n}\n"
	for shell, readers := range map[string]map[string]string{
		"bash": {"a line": "read -t 1 x", "two lines": "read x; read x", "bytes": "head -c 7 >/dev/null", "all there is": "timeout 1 cat >/dev/null"},
		"dash": {"a line": "read x", "two lines": "read x; read x", "bytes": "head -c 7 >/dev/null", "all there is": "timeout 1 cat >/dev/null"},
		"zsh":  {"a line": "read -t 1 x", "two lines": "read x; read x", "bytes": "read -k 7 -u 0 x", "all there is": "timeout 1 cat >/dev/null"},
		"fish": {"a line": "read x >/dev/null", "two lines": "read x; read x", "bytes": "read -n 7 x", "all there is": "timeout 1 cat >/dev/null"},
	} {
		for what, rc := range readers {
			t.Run(shell+" reads "+what, func(t *testing.T) {
				t.Parallel()
				harm := filepath.Join(t.TempDir(), "harm")
				argv, env := loginShell(t, shell, rc)
				p := newProgram(&Program{argv: argv, env: append(env, "HARM="+harm)})
				defer p.Close()
				ch, err := p.Open(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				s := NewSession(ch, prelude, patience)
				defer s.Close()
				a, err := s.Do(t.Context(), "type greet >/dev/null && echo one", patience)
				if err != nil || string(a.Out) != "one\n" {
					t.Errorf("the answer is %q, %v", a.Out, err)
				}
				if _, err := os.Stat(harm); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("a part of the script was run: %v", err)
				}
			})
		}
	}
}

// If a start-up file executes another shell, sh is never started, and that shell runs the scripts of hob.
func TestStartUpFilesThatBeginAnotherShell(t *testing.T) {
	for _, rc := range []string{"exec dash", "exec zsh", "exec zsh -l", "exec bash --noprofile"} {
		t.Run(rc, func(t *testing.T) {
			t.Parallel()
			testtool.Need(t, "dash", "zsh")
			argv, env := loginShell(t, "bash", `[ -z "${AGAIN-}" ] || return; export AGAIN=1; `+rc)
			p := newProgram(&Program{argv: argv, env: env})
			defer p.Close()
			ch, err := p.Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			s := NewSession(ch, "count() {\necho $#\n}\n", patience)
			defer s.Close()
			a, err := s.Do(t.Context(), `words="a b"; count $words /nothing*`, patience)
			if err != nil || string(a.Out) != "3\n" {
				t.Errorf("the answer is %q, %v", a.Out, err)
			}
		})
	}
}

// Likewise for the script that replaces a sh by one elsewhere.
func TestEnterPastStartUpFilesThatReadTheirInput(t *testing.T) {
	for _, rc := range []string{"read x", "read x; read x", "head -c 4 >/dev/null"} {
		argv, env := loginShell(t, "bash", rc)
		p := newProgram(&Program{argv: argv, env: env})
		defer p.Close()
		ch, err := p.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := Enter(context.WithoutCancel(t.Context()), ch, "sh", patience); err != nil {
			t.Fatalf("%s: %v", rc, err)
		}
		s := NewSession(ch, ":", patience)
		if a, err := s.Do(t.Context(), "echo there", patience); err != nil || string(a.Out) != "there\n" {
			t.Errorf("%s: %q, %v", rc, a.Out, err)
		}
		s.Close()
	}
}

const patience = time.Minute
