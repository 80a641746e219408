package cause

import (
	"regexp"
	"strings"
	"sync"
)

// rule is the shape of a line that reports an error.
type rule struct {
	kind  Kind
	rank  int    // 0: the line only repeats that something failed, and is ignored
	first bool   // of several such lines the first counts
	hint  string // a part of every such line; lines without it are not matched
	shape pattern
	// then completes the text with the groups of the first later line of the report that matches.
	then pattern
	// read completes the cause from the lines around c.Line. It reports false if they show that the
	// line is something else.
	read func(c *Cause, lines []string) bool
}

// The ranks, from a line that merely contains the word "error" to one that the exit code confirms.
const (
	rankWord    = iota + 1 // a line with the word "error"
	rankErrno              // the text of a system error
	rankTool               // the error of a tool
	rankCompile            // compilers and linters
	rankRuntime            // uncaught exceptions, panics, failed assertions
	rankTest               // failed tests, whose exceptions are theirs
	rankCertain            // the exit code says so
)

// rules are tried in this order for each line; the first that matches decides.
var rules = []rule{
	// Lines that only repeat that a command failed.
	{hint: "***", shape: `^\S*make(\[\d+\])?: \*\*\* \[.*\] (Error \d+|Killed|Segmentation fault)`},
	{hint: "exit status", shape: `^exit status \d+$`},
	{hint: "error", shape: `^(collect2: error: ld returned|error: could not compile |error: failed to push some refs|error: aborting due to|error: test failed, to rerun|error: \d+ targets? failed|npm error (code|syscall|path|errno|[Cc]ommand|signal|workspace|location|A complete log|If you|To see|  |enoent This)|npm error$|error Command failed|\d+ errors?( generated\.?| found)?$)|^Found \d+ errors?\b`},
	{hint: "BUILD FAIL", shape: `^(\[INFO\] )?BUILD FAIL(ED|URE)`},
	{hint: "Node.js v", shape: `^Node\.js v\d`},
	{hint: "compiled with", shape: `^webpack \S+ compiled with `},
	{hint: "# ", shape: `^\s*# +(at|Looks like you failed) `},
	{hint: "Abort", shape: `^(\S+: line \d+: +\d+ )?Abort(ed|\(\w+\))?( \(core dumped\))?( .*)?$`},
	{hint: "tar: ", shape: `^\S*tar: (Error is not recoverable|Child returned status|Exiting with failure)`},
	{hint: "fatal: Could not read from remote", shape: `.`},
	{hint: "Error: ", shape: `^Error: (Could not create the Java Virtual Machine|A fatal exception has occurred)`},
	{hint: "npm ERR!", shape: `^npm ERR! (code|syscall|path|errno|A complete log|Exit status|Failed at|This is probably| *$|    )`},
	{hint: "[ERROR]", shape: `^\[ERROR\] *(-> |To see the full|Re-run Maven|For more information|\[Help|After correcting|$|There are test failures)`},
	{hint: "E: Sub-process", shape: `^E: Sub-process .* returned an error code`},
	{hint: "Unable to find image", shape: `^Unable to find image '.*' locally$`}, // docker pulls it
	{hint: "notice", shape: `^(npm notice\b|\[notice\] )`},                       // npm and pip report updates of themselves
	// What an interactive shell and its startup files print without a terminal.
	{hint: "job control turned off", shape: `: can't access tty; job control turned off$`},
	{hint: "mesg: ", shape: `^mesg: ttyname failed: `},
	{hint: "not a tty", shape: `^stdin: is not a tty$`},
	{hint: "in this shell", shape: `: no job control in this shell$`},
	{hint: "terminal process group", shape: `: cannot set terminal process group `},
	{hint: "BEGIN failed", shape: `^BEGIN failed--`},
	{shape: `(?i)\b(0|no) (errors?|failed|failures?)\b|error-free|errors?: 0\b`},
	{shape: `^[^\pL\pN]+$`},
	// Warnings of Perl, which have the form of its errors.
	{hint: " line ", shape: `^(Use of uninitialized|Useless use of |Argument .* isn't numeric|Name .* used only once|Subroutine \S+ redefined|Odd number of elements)`},

	// Resources.
	{kind: OutOfMemory, rank: rankRuntime, hint: "heap", shape: `^FATAL ERROR: .*(heap limit|heap out of memory)`},
	{kind: PortInUse, rank: rankTool, first: true, hint: "in use", shape: `(?i)\bport (?P<subject>\d+) (is|was) (already )?in use`},
	{kind: MissingLibrary, rank: rankTool, hint: "shared libraries", shape: `error while loading shared libraries: (?P<subject>[^\s:]+)`},
	{kind: MissingLibrary, rank: rankTool, hint: "not loaded", shape: `Library not loaded: (?P<subject>\S+)`},

	// Shells, and hob where it starts a command itself.
	{kind: BadInterpreter, rank: rankTool, hint: "its interpreter", shape: `: its interpreter "(?P<subject>[^"]+)": `},
	{kind: BadInterpreter, rank: rankTool, hint: "interpreter", shape: `(?P<subject>[^\s:]+): bad interpreter(: |$)`},
	{kind: BadInterpreter, rank: rankTool, hint: "required file", shape: `: (?P<subject>[^:]+): cannot execute: required file not found$`},
	// A shell read a program for another system, or a broken one, as a script.
	{kind: NotExecutable, rank: rankErrno, hint: "not found", shape: `^(?P<subject>[^\s:]+): (?:line )?\d+: (?:\$'\\177)?(?:ELF(?:[^\w:][^:]*)?|[^:]*[\x{FFFD}\x00-\x08\x0e-\x1f\x7f][^:]*): (?:command )?not found$`},
	{kind: NotExecutable, rank: rankErrno, hint: "xec format error", shape: `(?P<subject>[^\s:]+): (?:cannot execute binary file: )?[Ee]xec format error$`},
	{kind: NotExecutable, rank: rankErrno, hint: "exec format error", shape: `\bexec format error: (?P<subject>\S+)$`},
	{kind: CommandNotFound, rank: rankErrno, hint: "not found", shape: `^(?:\S+: )?(?:line )?\d+: (?:exec: )?` + commandName + `: (?:command )?not found$`},
	{kind: CommandNotFound, rank: rankErrno, hint: "command not found", shape: `(?:^|: )command not found: ` + commandName + `$`},
	{kind: CommandNotFound, rank: rankErrno, hint: "command not found", shape: `^(?:\S+: )*` + commandName + `: command not found(\.\.\.)?$`},
	{kind: CommandNotFound, rank: rankErrno, hint: "Unknown command", shape: `^fish: Unknown command:? (?P<subject>\S+)`},
	{kind: CommandNotFound, rank: rankErrno, hint: "env: ", shape: `^\S*env: (?P<subject>[^:]+): No such file or directory$`},
	{kind: CommandNotFound, rank: rankErrno, hint: "executable file not found", shape: `exec: "(?P<subject>[^"]+)": executable file not found`},
	{kind: CommandNotFound, rank: rankRuntime, hint: "ENOENT", shape: `\bspawn (?P<subject>\S+) ENOENT`},
	{kind: NotExecutable, rank: rankErrno, hint: "annot execute", shape: `(?P<subject>[^\s:]+): [Cc]annot execute`},
	{kind: SyntaxError, rank: rankCompile, hint: "yntax error", shape: `^\S+?: (?:line )?\d+: .*[Ss]yntax error`, first: true},
	{kind: Unknown, rank: rankTool, hint: "unbound variable", shape: `unbound variable$`},
	{kind: Unknown, rank: rankTool, hint: "parameter not set", shape: `parameter not set$`},
	{kind: MemoryError, rank: rankRuntime, hint: "Segmentation fault", shape: `Segmentation fault`},
	{kind: MemoryError, rank: rankRuntime, hint: "Bus error", shape: `\bBus error\b`},
	{kind: Unknown, rank: rankRuntime, hint: "Killed", shape: `^(\S+: line \d+: +\d+ )?Killed( .*)?$`},
	{kind: OutOfMemory, rank: rankRuntime, hint: "fatal error: Killed", shape: `fatal error: Killed signal terminated program`},

	// Test runners.
	{kind: TestFailure, rank: rankTest, first: true, hint: "--- FAIL:", shape: `^\s*--- FAIL: (?P<text>\S+)`, read: goTest},
	{kind: TestFailure, rank: rankTest, first: true, hint: "timed out after", shape: `^panic: (?P<text>test timed out after \S+)`, then: goTestName},
	{kind: TestFailure, rank: rankTest, first: true, hint: "FAILED ", shape: `^FAILED (?P<text>\S+::\S.*)$`},
	{kind: TestFailure, rank: rankTest, first: true, hint: "ERROR ", shape: `^ERROR (?P<text>\S+\.py( - .*|::.*)?)$`, read: pytestError},
	{kind: TestFailure, rank: rankTest, first: true, hint: ": ", shape: `^(?:FAIL|ERROR): (?P<text>\w+ \([\w.]+\))`, read: unittest},
	{kind: TestFailure, rank: rankTest, first: true, hint: "● ", shape: `^\s*● (?P<text>.+)$`, read: jest},
	{kind: TestFailure, rank: rankTest, first: true, hint: "FAIL ", shape: `^\s*FAIL\s+(?P<text>\S+\.\w+ > .+)$`, then: anyText},
	{kind: TestFailure, rank: rankTest, first: true, hint: ") ", shape: `^ {2}1\) (?P<text>\S.*?)[ ─]*$`, read: mocha},
	{kind: TestFailure, rank: rankTest, first: true, hint: "1) test ", shape: `^ {2}1\) (?P<text>test .+)$`, then: exunitCode},
	{kind: TestFailure, rank: rankTest, first: true, hint: "---- ", shape: `^---- (?P<text>\S+) stdout ----$`, read: rustTest},
	{kind: TestFailure, rank: rankTest, first: true, hint: "not ok ", shape: `^\s*not ok \d+ - +(?P<text>[^#]+)$`, then: tapDetail},
	{kind: TestFailure, rank: rankTest, first: true, hint: "✖ ", shape: `^✖ (?P<text>.+ \([\d.]+m?s\))$`, then: anyText},
	{kind: TestFailure, rank: rankTest, first: true, hint: "[ERROR]", shape: `^\[ERROR\]\s+(?P<text>\w\S*\.\w+:\d+ .*)$`},
	{kind: TestFailure, rank: rankTest, first: true, hint: "FAILED", shape: `^(?P<text>[\w.$]+ > .+) FAILED$`, then: anyText},
	{kind: TestFailure, rank: rankTest, first: true, hint: "Failure/Error", shape: `^\s*Failure/Error: (?P<text>.+)$`, read: rspec},
	{kind: TestFailure, rank: rankTest, first: true, hint: ":", shape: `^(\s*\d+\) )?(Failure|Error):$`, read: minitest},
	{kind: TestFailure, rank: rankTest, first: true, hint: ": test", shape: `^(?:Failure|Error): (?P<text>test.*\(\w+\))$`, read: testUnit},
	{kind: TestFailure, rank: rankTest, first: true, hint: "Failed test", shape: `^\s*#\s+Failed test (?P<text>.+)$`},
	{kind: TestFailure, rank: rankTest, first: true, hint: "Failed example:", shape: `^Failed example:$`, read: doctest},
	{kind: TestFailure, rank: rankTest, first: true, hint: "XCTAssert", shape: `error: (?P<text>.*XCTAssert.*)$`},
	{kind: TestFailure, rank: rankTest, first: true, hint: "1) ", shape: `^1\) (?P<text>[\w\\]+::\w+.*)$`, then: anyText},
	{kind: TestFailure, rank: rankTest, first: true, hint: "Failed ", shape: `^\s*Failed (?P<text>[\w.]+(?:\(.*\))?) \[[\d<].*\]$`, read: dotnetTest},
	{kind: TestFailure, rank: rankTest, first: true, hint: "(Failed)", shape: `^\s*\d+ - (?P<text>\S+) \(Failed\)`},

	// Compilers, linkers and linters.
	{kind: CompileError, rank: rankCompile, first: true, hint: "rror", shape: `^(\S[^:()]*?):(\d+)(:\d+)?: (fatal )?error:`, read: ghc},
	{kind: CompileError, rank: rankCompile, first: true, hint: "rror", shape: `^\S[^:]*\(\d+(,\d+)?\): (fatal )?error \w+:`},
	{kind: CompileError, rank: rankCompile, first: true, hint: " - error TS", shape: `^\S+:\d+:\d+ - error TS\d+:`},
	{kind: CompileError, rank: rankCompile, first: true, hint: "error", shape: `^error(\[E\d+\])?: `, read: rustc},
	{kind: CompileError, rank: rankCompile, first: true, hint: ".go:", shape: `^(vet: )?\S+\.go:\d+:\d+: `},
	{kind: CompileError, rank: rankCompile, first: true, hint: ".java:[", shape: `^\[ERROR\] \S+\.java:\[\d+,\d+\]`},
	{kind: CompileError, rank: rankCompile, first: true, hint: "e: ", shape: `^e: (file://)?\S+\.kts?:`},
	{kind: CompileError, rank: rankCompile, first: true, hint: "error", shape: `^\s+\d+:\d+\s+error\s+\S`, read: eslint},
	{kind: CompileError, rank: rankCompile, first: true, hint: "TS", shape: `^\s+TS\d+: `}, // of ts-loader
	{kind: CompileError, rank: rankCompile, first: true, hint: "-- [E", shape: `^-- (?P<text>\[E\d+\] .*?) -*$`},
	{kind: LinkError, rank: rankCompile, first: true, hint: "undefined reference", shape: `undefined reference to `},
	{kind: LinkError, rank: rankCompile, first: true, hint: "multiple definition of", shape: `multiple definition of `},
	{kind: LinkError, rank: rankCompile, first: true, hint: "ndefined symbol", shape: `^(ld|\S*ld\S*: error): |Undefined symbols for architecture`},
	{kind: LinkError, rank: rankCompile, first: true, hint: "cannot find -l", shape: `cannot find (?P<subject>-l[^\s:]+)`},
	{kind: SyntaxError, rank: rankCompile, first: true, hint: "Error: ", shape: `^(SyntaxError|IndentationError|TabError): `, read: syntaxError},
	{kind: SyntaxError, rank: rankCompile, first: true, hint: "yntax error", shape: `^\S+\.rb:\d+: .*syntax error`},
	{kind: SyntaxError, rank: rankCompile, first: true, hint: "Parse error", shape: `^(PHP )?Parse error: `},
	{kind: SyntaxError, rank: rankCompile, first: true, hint: "aborted due to compilation errors", shape: ` aborted due to compilation errors\.$`, read: perlSyntax},
	{kind: CompileError, rank: rankCompile, first: true, hint: "CMake Error", shape: `^CMake Error`, then: anyText},
	{kind: Unknown, rank: rankCompile, first: true, hint: "***", shape: `^\S+: \*\*\* .*Stop\.$`},

	// Language runtimes.
	{kind: DataRace, rank: rankRuntime, first: true, hint: "DATA RACE", shape: `^WARNING: DATA RACE`, read: goPlace},
	{kind: Panic, rank: rankRuntime, hint: "panic: ", shape: `^(?P<text>panic: .+?)( \[recovered.*\])?$`, read: goPlace},
	{kind: Panic, rank: rankRuntime, hint: "fatal error: ", shape: `^fatal error: (all goroutines|concurrent map|runtime|stack overflow|out of memory|unexpected signal)`, read: goPlace},
	{kind: Panic, rank: rankRuntime, hint: "overflowed its stack", shape: `^thread '.*?'( \(\d+\))? has overflowed its stack`},
	{kind: Panic, rank: rankRuntime, hint: "panicked at", shape: `^thread '.*?'( \(\d+\))? panicked at `, read: rustPanic},
	{kind: Exception, rank: rankRuntime, hint: "Traceback", shape: `^(\S*[\s|+]+)?(Exception Group )?Traceback \(most recent call last\):`, read: python},
	{kind: Exception, rank: rankRuntime, hint: "Exception in thread", shape: `^Exception in thread "[^"]*" (?P<text>.+)$`, read: java},
	{kind: Exception, rank: rankRuntime, hint: "Unhandled exception", shape: `^Unhandled exception[.:] ?(?P<text>.*)$`, read: dotnet},
	{kind: Exception, rank: rankRuntime, hint: "** (", shape: `^\*\* (?P<text>\(\w[\w.]*\) .+)$`},
	{kind: Exception, rank: rankRuntime, hint: "terminate called", shape: `^terminate called after throwing an instance of '(?P<text>[^']+)'`, read: cpp},
	{kind: Exception, rank: rankRuntime, hint: "rror", shape: `^(?:Uncaught )?(?P<text>[A-Z]\w*(?:Error|Exception)(?: \[\w+\])?(?:: .*)?|Error(?: \[\w+\])?: .+)$`, read: node},
	{kind: Exception, rank: rankRuntime, hint: "rror: ", shape: `^\[(?P<text>[A-Z]\w*Error: .*)\](?: \{)?$`, read: node},
	{kind: Exception, rank: rankRuntime, hint: "rror", shape: `^(?:PHP )?Fatal error: +(?:Uncaught )?(?P<text>.+)$`},
	{kind: Exception, rank: rankRuntime, hint: ":in ", shape: "^(?P<text>\\S+:\\d+:in [`'].*: .+ \\([A-Z]\\w*(?:::\\w+)*\\))$"},
	{kind: Exception, rank: rankRuntime, hint: "lua", shape: `^lua[\w.]*: (?P<text>.+)$`},
	{kind: Exception, rank: rankRuntime, hint: "while executing", shape: `^    while executing$`, read: lineBefore},
	{kind: Exception, rank: rankRuntime, hint: "--trace-uncaught", shape: "^\\(Use `node --trace-uncaught", read: lineBefore},
	{kind: MemoryError, rank: rankRuntime, hint: "Sanitizer: ", shape: `ERROR: (?P<text>(?:Address|Leak|Memory|Thread|UndefinedBehavior)Sanitizer: \S+)`, read: sanitizer},
	{kind: MemoryError, rank: rankRuntime, first: true, hint: "==", shape: `^==\d+== (?P<text>(?:Invalid (?:read|write|free)|Conditional jump|Use of uninitialised).*)`},
	{kind: MemoryError, rank: rankRuntime, hint: "()", shape: `^(free|malloc|realloc|munmap_chunk|malloc_consolidate)\(\): `},
	{kind: MemoryError, rank: rankRuntime, hint: "***", shape: `^\*\*\* (stack smashing|buffer overflow) detected`},
	{kind: Assertion, rank: rankRuntime, hint: "ssertion", shape: `Assertion .* failed`},

	// Tools.
	{kind: Unknown, rank: rankTool, hint: "fatal: ", shape: `^fatal: `},
	{kind: Unknown, rank: rankTool, hint: "curl: ", shape: `^curl: \(\d+\) `},
	{kind: Unknown, rank: rankTool, hint: "ssh: ", shape: `^(ssh|scp|sftp): `},
	{kind: Unknown, rank: rankTool, hint: "Docker daemon", shape: `Cannot connect to the Docker daemon`},
	{kind: Unknown, rank: rankTool, hint: "from daemon", shape: `Error response from daemon`},
	{kind: Unknown, rank: rankTool, hint: "npm error", shape: `^npm error (?:enoent )?(?P<text>.+)$`, first: true},
	{kind: Unknown, rank: rankTool, hint: "npm ERR!", shape: `^npm ERR! (?P<text>.+)$`, first: true},
	{kind: Unknown, rank: rankTool, hint: "[ERROR]", shape: `^\[ERROR\] (?P<text>.+)$`, first: true},
	{kind: Unknown, rank: rankTool, hint: "[error]", shape: `^\[error\] (?P<text>.+)$`, first: true},
	{kind: Unknown, rank: rankTool, hint: "* What went wrong:", shape: `^\* (?P<text>What went wrong):$`, first: true, then: anyText},
	{kind: Unknown, rank: rankTool, first: true, hint: "CONFLICT (", shape: `^CONFLICT \(`},
	{kind: Unknown, rank: rankTool, first: true, hint: "! ", shape: `^! (?P<text>[A-Z].+)$`, then: anyText}, // of TeX
	{kind: Usage, rank: rankTool, hint: "is not a", shape: `'\S+' is not a \w+ command\b`},
	{kind: Unknown, rank: rankTool, hint: "rejected]", shape: `^ ! \[(remote )?rejected\]`},
	{kind: Usage, rank: rankTool, hint: "error: ", shape: `^\S+: error: (?P<text>.+)$`, read: usage},
	{kind: Unknown, rank: rankTool, hint: "Can't locate", shape: `^Can't locate `},
	{kind: Unknown, rank: rankTool, hint: " line ", shape: ` at \S+ line \d+\.$`},
	{kind: Unknown, rank: rankTool, hint: "E: ", shape: `^E: `, first: true},
	{kind: Unknown, rank: rankTool, hint: "dpkg: error", shape: `^dpkg: error processing .*:$`, first: true, then: anyText},

	// Warnings, and advice that follows an error.
	{shape: `(?i)^\W*((\S+ |\S+: )?(\[?warn(ing)?\]?|note|hint|help)[: ]|please |for more )|: (warning|note): `},
	{shape: `^\W*(Run|Try) .*\b(to|for|again)\b|\bmay have more information\b`},

	// Messages of a shell about a script. A process that a script ended is no error.
	{hint: " line ", shape: `: line \d+: +\d+ (Terminated|Hangup|Done)\b`},
	{kind: Unknown, rank: rankErrno, hint: ": ", shape: `^\S*: (-c: )?line \d+: \S|^\S*sh: \d+: \S`},

	{kind: Usage, rank: rankErrno, hint: "option", shape: `(?i)\b(unrecognized|unknown|invalid|illegal) option\b`},
	{kind: Usage, rank: rankErrno, hint: "nknown ", shape: `(?i)\bunknown (flag|argument|command|subcommand)\b`},

	// Any other line with the text of a system error or the word "error".
	{kind: Unknown, rank: rankErrno, shape: `.`, read: systemError},
	{kind: Unknown, rank: rankErrno, hint: ": ", shape: systemErrors},
	{kind: Unknown, rank: rankErrno, first: true, hint: ":", shape: `^[^\s:]+\.\w+:\d+:\d+: \S`}, // of a linter
	{kind: Unknown, rank: rankErrno, hint: "F", shape: `^(\S+ ){0,3}\[?(FATAL|Fatal)( ERROR)?\]?:? `},
	{kind: Unknown, rank: rankErrno, shape: `(?i)^(\S+: )?error(\[\S+\])?: `},
	{kind: Unknown, rank: rankWord, shape: `\b(ERROR|CRITICAL|PANIC)\b`},
	{kind: Unknown, rank: rankWord, shape: `(?i)(?:^|[^\w/.-])(error|cannot|can't|could not|couldn't|failed|failure|unable to|invalid|not found|unknown|undefined|denied|refused|aborted|missing|mismatch|does not exist|is not an?)(?:[^\w/.=-]|\.(?:\s|$)|$)`},
}

