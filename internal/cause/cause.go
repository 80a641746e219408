// Package cause finds the lines of a program's output that show why it failed. It recognizes the
// reports of compilers, test runners, language runtimes, shells and common tools.
//
// It reads text only. The result is a line of the output as the program printed it and a kind, so
// it claims no more than the program did.
package cause

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Kind is the kind of a cause, as other programs can test for it.
type Kind string

// The kinds.
const (
	CommandNotFound   Kind = "command_not_found"
	NotExecutable     Kind = "not_executable"
	BadInterpreter    Kind = "bad_interpreter"
	MissingLibrary    Kind = "missing_library"
	MissingModule     Kind = "missing_module"
	MissingFile       Kind = "missing_file"
	Permission        Kind = "permission_denied"
	DiskFull          Kind = "disk_full"
	PortInUse         Kind = "port_in_use"
	OutOfMemory       Kind = "out_of_memory"
	TooManyFiles      Kind = "too_many_open_files"
	ConnectionRefused Kind = "connection_refused"
	HostNotFound      Kind = "host_not_found"
	Timeout           Kind = "timeout"
	Interrupted       Kind = "interrupted"
	CompileError      Kind = "compile_error"
	LinkError         Kind = "link_error"
	SyntaxError       Kind = "syntax_error"
	TestFailure       Kind = "test_failed"
	Exception         Kind = "uncaught_exception"
	Panic             Kind = "panic"
	Assertion         Kind = "assertion_failed"
	MemoryError       Kind = "invalid_memory_access"
	Deadlock          Kind = "deadlock"
	DataRace          Kind = "data_race"
	Usage             Kind = "invalid_usage"
	Unknown           Kind = "error" // the line reports an error of no known kind
)

// Label returns the kind in words for the beginning of a phrase, as in "port in use"; empty for
// Unknown.
func (k Kind) Label() string {
	switch k {
	case Unknown:
		return ""
	case MissingLibrary:
		return "shared library not found"
	case MissingModule:
		return "module not found"
	case MissingFile:
		return "file not found"
	case BadInterpreter:
		return "interpreter not found"
	case Exception:
		return "exception" // the program may have reported it itself
	case DiskFull:
		return "no space left on device"
	case Usage:
		return "invalid usage"
	}
	return strings.ReplaceAll(string(k), "_", " ")
}

// Cause is what an output shows about a failure.
type Cause struct {
	Kind Kind
	// Text names the cause: a line of the output without surrounding white space, or the lines of a
	// report that belong together, joined by ": ".
	Text string
	// Subject is the command, module, file, port or host that the text is about, if it names one.
	Subject string
	// Place is the position in the source code that the report names in another line, as in
	// "app.py:3", or empty.
	Place string
	// Weak reports that the line only contains a word such as "failed", so it may be about something
	// else.
	Weak bool
	// Line and Last are the indexes of the first and last line of the report in the lines that were
	// searched.
	Line, Last int
}

// Phrase returns the cause for the end of a sentence, as in "port 8080 is in use".
func (c Cause) Phrase() string {
	label, text := c.Kind.Label(), withoutFullStop(c.Text)
	lower := strings.ToLower(text)
	switch {
	case c.Kind == PortInUse && c.Subject != "":
		return "port " + c.Subject + " is in use"
	case c.Kind == CommandNotFound && strings.ContainsRune(c.Subject, '/'):
		// Shells print the same if the file exists and its interpreter does not.
		return c.Subject + " or its interpreter was not found"
	case c.Subject != "" && slices.Contains(clearBySubject, c.Kind):
		text = c.Subject
	case strings.Contains(lower, label), strings.Contains(lower, strings.ReplaceAll(label, " ", "")):
		label = "" // the text has it, perhaps as the name of a class: "SyntaxError"
	case slices.Contains(clearWithoutLabel, c.Kind):
		label = ""
	}
	if label != "" {
		text = label + ": " + text
	}
	if c.Place != "" && !strings.Contains(text, c.Place) {
		text += " (" + c.Place + ")"
	}
	return text
}

