//go:build linux

package local_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/testtool"
)

// failure is a command that fails for a known cause.
type failure struct {
	name   string
	tool   string // that the command needs beyond a shell; it skips the case if CI does not install it
	script string
	argv   []string // instead of script
	files  map[string]string
	cause  string // empty: not known
	says   string // matches the summary
}

const (
	goMod  = "module example\n\ngo 1.24\n"
	goMain = "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tvar m []int\n\tfmt.Println(m[5])\n}\n"
	goTest = "package a\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif got := 1 - 2; got != 3 {\n\t\tt.Errorf(\"got %d, want 3\", got)\n\t}\n}\n"
	nodeJS = "function load(c) { return c.port.toString(); }\nload({});\n"
	// readForbidden reads a file that may not be read, as another user if this one is root.
	readForbidden = `chmod 0 secret; chmod 755 .; if [ "$(id -u)" = 0 ]; then exec setpriv --reuid=65534 cat secret; fi; cat secret`
)

var failures = []failure{
	// Commands.
	{name: "command not found by hob", argv: []string{"frobnicate-zz"}, cause: "command_not_found", says: `^Could not be started: frobnicate-zz: command not found$`},
	{name: "command not found by sh", script: "frobnicate-zz", cause: "command_not_found", says: `^Exited 127: command not found: frobnicate-zz$`},
	{name: "command not found by bash", tool: "bash", script: "bash -c 'frobnicate-zz now'", cause: "command_not_found", says: `command not found: frobnicate-zz$`},
	{name: "command not found by zsh", tool: "zsh", script: "zsh -fc frobnicate-zz", cause: "command_not_found", says: `command not found: frobnicate-zz$`},
	{name: "command not found by fish", tool: "fish", script: "fish -c frobnicate-zz", cause: "command_not_found", says: `command not found: frobnicate-zz$`},
	{name: "command not found by env", script: "env frobnicate-zz", cause: "command_not_found", says: `command not found: frobnicate-zz$`},
	{name: "program not executable", argv: []string{"./run"}, files: map[string]string{"run": "echo hi\n"}, cause: "permission_denied", says: `^Could not be started: ./run: permission denied$`},
	{name: "script not executable", script: "./run", files: map[string]string{"run": "echo hi\n"}, cause: "permission_denied", says: `^Exited 126: .*Permission denied$`},
	{name: "missing interpreter", argv: []string{"./run.sh"}, files: map[string]string{"run.sh*": "#!/nowhere/sh\n"}, cause: "bad_interpreter", says: `its interpreter "/nowhere/sh": no such file`},
	{name: "line endings of Windows", script: "./run.sh", files: map[string]string{"run.sh*": "#!/bin/sh\r\necho hi\r\n"}, says: `^Exited 12[67]: .*not found`},
	{name: "directory as a file", script: "cat .", cause: "error", says: `^Exited 1: cat: .*Is a directory$`},
	{name: "file size limit", tool: "bash", script: "exec bash -c 'ulimit -f 1; exec dd if=/dev/zero of=x bs=64k count=64'", cause: "signal", says: `SIGXFSZ`},
	{name: "read-only file system", script: "echo x > /proc/sys/kernel/ostype", says: `^Exited [12]: .*(Permission denied|Read-only file system)$`},
	{name: "broken program", argv: []string{"./prog"}, files: map[string]string{"prog*": "\x7fELF\n\x01"}, cause: "not_executable", says: `^Exited 12[67]: not executable: .*prog$`},
	{name: "page as a script", script: "sh install.sh", files: map[string]string{"install.sh": "<!DOCTYPE html>\n<html>\n"}, cause: "syntax_error", says: `install.sh: (line )?\d: [Ss]yntax error`},
	{name: "port that was got over", script: "echo 'Port 5173 is in use, trying another one...'; echo 'ready in 300 ms'; echo \"Error: Cannot find module './x.js'\" >&2; exit 1", cause: "missing_module", says: `^Exited 1: Error: Cannot find module './x.js'$`},
	{name: "trouble that was got over", script: "cat nowhere.txt; echo 'using the default list instead'; echo 12 of 14 done; exit 3", cause: "", says: `^Exited 3, and its output does not show why; it ends with "12 of 14 done"$`},
	{name: "missing directory", script: "cd nowhere && make", cause: "", says: `^Exited [12]: .*nowhere`},
	{name: "shell syntax", script: "if true; then echo hi", cause: "syntax_error", says: `(?i)syntax error`},
	{name: "unset variable", script: "set -u; echo $UNSET_ZZ", cause: "error", says: `UNSET_ZZ: parameter not set`},
	{name: "missing file", script: "cat nowhere.txt", cause: "missing_file", says: `cat: nowhere.txt: No such file or directory$`},
	{name: "disk full", script: "dd if=/dev/zero of=/dev/full bs=1k count=1", cause: "disk_full", says: `No space left on device$`},
	{name: "permission denied", tool: "setpriv", script: readForbidden, files: map[string]string{"secret": "x"}, cause: "permission_denied", says: `Permission denied$`},
	{name: "missing library", tool: "gcc", script: "gcc -shared -o libzz.so lib.c && gcc -o prog prog.c -L. -lzz && rm libzz.so && ./prog", files: map[string]string{"lib.c": "int zz(void){return 0;}\n", "prog.c": "int zz(void);\nint main(void){return zz();}\n"}, cause: "missing_library", says: `shared library not found: libzz.so$`},
	{name: "unknown option", script: "ls --frobnicate", cause: "invalid_usage", says: `frobnicate`},
	{name: "quiet failure", script: "echo last words; exit 3", cause: "", says: `^Exited 3, and its output does not show why; it ends with "last words"$`},
	{name: "word of an error", script: "echo checksum mismatch in data.bin; echo bye; exit 3", cause: "error", says: `^Exited 3, and this line may say why: checksum mismatch in data.bin; its output ends with "bye"$`},
	{name: "word of an error at the end", script: "echo reading; echo checksum mismatch in data.bin; exit 3", cause: "error", says: `^Exited 3, and its last line may say why: checksum mismatch in data.bin$`},
	{name: "beginning of a long output", script: "echo Error: no config.toml; seq 100000; exit 3", cause: "error", says: `^Exited 3, and this line may say why: Error: no config.toml; its output ends with "100000"$`},
	{name: "long output without a cause", script: "seq 100000; exit 3", cause: "", says: `^Exited 3, and the beginning and the end of its output do not show why; it ends with "100000"$`},
	{name: "very long line", script: "printf 'Error: '; seq -s, 800; exit 3", cause: "error", says: `^Exited 3: Error: 1,2,3,[0-9,]+…$`},
	{name: "progress bar", script: `printf '10%%\r50%%\r\033[31mError: no space in the index\033[0m\n'; exit 3`, cause: "error", says: `^Exited 3: Error: no space in the index$`},
	{name: "missing parameter", tool: "bash", script: `bash -c ': ${1:?usage: deploy ENV}'`, cause: "error", says: `^Exited 127: .*usage: deploy ENV$`},
	{name: "code of a missing command", script: "echo ready; exit 127", cause: "", says: `^Exited 127, with which shells report that a command was not found; it ends with "ready"$`},
	{name: "nothing printed", script: "exit 9", cause: "", says: `^Exited 9, and its output does not show why$`},

	// Signals.
	{name: "terminated by another process", script: "kill -TERM $$", cause: "signal", says: `^Killed by SIGTERM, which hob did not send`},
	{name: "killed by another process", script: "kill -KILL $$", cause: "signal", says: `^Killed by SIGKILL, which hob did not send`},
	{name: "hung up", script: "kill -HUP $$", cause: "signal", says: `^Killed by SIGHUP, which hob did not send \(terminal closed\)`},
	{name: "interrupted", script: "kill -INT $$; sleep 5", cause: "signal", says: `SIGINT`},
	{name: "child killed", script: "sh -c 'kill -KILL $$'; exit $?", cause: "error", says: `Killed`},
	{name: "broken pipe", tool: "bash", script: "bash -c 'set -o pipefail; yes 2>/dev/null | true; exit ${PIPESTATUS[0]}'", cause: "signal", says: `SIGPIPE`},

	// C.
	{name: "C: undeclared", tool: "gcc", script: "gcc main.c", files: map[string]string{"main.c": "int main(void) {\n  return count;\n}\n"}, cause: "compile_error", says: `main.c:2:10: error: .count. undeclared`},
	{name: "C: missing header", tool: "gcc", script: "gcc main.c", files: map[string]string{"main.c": "#include \"zz.h\"\n"}, cause: "compile_error", says: `main.c:1:10: fatal error: zz.h`},
	{name: "C: undefined reference", tool: "gcc", script: "gcc main.c", files: map[string]string{"main.c": "int zz(void);\nint main(void) { return zz(); }\n"}, cause: "link_error", says: "undefined reference to .zz'"},
	{name: "C: missing library", tool: "gcc", script: "gcc main.c -lzz", files: map[string]string{"main.c": "int main(void) { return 0; }\n"}, cause: "link_error", says: `cannot find -lzz`},
	{name: "C: null pointer", tool: "gcc", script: "gcc -o a main.c && exec ./a", files: map[string]string{"main.c": "int main(void) { int *volatile p = 0; *p = 1; return 0; }\n"}, cause: "signal", says: `^Killed by SIGSEGV \(invalid memory access\)`},
	{name: "C: null pointer in a script", tool: "gcc", script: "gcc -o a main.c && ./a; exit $?", files: map[string]string{"main.c": "int main(void) { int *volatile p = 0; *p = 1; return 0; }\n"}, cause: "invalid_memory_access", says: `^Exited 139: invalid memory access: Segmentation fault`},
	{name: "C: assertion", tool: "gcc", script: "gcc -o a main.c && exec ./a", files: map[string]string{"main.c": "#include <assert.h>\nint main(void) { volatile int n = 1; assert(n == 2); }\n"}, cause: "assertion_failed", says: `Assertion .n == 2' failed`},
	{name: "C: double free", tool: "gcc", script: "gcc -w -o a main.c && exec ./a", files: map[string]string{"main.c": "#include <stdlib.h>\nint main(void) { char *volatile p = malloc(8); free(p); free(p); }\n"}, cause: "invalid_memory_access", says: `double free`},

	// Go.
	{name: "Go: build", script: "go build ./...", files: map[string]string{"go.mod": goMod, "main.go": "package main\n\nfunc main() {\n\tx := 1\n}\n"}, cause: "compile_error", says: `main.go:4:2: declared and not used: x$`},
	{name: "Go: panic", script: "go run .", files: map[string]string{"go.mod": goMod, "main.go": goMain}, cause: "panic", says: `index out of range \[5\] with length 0 \(main.go:7\)$`},
	{name: "Go: test", script: "go test ./...", files: map[string]string{"go.mod": goMod, "a_test.go": goTest}, cause: "test_failed", says: `TestAdd: a_test.go:7: got -1, want 3$`},
	{name: "Go: missing module", script: "GOPROXY=off GOFLAGS=-mod=mod go build ./...", files: map[string]string{"go.mod": goMod, "main.go": "package main\n\nimport _ \"example.org/zz\"\n\nfunc main() {}\n"}, cause: "missing_module", says: `example.org/zz`},

	// Python.
	{name: "Python: exception", tool: "python3", script: "python3 app.py", files: map[string]string{"app.py": "def f(d):\n    return d['key']\nf({})\n"}, cause: "uncaught_exception", says: `KeyError: 'key' \(app.py:2\)$`},
	{name: "Python: missing module", tool: "python3", script: "python3 -c 'import zz_nowhere'", cause: "missing_module", says: `No module named 'zz_nowhere'`},
	{name: "Python: syntax", tool: "python3", script: "python3 app.py", files: map[string]string{"app.py": "def f(:\n  pass\n"}, cause: "syntax_error", says: `SyntaxError: .* \(app.py:1\)$`},
	{name: "Python: missing file", tool: "python3", script: "python3 app.py", files: map[string]string{"app.py": "open('settings.toml')\n"}, cause: "missing_file", says: `FileNotFoundError: .*settings.toml`},
	{name: "Python: port in use", tool: "python3", script: "python3 app.py", files: map[string]string{"app.py": "import socket\na = socket.create_server(('127.0.0.1', 0))\nsocket.create_server(a.getsockname())\n"}, cause: "port_in_use", says: `in use`},
	{name: "Python: memory", tool: "python3", script: "python3 app.py", files: map[string]string{"app.py": "import resource\nresource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))\nbytearray(1 << 30)\n"}, cause: "out_of_memory", says: `MemoryError`},
	{name: "Python: connection refused", tool: "python3", script: "python3 app.py", files: map[string]string{"app.py": "import socket\nsocket.create_connection(('127.0.0.1', 9))\n"}, cause: "connection_refused", says: `Connection refused`},
	{name: "Python: too many files", tool: "python3", script: "python3 app.py", files: map[string]string{"app.py": "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))\nf = [open('/dev/null') for _ in range(50)]\n"}, cause: "too_many_open_files", says: `Too many open files`},
	{name: "Python: assertion", tool: "python3", script: "python3 -c 'assert 1 == 2, \"numbers differ\"'", cause: "assertion_failed", says: `numbers differ`},
	{name: "Python: unittest", tool: "python3", script: "python3 -m unittest -q", files: map[string]string{"test_a.py": "import unittest\nclass T(unittest.TestCase):\n    def test_x(self):\n        self.assertEqual(1, 2)\n"}, cause: "test_failed", says: `test_x .*AssertionError: 1 != 2 \(test_a.py:4\)$`},
	{name: "Python: arguments", tool: "python3", script: "python3 app.py --prt 5", files: map[string]string{"app.py": "import argparse\np = argparse.ArgumentParser()\np.parse_args()\n"}, cause: "invalid_usage", says: `unrecognized arguments: --prt 5$`},
	{name: "Python: message", tool: "python3", script: "python3 -c 'import sys; sys.exit(\"config.yaml: port is missing\")'", cause: "error", says: `config.yaml: port is missing$`},

	// JavaScript.
	{name: "Node: exception", tool: "node", script: "node app.js", files: map[string]string{"app.js": nodeJS}, cause: "uncaught_exception", says: `TypeError: .*toString.* \(app.js:1\)$`},
	{name: "Node: missing module", tool: "node", script: "node app.js", files: map[string]string{"app.js": "require('zz-nowhere')\n"}, cause: "missing_module", says: `Cannot find module 'zz-nowhere'`},
	{name: "Node: syntax", tool: "node", script: "node app.js", files: map[string]string{"app.js": "function ( {\n"}, cause: "syntax_error", says: `SyntaxError`},
	{name: "Node: port in use", tool: "node", script: "node app.js", files: map[string]string{"app.js": "const net = require('net'); const a = net.createServer().listen(0, '127.0.0.1', () => net.createServer().listen(a.address().port, '127.0.0.1'));\n"}, cause: "port_in_use", says: `^Exited 1: port \d+ is in use$`},
	{name: "Node: rejected promise", tool: "node", script: "node app.js", files: map[string]string{"app.js": "Promise.reject(new Error('cannot connect'))\n"}, cause: "uncaught_exception", says: `Error: cannot connect \(app.js:1\)$`},
	{name: "npm: missing script", tool: "npm", script: "npm run build --no-update-notifier", files: map[string]string{"package.json": `{"name":"x","version":"1.0.0"}`}, cause: "error", says: `Missing script: "build"$`},

	// Perl and tools.
	{name: "Perl: die", tool: "perl", script: `perl -e 'open(my $f, "<", "zz.ini") or die "cannot open zz.ini: $!"'`, cause: "missing_file", says: `cannot open zz.ini: No such file`},
	{name: "Perl: missing module", tool: "perl", script: "perl -e 'use Zz::Nowhere;'", cause: "missing_module", says: `Can't locate Zz/Nowhere.pm`},
	{name: "git: no repository", tool: "git", script: "GIT_CEILING_DIRECTORIES=/ git -C / status", cause: "error", says: `not a git repository`},
	{name: "curl: refused", tool: "curl", script: "curl --noproxy '*' -sS http://127.0.0.1:9/", cause: "connection_refused", says: `127.0.0.1 port 9`},
	{name: "curl: unknown host", tool: "curl", script: "curl --noproxy '*' -sS http://nowhere.invalid/", cause: "host_not_found", says: `host not found: nowhere.invalid$`},
	{name: "ssh: refused", tool: "ssh", script: "ssh -F /dev/null -p 9 -o BatchMode=yes 127.0.0.1 true", cause: "connection_refused", says: `port 9: Connection refused$`},
	{name: "tar: missing archive", tool: "tar", script: "tar xf zz.tar", cause: "missing_file", says: `zz.tar: Cannot open: No such file`},
	{name: "grep: no match", tool: "grep", script: "echo a | grep b", cause: "", says: `^Exited 1, and its output does not show why$`},
}

