package cause

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// want is what a failure must be recognized as: its kind, and a part of the phrase.
type want struct {
	kind   Kind
	phrase string
}

var wants = map[string]want{
	"sh-not-found":        {CommandNotFound, "^command not found: frobnicate$"},
	"bash-not-found":      {CommandNotFound, "^command not found: kubectll$"},
	"zsh-not-found":       {CommandNotFound, "^command not found: frobnicate$"},
	"fish-not-found":      {CommandNotFound, "^command not found: frobnicate$"},
	"sh-syntax":           {SyntaxError, `^script.sh: 3: Syntax error: end of file unexpected`},
	"bash-syntax":         {SyntaxError, `^script.sh: line 1: syntax error near unexpected token .fi'$`},
	"bash-unbound":        {Unknown, `UNDEFINED: unbound variable$`},
	"not-executable":      {Permission, `./run.sh: Permission denied$`},
	"bad-interpreter":     {BadInterpreter, `^interpreter not found: ./run.py$`},
	"bad-interpreter-sh":  {BadInterpreter, `^interpreter not found: ./run.py$`},
	"missing-file":        {MissingFile, `^cat: does-not-exist.txt: No such file`},
	"permission":          {Permission, `^cat: secret: Permission denied$`},
	"mkdir-permission":    {Permission, `/root/x.: Permission denied$`},
	"disk-full":           {DiskFull, `No space left on device$`},
	"env-exec":            {CommandNotFound, `^command not found: doesnotexist$`},
	"missing-library":     {MissingLibrary, `^shared library not found: libfoo.so$`},
	"make-missing-target": {Unknown, `No rule to make target 'nothing'`},
	"make-error":          {CompileError, `^prog.c:1:20: error: .x. undeclared`},
	"make-missing-dep":    {Unknown, `No rule to make target 'foo.o', needed by 'all'`},
	"make-sep":            {Unknown, `missing separator`},
	"gcc-undeclared":      {CompileError, `main.c:3:18: error: .count. undeclared`},
	"gcc-missing-header":  {CompileError, `main.c:1:10: fatal error: config.h: No such file`},
	"gcc-link":            {LinkError, "undefined reference to .helper'$"},
	"gcc-lib":             {LinkError, `cannot find -lnosuch`},
	"c-assert":            {Assertion, "Assertion .n == 2' failed"},
	"c-abort":             {MemoryError, `double free detected`},
	"c-asan":              {MemoryError, `AddressSanitizer: heap-buffer-overflow \(main.c:2\)$`},
	"g++-type":            {CompileError, `main.cc:2:29: error: conversion from`},
	"cpp-throw":           {Exception, `^exception: std::runtime_error: bad config$`},
	"cpp-outofrange":      {Exception, `^exception: std::out_of_range: vector::_M_range_check`},
	"go-build":            {CompileError, `main.go:2:14: declared and not used: x$`},
	"go-vet-type":         {CompileError, `main.go:2:29: cannot use 5`},
	"go-panic":            {Panic, `^panic: runtime error: index out of range \[5\] with length 0 \(main.go:5\)$`},
	"go-panic-nil":        {Panic, `nil pointer dereference \(main.go:4\)$`},
	"go-panic-custom":     {Panic, `^panic: cannot load config \(main.go:3\)$`},
	"go-deadlock":         {Deadlock, `all goroutines are asleep - deadlock! \(main.go:3\)$`},
	"go-logfatal":         {MissingFile, `open settings.toml: no such file or directory$`},
	"go-test":             {TestFailure, `^test failed: TestAdd: a_test.go:3: Add\(1, 2\) = -1, want 3$`},
	"go-test-panic":       {TestFailure, `^test failed: TestBoom: panic: assignment to entry in nil map \(a_test.go:4\)$`},
	"go-test-build":       {CompileError, `a_test.go:3:27: undefined: undefinedFunc$`},
	"go-test-timeout":     {TestFailure, `test timed out after 1s: TestSlow$`},
	"go-mod":              {MissingModule, `cannot find module providing package github.com/nosuch/pkg`},
	"go-race":             {DataRace, `DATA RACE \(main.go:4\)$`},
	"go-port":             {PortInUse, `^port 8931 is in use$`},
	"rust-type":           {CompileError, `error\[E0308\]: mismatched types \(src/main.rs:2\)$`},
	"rust-borrow":         {CompileError, `borrow of moved value: .s. \(src/main.rs:4\)$`},
	"rust-panic":          {Panic, `index out of bounds: the len is 0 but the index is 2 \(src/main.rs:4\)$`},
	"rust-unwrap":         {MissingFile, `No such file or directory" } \(src/main.rs:2\)$`},
	"rust-main-err":       {MissingFile, `No such file or directory`},
	"rust-test":           {TestFailure, `^test failed: tests::adds: assertion .left == right. failed, left: 2, right: 3 \(src/lib.rs:4\)$`},
	"cargo-none":          {Unknown, `could not find .Cargo.toml. in`},
	"cargo-dep":           {MissingModule, `no matching package named .nosuchcrate. found`},
	"py-traceback":        {Exception, `^exception: KeyError: 'key' \(app.py:2\)$`},
	"py-module":           {MissingModule, `No module named 'reqests' \(app.py:1\)$`},
	"py-syntax":           {SyntaxError, `SyntaxError: invalid syntax \(app.py:1\)$`},
	"py-indent":           {SyntaxError, `IndentationError: expected an indented block.* \(app.py:2\)$`},
	"py-file":             {MissingFile, `FileNotFoundError: .*'settings.toml' \(app.py:1\)$`},
	"py-nofile":           {MissingFile, `can't open file '.*missing.py'`},
	"py-chained":          {Exception, `RuntimeError: cannot divide \(app.py:4\)$`},
	"py-assert":           {Assertion, `AssertionError: numbers differ \(app.py:1\)$`},
	"py-pytest":           {TestFailure, `test_a.py::test_add - assert \(1 \+ 1\) == 3$`},
	"py-pytest-error":     {TestFailure, `test_a.py: ModuleNotFoundError: No module named 'nosuchmodule'$`},
	"py-unittest":         {TestFailure, `test_x \(test_a.T.test_x\): AssertionError: 1 != 2 \(test_a.py:4\)$`},
	"py-port":             {PortInUse, `Address already in use \(app.py:3\)$`},
	"py-http-port":        {PortInUse, `Address already in use`},
	"py-memory":           {OutOfMemory, `MemoryError`},
	"py-refused":          {ConnectionRefused, `Connection refused`},
	"py-dns":              {HostNotFound, `Name or service not known`},
	"py-kbd":              {Interrupted, `KeyboardInterrupt`},
	"py-exit-msg":         {Unknown, `key 'port' is missing$`},
	"py-argparse":         {Usage, `^invalid usage: unrecognized arguments: --prt 5$`},
	"py-recursion":        {Exception, `RecursionError: maximum recursion depth exceeded`},
	"node-throw":          {Exception, `TypeError: Cannot read properties of undefined \(reading 'toString'\) \(app.js:1\)$`},
	"node-module":         {MissingModule, `Cannot find module 'expresss' \(app.js:1\)$`},
	"node-esm":            {MissingModule, `Cannot find package 'expresss'`},
	"node-syntax":         {SyntaxError, `SyntaxError: .* \(app.js:1\)$`},
	"node-port":           {PortInUse, `^port 8934 is in use$`},
	"node-reject":         {Exception, `Error: cannot connect to database \(app.js:1\)$`},
	"node-enoent":         {MissingFile, `no such file or directory, open 'settings.json' \(app.js:1\)$`},
	"node-heap":           {OutOfMemory, `heap out of memory$`},
	"node-nofile":         {MissingModule, `Cannot find module '/work/project/missing.js'$`},
	"node-test":           {TestFailure, `^test failed: adds: 2 !== 3$`},
	"npm-script":          {Unknown, `^Missing script: "build"$`},
	"npm-nopkg":           {MissingFile, `Could not read package.json`},
	"npm-child":           {Exception, `Error: database url is not set \(a.js:1\)$`},
	"npm-child-notfound":  {CommandNotFound, `^command not found: jestt$`},
	"tsc":                 {CompileError, `a.ts\(1,7\): error TS2322`},
	"jest":                {TestFailure, `^test failed: adds: .*, Expected: 3, Received: 2 \(a.test.js:1\)$`},
	"mocha":               {TestFailure, `^test failed: math adds: AssertionError.*: 2 == 3 \(a.js:1\)$`},
	"vitest":              {TestFailure, `a.test.js > adds: AssertionError: expected 2 to be 3`},
	"eslint":              {CompileError, `1:7 error 'x' is assigned a value but never used no-unused-vars \(a.js\)$`},
	"javac":               {CompileError, `Main.java:3: error: incompatible types`},
	"java-exception":      {Exception, `NullPointerException: Cannot invoke .* \(Main.java:4\)$`},
	"java-caused":         {Exception, `RuntimeException: bad config, caused by java.lang.NumberFormatException: For input string: "x" \(Main.java:3\)$`},
	"java-noclass":        {MissingModule, `NoSuchMain`},
	"java-heap":           {OutOfMemory, `OutOfMemoryError: Java heap space \(Main.java:4\)$`},
	"java-jar":            {MissingFile, `Unable to access jarfile nosuch.jar$`},
	"mvn-nopom":           {Unknown, `there is no POM in this directory`},
	"ruby":                {Exception, `key not found: :port \(KeyError\)$`},
	"ruby-require":        {MissingModule, `cannot load such file -- railss`},
	"ruby-syntax":         {SyntaxError, "app.rb:3: syntax error, unexpected .end'"},
	"php":                 {Exception, `Call to a member function b\(\) on null in /work/project/app.php:2$`},
	"php-parse":           {SyntaxError, `unexpected token ";" in /work/project/app.php on line 2$`},
	"php-exception":       {Exception, `RuntimeException: no database in /work/project/app.php:2$`},
	"perl":                {MissingFile, `cannot open settings.ini: No such file or directory at app.pl line 2`},
	"perl-module":         {MissingModule, `Can't locate Nosuch/Module.pm`},
	"perl-syntax":         {SyntaxError, `Global symbol "\$x" requires explicit package name`},
	"lua":                 {Exception, `app.lua:2: attempt to index a nil value \(local 't'\)$`},
	"tcl":                 {Exception, `divide by zero$`},
	"curl-refused":        {ConnectionRefused, `Failed to connect to 127.0.0.1 port 9`},
	"curl-dns":            {HostNotFound, `^host not found: no-such-host.invalid$`},
	"wget-refused":        {ConnectionRefused, `Connection refused`},
	"ssh-refused":         {ConnectionRefused, `connect to host 127.0.0.1 port 9: Connection refused$`},
	"git-norepo":          {Unknown, `^fatal: not a git repository`},
	"git-clone":           {ConnectionRefused, `unable to access 'http://127.0.0.1:9/x.git/'`},
	"git-conflict":        {Unknown, `pathspec 'nosuch' did not match`},
	"tar-missing":         {MissingFile, `nosuch.tar.gz: Cannot open: No such file or directory$`},
	"docker":              {Unknown, `Cannot connect to the Docker daemon`},
	"grep-nomatch":        {},
	"diff":                {},
	"exit3":               {},
}