// commandName is the word that a shell took as the name of a command. Other words are from files
// that are no scripts, such as "<html>:".
const commandName pattern = `(?P<subject>[^\s:<>{}()$"';&|=\\]+)`

// systemErrors are texts of system errors that are no topic, at the end of a message or before its
// details.
const systemErrors pattern = `(?i): (is a directory|not a directory|directory not empty|file exists|file name too long|` +
	`argument list too long|exec format error|read-only file system|file too large|text file busy|device or resource busy|` +
	`no such process|no such device( or address)?|resource temporarily unavailable|bad file descriptor|invalid argument|` +
	`input/output error|broken pipe|connection reset by peer|network is unreachable|no route to host|host is down|` +
	`cannot assign requested address|protocol not supported|stale file handle|too many levels of symbolic links|` +
	`no child processes|interrupted system call|inappropriate ioctl for device|illegal number)\b`

// pattern is a regular expression that is compiled when it is first used. Programs that import the
// package and explain nothing, such as every holder, do not pay for the tables.
type pattern string

var compiled sync.Map // *regexp.Regexp by pattern

func (p pattern) regexp() *regexp.Regexp {
	if re, ok := compiled.Load(p); ok {
		return re.(*regexp.Regexp)
	}
	re := regexp.MustCompile(string(p))
	compiled.Store(p, re)
	return re
}

