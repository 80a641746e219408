package cause

import "strings"

// sign is what a line shows about the trouble that was reported before it.
type sign string

// The signs.
const (
	noSign    sign = ""
	givesUp   sign = "gives up"   // the trouble was not got over after all
	goesOn    sign = "goes on"    // it was
	leavesOut sign = "leaves out" // something is left out, perhaps because of the trouble
	passes    sign = "passes"     // a test begins or passed: its name and what it printed are no trouble
	warns     sign = "warns"      // the line itself is no error
	works     sign = "works"      // the program works, or it starts once more
	reaches   sign = "reaches"    // another machine answers, or something was fetched or sent
	belongs   sign = "belongs"    // the line is a part of a report or of an end
	informs   sign = "informs"    // the line is other output, whatever its words are
)

// turn is the shape of a line with a sign.
type turn struct {
	sign  sign
	words string // parts of such lines in lower case, separated by "|"; lines without any of them are not matched
	shape pattern
}

// turns are tried in this order for each line; the first that matches decides.
var turns = []turn{
	{givesUp, " up", `(?i)\b(giving|gave|gives) up\b`},
	{givesUp, "timed out", `(?i)\btimed out\b`},
	{givesUp, "tries", `(?i)\b(re)?tries (exhausted|exceeded)|\b(maximum|max|too many|no more|out of|exhausted)( number of)? (re)?tries\b|\bafter \d+ (re)?tries\b`},
	{givesUp, "attempts", `(?i)\battempts (exhausted|exceeded)|\b(maximum|max|too many|no more|out of|exhausted)( number of)? attempts\b|\bafter \d+ attempts\b`},
	{givesUp, "retr", `(?i)\b(not retrying|will not (be )?retr|retry (limit|count))`},
	{givesUp, "still", `(?i)\bstill (can|could)( ?not|n't|'t)\b`},
	{givesUp, "aborting", `(?i), aborting\.?$`},
	{givesUp, "can't connect", `Can't connect to \(`}, // of gunicorn, after its retries

	{goesOn, "retr", `(?i)\bretrying\b|\bretry (#?\d|in |after )|\bretries left\b|\bwill (be )?retr(y|ied)\b`},
	{goesOn, "trying", `(?i)(^|[.,;:!(–—-] ?)trying (a|again|an|another|next|other|port|the|with|without|\d)`},
	{goesOn, "trying to", `(?i)^(now )?trying to (connect|download|reconnect|restart|use)\b`},
	{goesOn, "will try", `(?i)\bwill try\b`},
	{goesOn, "instead", `(?i)\busing .{1,80}\binstead\b`},
	{goesOn, "using", `(?i)\busing (an? |its |the )?(built-?in|cached?|default|empty|fallback|in-memory|installed|internal|local|previous|stale)`},
	{goesOn, " back", `(?i)\b(falling|falls|fell) back\b`},
	{goesOn, "mov", `(?i)\b(moved|moving) (on )?to \d`},
	{goesOn, "switching", `(?i)\bswitching to\b`},
	{goesOn, "recovered", `(?i)\brecovered( (after|from|in)\b|[.!]?$)`},
	{goesOn, "ignor", `(?i)\(ignored\)|, ignored\b|\bignoring\b|: ignored\.?$`},
	{goesOn, " on", `(?i)\b(carrying|going) on\b|\bcontinu(e|es|ing) on\b`},
	{goesOn, "continu", `(?i)\bcontinu(e|es|ing) (anyway|with|without)\b`},
	{goesOn, "proceeding", `(?i)\bproceeding\b`},
	{goesOn, "reconnecting", `(?i)\breconnecting\b`},
	{goesOn, "working offline", `(?i)\bworking offline\b`},
	{goesOn, "waiting", `(?i)[,.;:] waiting[.…]*$`},
	{goesOn, "not ready yet", `(?i)\bnot ready yet\b`},
	{goesOn, "fine|expected|harmless", `(?i)\b(that's|that is|this is|which is) (expected|fine|harmless)\b`},
	{goesOn, "using", `(?i)^(now )?using [\w./-]+( instead)?$`},
	{goesOn, "switched to", `^Switched to (a new )?branch `},
	{goesOn, "", `^[0-9a-f]{64}$`}, // of docker run, after docker rm
	{goesOn, "without", `(?i)^\W*without \w`},
	{goesOn, "used|appl", `(?i)\b(default|built-?in|fallback|cached?)s?\b.{0,40}\b(apply|applies|used)\b`},
	{goesOn, "from ", `(?i)\b(installed|loaded|read|restored|served|taken) from (an? |its |the )?(\w+ )?(backup|cache|copy|mirror|vendor\w*)\b`},
	{goesOn, "optional", `(?i)\(optional\b`},
	{goesOn, "starting", `(?i)\bstarting (fresh|over|with an empty)\b`},
	{goesOn, "restarting", `(?i), restarting\b`},
	{goesOn, "fatal", `(?i)\bnon-?fatal\b`},
	{goesOn, "creating", `(?i)\bcreating (it|one)\b`},
	{goesOn, "from source", `(?i)\bbuilding from source\b`},
	{goesOn, "no", `^no$`}, // of configure, after what the compiler said

	{leavesOut, "left out", `(?i)\bleft out\b`},
	{leavesOut, "skipp", `(?i)\bskipping\b|[,:] skipped[.!]?$|\(([^()]*\W)?skipped\)$`},

	{reaches, "http/", `^(< )?HTTP/[\d.]+ 2\d\d\b`},
	{reaches, "200", `^200$|\b200 OK\b|(?i)\b(code|response|returned|status)\W{1,3}200\b`},
	{reaches, "<", `(?i)^<(!doctype html|html)\b`},
	{reaches, "\"status\":", `(?i)"status": ?"(healthy|ok|pass|up)"`},
	{reaches, "pong", `^PONG$`},
	{reaches, "100%", `^Receiving objects: 100%`},
	{reaches, "100 ", `^100 +[\d.]+[kMG]? +100 `}, // of curl
	{reaches, "row", `^\(\d+ rows?\)$`},           // of psql

	{passes, "... ", `\.\.\. *(ok|OK|ignored|passed|skipped|yes)\b`},
	{passes, "ok", `^(ok( \d+)?|OK)\b| OK$|^\[ +OK +\]`},
	{passes, "✓", `^✓`},
	{passes, "✔", `^✔`},
	{passes, "√", `^√`},
	{passes, "pass", `^(PASS|Passed|--- PASS:)\b|\bPASSED\b`},
	{passes, "skip", `^--- SKIP: |\bSKIPPED\b`},
	{passes, "xfail", `\bXFAIL\b`},
	{passes, "===", `^=== (CONT|PAUSE|RUN)`},
	{passes, "run", `^\[ +RUN +\]`},
	{passes, "# subtest: ", `^# Subtest: `},

	{warns, "warn", `^(\S+ ){0,5}\W*(?i:warn|warning)(\W|$)|\b(?i:level)"?[=:] ?"?(?i:warn)|(^|: )\w*Warning: `},
	{warns, "(node:", `^\(node:\d+\) (\[\w+\] )?\w*Warning: `},
	{warns, `"level":40`, `"level":40\b`}, // of pino

	{works, " o", `(?i)\b(accepting connections|listening|running|serving)( HTTP)? on\b`},
	{works, " at", `(?i)\b(listening|running|serving) at\b`},
	{works, "ready", `(?i)\bready (in|on|to accept)\b|\bready[.!]?$`},
	{works, "is ", `(?i)\bis (available after|ready|running|up)\b`},
	{works, "started", `(?i)\bstarted( (at|in|on)\b|[.!]?$)`},
	{works, "local:", `(?i)^\W*local: +http`},
	{works, "compiled", `(?i)\bcompiled (successfully|with warnings)`},
	{works, "build success", `(?i)\bbuild success`},
	{works, "built in", `(?i)\bbuilt in \d`},
	{works, "added ", `^added \d+ packages?\b`}, // of npm
	{works, "successfully ", `^Successfully (built|installed|tagged) `},
	{works, "found 0 errors", `(?i)\bfound 0 errors\b`},
	{works, "connected", `(?i)^(re)?connected\b|: connected$|\b(re)?connected to\b`},
	{works, "authenticated", `^Authenticated to `}, // of ssh, after a key that it could not use
	{works, "established", `(?i)\bconnection (re-?)?established\b`},
	{works, "restored", `(?i)\bconnection restored\b`},
	{works, "restarting", `(?i)\brestarting (after|because|due|with)\b`},
	{works, "restarted|respawned", `(?i)\b(respawned|restarted)\b`},
	{works, "building", `(?i)\b(rebuilding|building again)\b`},
	{works, "detected", `(?i)\b(file )?changes? detected\b|\bdetected change in\b`},
	{works, "incremental", `(?i)\bstarting incremental compilation\b`},
	{works, "[running: ", `^\[Running: `},
	{works, "passed", `^=* ?\d+ passed( in|,[^f]*$)|^Tests: +\d+ passed, \d+ total`},
	{works, "flaky", `^\d+ flaky$`},

	{belongs, "stop|shut|exit|clean|bye|abort|terminat|killed", `(?i)\b(abort(ed|ing)?|bye|clean(ed|ing)? up|exit(ed|ing)?|killed|shut(ting)? ?down|stopp(ed|ing)|terminat(ed|ing))\b`},
	{belongs, "fail", `^FAIL\b`},
	{belongs, "real\t|user\t|sys\t", `^(real|user|sys)\t`},
	{belongs, "+", `^\d+\+\d+ records `}, // of dd
	{belongs, "copied", `^\d+ bytes .*copied`},
	{belongs, "goroutine", `^goroutine \d+ |^created by `},
	{belongs, "(", `^[\w./*()-]+\(.*\)$`}, // a call in Go
	{belongs, "created by ", `^created by `},
	{belongs, "stack", `^Stack ?trace:`},
	{belongs, "#", `^#\d+ `},
	{belongs, "require stack|- /", `^(Require stack:|- /)`}, // of Node.js
	{belongs, "line ", `^LINE \d+:`},                        // of psql
	{belongs, ": ", `\b(CONTEXT|DETAIL|HINT|STATEMENT): `},
	{belongs, "app crashed", `^\[nodemon\] app crashed\b`},
	{belongs, "==", `^==\d+== `}, // of valgrind
	{belongs, "were encountered", `^Errors were encountered while processing:`},
	{belongs, "see ", "^See ['\"`]"},
	{belongs, "curl|secure|details here|to fix it", `^(More details here|curl failed to verify|establish a secure|how to fix it)`},
	{belongs, "and the repo|similar command", `^(and the repository exists|The most similar command)`},
	{belongs, "play recap|ok=", `^PLAY RECAP|^\S+ +: ok=\d`},
	{belongs, "execution halted|in ", `^(Execution halted|In addition: |In \w.*:$|in expression starting)`},
	{belongs, "bun v", `^Bun v`},
	{belongs, "notice", `^(npm notice\b|\[notice\] )`}, // of npm and pip, about updates
	{belongs, "file|offense", `^\d+ (files?|offenses?) (failed|inspected|left|need|would)\b`},
	{belongs, "action:|description:|identify ", `^(Action|Description):$|^Identify `}, // of Spring
	{belongs, "location searched|required by|as a reminder", `^(location searched|required by package|As a reminder)`},
	{belongs, "http", `^https?://\S+$`},

	{reaches, "ok", `(?i)\bok([ .,;:!)]|$)`},
	{reaches, "ed", `(?i)\b(authenticated|cloned|completed|connected|deployed|downloaded|fetched|published|pulled|pushed|received|succeeded|synced|uploaded)\b`},
	{reaches, "up|healthy|complete|reachable|success|passed", `(?i)\bcomplete([.!]?$|!)|\b(healthy|passed|reachable|success(ful|fully)?)\b|\bis (now )?up\b`},

	{informs, "info|debug|trace|notice", `^(\S+ ){0,5}\W*(DEBUG|INFO|NOTICE|TRACE)\b|\blevel"?[=:] ?"?(?i:debug|info|notice|trace)\b|^(debug|info|notice)\b`},
	// A part of a program that handles errors, and whose name therefore sounds like one: "crash handler installed".
	{informs, "installed|enabled|registered|active", `(?i) (handler|handling|detection|hook|killer|limit|monitor|policy|protection|recovery|watcher)s? (is )?(active|enabled|installed|registered)\b`},
	{informs, `"level":`, `"level":[123]0\b`}, // of pino
}