func TestFindInRealFailures(t *testing.T) {
	data, err := os.ReadFile("testdata/failures.txtar")
	if err != nil {
		t.Fatal(err)
	}
	tried := map[string]bool{}
	for _, f := range txtar.Parse(data).Files {
		name, exit, _ := strings.Cut(f.Name, " ")
		tried[name] = true
		t.Run(name, func(t *testing.T) {
			code, err := strconv.Atoi(exit)
			if err != nil {
				t.Fatal(err)
			}
			w, ok := wants[name]
			if !ok {
				t.Fatal("the table has no such case")
			}
			checkCause(t, string(f.Data), code, w)
		})
	}
	for name := range wants {
		if !tried[name] {
			t.Errorf("there is no output of %s", name)
		}
	}
}

func checkCause(t *testing.T, output string, code int, w want) {
	t.Helper()
	c, ok := Find(strings.Split(strings.TrimRight(output, "\n"), "\n"), code)
	switch {
	case ok != (w.kind != ""):
		t.Errorf("found %v: %+v", ok, c)
	case c.Kind != w.kind || !regexp.MustCompile(w.phrase).MatchString(c.Phrase()):
		t.Errorf("%s: %q, want %s: %q", c.Kind, c.Phrase(), w.kind, w.phrase)
	}
}