// topic is a kind of cause that a text names with a phrase of the system or of a language's library.
type topic struct {
	kind  Kind
	words []string // one of them is in the text; words in lower case match any case
	// subject finds what the text is about, in its first group, by its last match; empty: it is not
	// searched.
	subject pattern
}

// topics are the kinds that say more than that a program failed, the most specific first.
var topics = []topic{
	{DiskFull, []string{"no space left on device", "ENOSPC", "disk quota exceeded", "database or disk is full"}, ""},
	{
		PortInUse,
		[]string{"address already in use", "EADDRINUSE", "port is already allocated", "address in use", "only one usage of each socket address", "port is already in use", "connection in use"},
		`(?:[\s\w.:\]*]:|[Pp]ort:? |', )([1-9]\d{1,4})\b`,
	},
	{
		OutOfMemory,
		[]string{
			"out of memory", "outofmemory", "cannot allocate memory", "memoryerror", "std::bad_alloc", "ENOMEM", "allocation failed",
			"memory exhausted", "allowed memory size of", "not enough memory", "oom_kill event",
		}, "",
	},
	{TooManyFiles, []string{"too many open files", "EMFILE"}, ""},
	{
		MissingLibrary,
		[]string{"error while loading shared libraries", "library not loaded", "cannot open shared object file"},
		`(?:libraries: |loaded: )([^\s:]+)`,
	},
	{
		MissingModule,
		[]string{
			"no module named", "cannot find module", "modulenotfounderror", "cannot find package", "cannot load such file", "classnotfoundexception",
			"noclassdeffounderror", "could not find or load main class", "in @inc", "cannot find module providing package", "no required module provides package",
			"unresolved import", "module not found", "err_module_not_found", "no matching package named",
		},
		`(?:[Nn]o module named |Cannot find (?:module|package) |such file -- |Exception: |main class |Can't locate |package named |providing package |provides package )['"` + "`" + `]?([^\s'"` + "`" + `;:]+)`,
	},
	{ConnectionRefused, []string{"connection refused", "ECONNREFUSED", "connectionrefusederror", "couldn't connect to server"}, ""},
	{
		HostNotFound,
		[]string{
			"name or service not known", "unable to resolve host", "could not resolve host", "ENOTFOUND", "temporary failure in name resolution", "EAI_AGAIN",
			"no such host", "nodename nor servname", "unknownhostexception", "getaddrinfo failed",
		},
		`(?:ENOTFOUND |EAI_AGAIN |[Rr]esolve host(?:name| address)?:? |lookup |UnknownHostException: |hostname |Resolving )['"]?([\w.-]+\w)`,
	},
	{Permission, []string{"permission denied", "EACCES", "operation not permitted", "EPERM", "access is denied", "permissionerror"}, ""},
	{MissingFile, []string{"no such file or directory", "ENOENT", "filenotfound", "kind: notfound", "cannot find the file", "unable to access jarfile"}, ""},
	{Timeout, []string{"timed out", "timeouterror", "deadline exceeded", "ETIMEDOUT", "timeout exceeded"}, ""},
	{Interrupted, []string{"keyboardinterrupt"}, ""},
	{Assertion, []string{"assertionerror", "assertion failed", "assertion `", "assert!"}, ""},
	{Deadlock, []string{"deadlock"}, ""},
}

// refine replaces an unspecific kind of a cause by the kind that its text indicates.
func refine(c *Cause) {
	t, ok := topicOf(c.Text)
	if !ok {
		return
	}
	switch c.Kind {
	case Unknown, Exception, Panic:
	case CompileError:
		if t.kind != MissingModule {
			return
		}
	default:
		return
	}
	c.Kind = t.kind
	if m := t.find(c.Text); m != "" {
		c.Subject = m
	}
}

// topicOf returns the topic that a text names.
func topicOf(text string) (topic, bool) {
	lower := strings.ToLower(text)
	for _, t := range topics {
		for _, word := range t.words {
			if strings.Contains(lower, word) || strings.Contains(text, word) {
				return t, true
			}
		}
	}
	return topic{}, false
}

// clockTime is the time of a log line, which is no port.
var clockTime pattern = `\b\d\d:\d\d:\d\d\b`

func (t topic) find(text string) string {
	if t.subject == "" {
		return ""
	}
	text = clockTime.regexp().ReplaceAllString(text, "")
	all := t.subject.regexp().FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}