// signOf returns the sign of a line without surrounding white space.
func signOf(text string) sign {
	lower := strings.ToLower(text)
	for _, t := range turns {
		if containsAny(lower, t.words) && t.shape.matches(text) {
			switch t.sign {
			case works, reaches:
				if doubt.matches(text) {
					continue
				}
			}
			return t.sign
		}
	}
	if m := attempt.submatches(lower); m != nil && m[1] != m[2] {
		return goesOn
	}
	return noSign
}

// containsAny reports whether the text contains one of the words, which "|" separates.
func containsAny(text, words string) bool {
	for word := range strings.SplitSeq(words, "|") {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

func (p pattern) matches(text string) bool { return p.regexp().MatchString(text) }

// submatches returns the text of the first match and of its groups, nil without a match.
func (p pattern) submatches(text string) []string { return p.regexp().FindStringSubmatch(text) }

var (
	// attempt has the numbers of an attempt and of all.
	attempt pattern = `\battempt (\d+)(?:/| of )(\d+)\b`
	// doubt is a word with which a line does not say that the program works.
	doubt pattern = `(?i)\b(already|another|cannot|is something|isn't|never|no|not|unless)\b|\?$`
	// banner is what a program prints first at each start.
	banner pattern = `(?i)\b(boot(ed|ing)?|launch(ed|ing)?|start(ed|ing|s)?|version)\b|\bv\d+\.`
	digits pattern = `\d+`
	// logged is the line of a log before the stack of an exception that was caught.
	logged pattern = `^(\S+ ){0,5}\W*(CRITICAL|ERROR|SEVERE|WARN(ING)?)\b|^Exception in thread |\blevel=error\b`
	// thrown is what Node.js prints above or below an error that nothing caught.
	thrown    pattern = `^\s*\^+$|^Node\.js v\d|^Emitted 'error' event`
	nodeError pattern = `^(Uncaught )?\[?([A-Z]\w*)?(Error|Exception)\b`
	// wrapper is what a program prints when the command that it runs has failed.
	wrapper pattern = `(?i)\bexit(ed)? (with )?\(?(code|status):? ?\d|\bnon-zero\b|\breturned (exit )?(code|status)|\bcommand (failed|finished with error)|` +
		`\bfailed with exit|Lifecycle script .* failed|Failed to execute goal|Execution failed for task`
	// summary is the last line of a test runner.
	summary pattern = `^=* ?\d+ (failed|errors?)\b|^FAILED \(|^test result: FAILED|^Tests: +\d|^FAIL\t|^\d+ (tests?|runs?|examples?), `
	// echo and npmEcho are commands that are about to run.
	echo    pattern = `^(\+{1,3}|\$) `
	npmEcho pattern = `^> \S+@\S+ `
)

// prefix is what docker build, docker compose, foreman, concurrently, turbo and the like print
// before each line of a program.
var prefix pattern = `^(#\d+ \d+\.\d+|(\d\d:\d\d:\d\d )?[A-Za-z][\w.-]* +\||\[\d+\]|[\w@/.-]+:[a-z][\w-]*:|│) `

// times are what differs in the prefixes of one program.
var times pattern = `^\d\d:\d\d:\d\d |\d+\.\d+ $`

// withoutPrefixes returns the lines as the programs printed them, and for each the program's prefix.
func withoutPrefixes(lines []string) (clean, sources []string) {
	for _, line := range lines {
		source := ""
		if len(line) <= maxLine {
			source = prefix.regexp().FindString(line)
		}
		line = strings.TrimPrefix(line, source)
		if source != "" {
			source = times.regexp().ReplaceAllString(source, "")
		}
		clean = append(clean, line)
		sources = append(sources, source)
	}
	return clean, sources
}