// Reports of programs that the corpus does not have, in the form that their documentation shows.
func TestFindInOtherReports(t *testing.T) {
	for name, c := range map[string]struct {
		output string
		code   int
		want   want
	}{
		"csc":        {"Program.cs(3,9): error CS0103: The name 'x' does not exist in the current context [/src/app.csproj]", 1, want{CompileError, "CS0103"}},
		"dotnet run": {"Unhandled exception. System.InvalidOperationException: no rows\n   at Shop.Main(String[] args) in /src/Shop.cs:line 7", 134, want{Exception, `InvalidOperationException: no rows \(Shop.cs:7\)$`}},
		"dotnet test": {
			"  Failed Shop.Tests.Adds [5 ms]\n  Error Message:\n   Assert.Equal() Failure: Values differ\nExpected: 3\nActual:   2", 1,
			want{TestFailure, `Shop.Tests.Adds: Assert.Equal\(\) Failure`},
		},
		"kotlinc": {"e: file:///src/Main.kt:3:5 Unresolved reference: foo", 1, want{CompileError, "Unresolved reference: foo"}},
		"swiftc":  {"main.swift:2:7: error: cannot find 'x' in scope", 1, want{CompileError, "cannot find 'x' in scope"}},
		"gradle":  {"> Task :test FAILED\n\nMathTest > adds() FAILED\n    org.opentest4j.AssertionFailedError at MathTest.java:12\n", 1, want{TestFailure, "MathTest > adds.*AssertionFailedError"}},
		"maven test": {
			"[ERROR] Failures: \n[ERROR]   MathTest.adds:12 expected: <3> but was: <2>\n[ERROR] Failed to execute goal org.apache.maven.plugins", 1,
			want{TestFailure, "MathTest.adds:12 expected: <3> but was: <2>"},
		},
		"maven compile": {"[ERROR] COMPILATION ERROR : \n[ERROR] /src/Main.java:[3,13] incompatible types", 1, want{CompileError, `Main.java:\[3,13\] incompatible types`}},
		"rspec":         {"  1) Cart adds\n     Failure/Error: expect(cart.total).to eq(3)\n\n       expected: 3\n            got: 2\n", 1, want{TestFailure, `expect\(cart.total\).to eq\(3\): expected: 3`}},
		"phpunit":       {"There was 1 failure:\n\n1) CartTest::testAdd\nFailed asserting that 2 matches expected 3.\n", 1, want{TestFailure, "CartTest::testAdd: Failed asserting that 2 matches"}},
		"elixir":        {"** (RuntimeError) no config\n    app.exs:1: (file)", 1, want{Exception, `RuntimeError\) no config`}},
		"ghc":           {"Main.hs:3:8: error: Variable not in scope: foo", 1, want{CompileError, "Variable not in scope: foo"}},
		"node address":  {"Error: listen EADDRINUSE: address already in use :::3000\n    at Server.setupListenHandle", 1, want{PortInUse, "^port 3000 is in use$"}},
		"cmake":         {"CMake Error at CMakeLists.txt:3 (find_package):\n  Could not find a package configuration file provided by \"Foo\"", 1, want{CompileError, "Could not find a package configuration file"}},
		"compiler out of memory": {
			"g++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.\nmake: *** [Makefile:2: a.o] Error 1", 2,
			want{OutOfMemory, "cc1plus"},
		},
		"kubectl":                      {`Error from server (NotFound): pods "web" not found`, 1, want{Unknown, `pods "web" not found`}},
		"apt":                          {"Reading package lists...\nE: Unable to locate package frobnicate", 100, want{Unknown, "Unable to locate package frobnicate"}},
		"pip":                          {"ERROR: No matching distribution found for frobnicate", 1, want{Unknown, "No matching distribution found for frobnicate"}},
		"go exec":                      {`exec: "frobnicate": executable file not found in $PATH`, 1, want{CommandNotFound, "^command not found: frobnicate$"}},
		"old python":                   {"  File \"app.py\", line 1\n    print 1\n          ^\nSyntaxError: Missing parentheses", 1, want{SyntaxError, `Missing parentheses \(app.py:1\)$`}},
		"a warning first":              {"warning: frob: command not found, skipped\nmain.c:1:1: error: expected ';'", 1, want{CompileError, "expected ';'"}},
		"no errors":                    {"0 errors, 0 warnings\nchecked 12 files", 1, want{}},
		"a success":                    {"all 3 tests passed", 1, want{}},
		"linter":                       {"app/models.py:3:8: F401 [*] `os` imported but unused\nFound 1 error.\n[*] 1 fixable with the `--fix` option.", 1, want{Unknown, "^app/models.py:3:8: F401"}},
		"a warning last":               {"npm ERR! code E404\nnpm ERR! 404 Not Found - frob\nnpm warn Unknown user config \"x\". See `npm help npmrc`.", 1, want{Unknown, "^404 Not Found - frob$"}},
		"only a warning":               {"npm warn Unknown user config \"x\".", 3, want{}},
		"advice":                       {"Could not find rake-13.0.6 in locally installed gems\nRun `bundle install` to install missing gems.", 10, want{Unknown, "rake-13.0.6"}},
		"docker build":                 {"#7 0.512 cat: nope: No such file or directory\n#7 ERROR: process \"/bin/sh -c cat nope\" did not complete successfully: exit code: 1", 1, want{MissingFile, "^cat: nope"}},
		"docker compose":               {"web-1  | Traceback (most recent call last):\nweb-1  |   File \"/src/app.py\", line 3, in <module>\nweb-1  | KeyError: 'port'\nweb-1 exited with code 1", 1, want{Exception, `^exception: KeyError: 'port' \(app.py:3\)$`}},
		"port after a time":            {"12:34:56 listen tcp :8080: bind: address already in use", 1, want{PortInUse, "^port 8080 is in use$"}},
		"time without port":            {"12:34:56 Address already in use", 1, want{PortInUse, "Address already in use$"}},
		"exception group":              {"  + Exception Group Traceback (most recent call last):\n  |   File \"a.py\", line 1, in <module>\n  | ExceptionGroup: many (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n    | ValueError: first", 1, want{Exception, `^ExceptionGroup: many \(2 sub-exceptions\) \(a.py:1\)$`}},
		"cause in JavaScript":          {"TypeError: fetch failed\n    at node:internal/deps/undici:1:1 {\n  [cause]: Error: getaddrinfo ENOTFOUND nowhere.invalid\n      at onlookup (node:dns:1:1) {\n    errno: -3008\n  }\n}", 1, want{HostNotFound, "nowhere.invalid"}},
		"string thrown":                {"[eval]:1\nthrow \"bad thing\"\n^\nbad thing\n(Use `node --trace-uncaught ...` to show where the exception was thrown)\n\nNode.js v20.20.2", 1, want{Exception, "^exception: bad thing$"}},
		"defined twice":                {"/usr/bin/ld: b.o: in function `f': b.c:(.text+0x0): multiple definition of `f'; a.o:a.c:(.text+0x0): first defined here\ncollect2: error: ld returned 1 exit status", 1, want{LinkError, "multiple definition of .f'"}},
		"Rust stack":                   {"\nthread 'main' (28837) has overflowed its stack\nfatal runtime error: stack overflow, aborting\nAborted", 134, want{Panic, "has overflowed its stack"}},
		"script of Windows":            {"sh: 1: ./r.sh: not found", 127, want{CommandNotFound, "^./r.sh or its interpreter was not found$"}},
		"directory":                    {"cat: /tmp: Is a directory", 1, want{Unknown, "^cat: /tmp: Is a directory$"}},
		"fork":                         {"bash: fork: Resource temporarily unavailable", 254, want{Unknown, "fork: Resource temporarily unavailable"}},
		"gradle task":                  {"FAILURE: Build failed with an exception.\n\n* What went wrong:\nTask 'nope' not found in root project 'shop'.\n\n* Try:\n> Run gradlew tasks to get a list of available tasks.\n\nBUILD FAILED in 404ms", 1, want{Unknown, "Task 'nope' not found"}},
		"minitest":                     {"Failure:\nCartTest#test_total [test/cart_test.rb:6]:\nExpected: 3\n  Actual: 2", 1, want{TestFailure, `CartTest#test_total .*: Expected: 3$`}},
		"rspec, one block":             {"  1) User is valid\n     Failure/Error: expect(user).to be_valid\n       expected `valid?` to be truthy\n\nFinished in 0.01 seconds", 1, want{TestFailure, "be_valid: expected .valid.. to be truthy$"}},
		"git push":                     {" ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to 'x'", 1, want{Unknown, `\[rejected\]`}},
		"sbt":                          {"[error] /src/Main.scala:3:13: type mismatch;\n[error] one error found\n[error] (Compile / compileIncremental) Compilation failed", 1, want{Unknown, "Main.scala:3:13: type mismatch;"}},
		"several tests fail":           {"--- FAIL: TestA (0.00s)\n    a_test.go:5: first\n--- FAIL: TestB (0.00s)\n    a_test.go:9: second\nFAIL", 1, want{TestFailure, "TestA: a_test.go:5: first$"}},
		"subtest":                      {"--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/x (0.00s)\n        a_test.go:5: first\nFAIL", 1, want{TestFailure, "TestA/x: a_test.go:5: first$"}},
		"broken program":               {"/app/prog: 1: ELF: not found", 127, want{NotExecutable, "^not executable: /app/prog$"}},
		"broken program, busybox":      {"./prog: line 1: \x7fELF\x02\x01: not found", 127, want{NotExecutable, "^not executable: ./prog$"}},
		"broken program, bash":         {"prog: line 1: $'\\177ELF': command not found", 127, want{NotExecutable, "^not executable: prog$"}},
		"program of Windows":           {"./prog: 1: MZ\uFFFD: not found", 127, want{NotExecutable, "^not executable: ./prog$"}},
		"program of ARM":               {"bash: line 1: ./prog: cannot execute binary file: Exec format error", 126, want{NotExecutable, "^not executable: ./prog$"}},
		"program of ARM, zsh":          {"zsh:1: exec format error: ./prog", 126, want{NotExecutable, "^not executable: ./prog$"}},
		"program of ARM, dash":         {"sh: 1: ./prog: Exec format error", 126, want{NotExecutable, "^not executable: ./prog$"}},
		"page as a script":             {"install.sh: line 2: <html>: command not found", 127, want{Unknown, "^install.sh: line 2: <html>: command not found$"}},
		"JSON as a script":             {"a.sh: 2: name:: not found", 127, want{Unknown, "^a.sh: 2: name:: not found$"}},
		"script with carriage returns": {"a.sh: line 2: $'frob\\r': command not found", 127, want{Unknown, "frob.r': command not found$"}},
		"command with a plus":          {"sh: 1: g++-13: not found", 127, want{CommandNotFound, "^command not found: g..-13$"}},
	} {
		t.Run(name, func(t *testing.T) { checkCause(t, c.output, c.code, c.want) })
	}
}