func withoutFullStop(text string) string {
	if strings.HasSuffix(text, "..") {
		return text
	}
	return strings.TrimSuffix(text, ".")
}

var (
	// clearWithoutLabel are the kinds of causes whose texts are clear without a label.
	clearWithoutLabel = []Kind{MissingFile, MissingModule, ConnectionRefused, CompileError} // also of linters
	// clearBySubject are those for which label and subject are enough.
	clearBySubject = []Kind{CommandNotFound, NotExecutable, BadInterpreter, MissingLibrary, HostNotFound}
	// exhausted are those of a resource that ran out.
	exhausted = []Kind{DiskFull, PortInUse, OutOfMemory, TooManyFiles, MissingLibrary}
)

const (
	// maxLine is the length in bytes of a line above which it is data, not a report.
	maxLine = 4096
	// reportLines is how many lines of a report are searched for what belongs to it.
	reportLines = 60
	// stackLines is the same for the stack of an exception.
	stackLines = 400
)

// LastLine returns the last line that is not empty and does not only repeat that a program failed;
// if there is none, the last that is not empty.
func LastLine(lines []string) (last string) {
	clean, _ := withoutPrefixes(lines)
	for i, line := range slices.Backward(clean) {
		text := strings.TrimSpace(line)
		if text == "" {
			continue
		}
		if len(line) > maxLine || !repeats(clean, i, text) {
			return strings.TrimSpace(lines[i])
		}
		if last == "" {
			last = strings.TrimSpace(lines[i])
		}
	}
	return last
}

// repeats reports whether a line matches a rule for lines that are no report.
func repeats(lines []string, i int, text string) bool {
	_, r := at(lines, i, text, 0)
	return r.shape != "" && r.rank == 0
}

// at returns the cause that the line i reports, with the rule by which it was found; a rule of rank
// 0 if it reports none.
func at(lines []string, i int, text string, code int) (Cause, rule) {
	for _, r := range rules {
		if !strings.Contains(text, r.hint) {
			continue
		}
		shape := r.shape.regexp()
		m := shape.FindStringSubmatch(strings.TrimRight(lines[i], " \t\r"))
		if m == nil {
			continue
		}
		group := func(name string) string {
			if n := shape.SubexpIndex(name); n > 0 {
				return m[n]
			}
			return ""
		}
		c := Cause{
			Kind:    r.kind,
			Text:    cmp.Or(group("text"), text),
			Subject: strings.Trim(group("subject"), "'\"`‘’"),
			Line:    i,
			Last:    i,
		}
		if r.read != nil && !r.read(&c, lines) {
			continue
		}
		if r.then != "" {
			c.addFrom(lines, r.then)
		}
		if r.rank == 0 {
			return c, r
		}
		if strings.HasSuffix(c.Text, ":") {
			c.addFrom(lines, anyText)
		}
		refine(&c)
		if c.isCertain(code) {
			r.rank = rankCertain
		}
		return c, r
	}
	return Cause{}, rule{}
}

var curlCode pattern = `^curl: \((\d+)\) `

// isCertain reports whether the exit code confirms the cause: a shell exits with this code for causes of this kind, or
// the tool that printed the text exits with it.
func (c Cause) isCertain(code int) bool {
	switch code {
	case 126:
		return slices.Contains([]Kind{NotExecutable, Permission}, c.Kind)
	case 127:
		return slices.Contains([]Kind{CommandNotFound, NotExecutable, BadInterpreter, MissingLibrary}, c.Kind)
	case 128:
		return strings.HasPrefix(c.Text, "fatal: ") // of git
	case 255:
		return strings.HasPrefix(c.Text, "ssh: ")
	}
	if m := curlCode.submatches(c.Text); m != nil {
		return m[1] == strconv.Itoa(code)
	}
	return false
}