// Failures that are made for real are explained by their causes.
func TestExplainRealFailures(t *testing.T) {
	if testing.Short() {
		t.Skip("-short") // compilers need most of its time
	}
	t.Parallel()
	dir := shortDir(t)
	p := openPlace(t, filepath.Join(dir, "state"))
	e, err := engine.New(engine.WithStateDir(p.root.Path()), engine.WithBackend(p.b))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	// One after the other: compilers share the machine with other tests.
	for _, f := range failures {
		t.Run(f.name, func(t *testing.T) {
			if f.tool != "" {
				testtool.Need(t, f.tool)
			}
			job := runFailure(t, e, f)
			x, err := e.Handle(job.ID).Explain(t.Context(), true)
			if err != nil {
				t.Fatal(err)
			}
			if x.Cause != f.cause && f.cause != "" || !regexp.MustCompile(f.says).MatchString(x.Summary) {
				t.Errorf("%s: %q; want %s: %q", x.Cause, x.Summary, f.cause, f.says)
			}
		})
	}
}

// runFailure runs a command to its end.
func runFailure(t *testing.T, e *engine.Engine, f failure) engine.Job {
	t.Helper()
	dir := t.TempDir()
	for name, text := range f.files {
		mode := os.FileMode(0o644)
		if trimmed, ok := strings.CutSuffix(name, "*"); ok {
			name, mode = trimmed, 0o755
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	env := append(os.Environ(), "LC_ALL=C.UTF-8", "GOFLAGS=", "NODE_OPTIONS=", "PYTHONDONTWRITEBYTECODE=1")
	if cache, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output(); err == nil {
		env = append(env, "GOCACHE="+strings.TrimSpace(string(cache)))
	}
	r, err := e.Run(t.Context(), engine.Spec{Command: f.argv, Script: f.script, Dir: dir, Timeout: 5 * time.Minute}, engine.RunOptions{
		Start: []engine.StartOption{engine.WithEnviron(env)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r.Job
}