// Reports in the form that many tools print. The first line of each is what must be found: the kind,
// with "?" if the line is only a guess, and the phrase; or else the line that the output ends with.
func TestFindInReports(t *testing.T) { checkReports(t, "testdata/reports.txtar") }

// The same for output in which the first trouble is not what ended the program.
func TestFindWhatWasNotGotOver(t *testing.T) { checkReports(t, "testdata/survived.txtar") }

func checkReports(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse(data).Files {
		name, exit, _ := strings.Cut(f.Name, " ")
		t.Run(name, func(t *testing.T) {
			code, err := strconv.Atoi(exit)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimRight(string(f.Data), "\n"), "\n")
			if got := reported(lines[1:], code); got != lines[0] {
				t.Errorf("got  %s\nwant %s", got, lines[0])
			}
		})
	}
}

// reported describes what is found in lines.
func reported(lines []string, code int) string {
	c, ok := Find(lines, code)
	switch {
	case !ok:
		return "ends with: " + LastLine(lines)
	case c.Weak:
		return string(c.Kind) + "?: " + c.Phrase()
	}
	return string(c.Kind) + ": " + c.Phrase()
}

func FuzzFind(f *testing.F) {
	f.Add("Traceback (most recent call last):\n  File \"a\", line 1\nX", 1)
	f.Add("thread 'main' panicked at a.rs:1:1:", 101)
	f.Add("    while executing", 1)
	f.Fuzz(func(t *testing.T, output string, code int) {
		lines := strings.Split(output, "\n")
		c, ok := Find(lines, code)
		if ok && (c.Line < 0 || c.Last < c.Line && c.Last < 0 || c.Last >= len(lines) || c.Kind == "") {
			t.Errorf("%+v in %d lines", c, len(lines))
		}
	})
}
