package cause

import (
	"iter"
	"strings"
)

// The functions of this file complete a cause from the lines of its report. Their form is that of
// the programs named by them.

// below returns at most n lines after line i with their indexes.
func below(lines []string, i, n int) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for k := i + 1; k < min(len(lines), i+1+n); k++ {
			if !yield(k, lines[k]) {
				return
			}
		}
	}
}

// above returns at most n lines before line i with their indexes, the nearest first.
func above(lines []string, i, n int) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for k := i - 1; k >= max(0, i-n); k-- {
			if !yield(k, lines[k]) {
				return
			}
		}
	}
}

// lineAt returns line k, or "" if there is none.
func lineAt(lines []string, k int) string {
	if k < 0 || k >= len(lines) {
		return ""
	}
	return lines[k]
}

// following returns the index of the first line after i, within a report, that matches shape, and
// its submatches; -1 if there is none.
func following(lines []string, i int, shape pattern) (int, []string) {
	for k, line := range below(lines, i, reportLines) {
		if m := shape.submatches(line); m != nil {
			return k, m
		}
	}
	return -1, nil
}

// add appends a line of the report to the text.
func (c *Cause) add(text string, line int) {
	if text = strings.TrimSpace(text); text != "" {
		c.Text = strings.TrimRight(c.Text, ":. ") + ": " + text
	}
	c.Last = max(c.Last, line)
}

// addFrom appends the groups of the first later line of the report that matches shape.
func (c *Cause) addFrom(lines []string, shape pattern) {
	if k, m := following(lines, c.Line, shape); k >= 0 {
		c.add(strings.Join(m[1:], ""), k)
	}
}

var anyText pattern = `^(.*\S.*)$`

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// ghc adds the message of the Haskell compiler, which is below a code of the error.
func ghc(c *Cause, lines []string) bool {
	if strings.Contains(c.Text, "[GHC-") && strings.HasSuffix(c.Text, "]") {
		c.addFrom(lines, anyText)
	}
	return true
}

var goSource pattern = `^\t(\S+\.go):(\d+)( \+0x[0-9a-f]+)?$|^\s{6}(\S+\.go):(\d+) `

var goStack pattern = `^goroutine \d+ .*\[running\]:$`

var goLibrary pattern = `/go/src/|/src/runtime/|/src/testing/`

// goFrame returns the first position after line i that is not in Go's own library.
func goFrame(lines []string, i int) string {
	for _, line := range below(lines, i, reportLines) {
		m := goSource.submatches(line)
		if m == nil || goLibrary.matches(line) {
			continue
		}
		return base(m[1]+m[4]) + ":" + m[2] + m[5]
	}
	return ""
}

func goPlace(c *Cause, lines []string) bool {
	c.Place = goFrame(lines, c.Line)
	return true
}

// base returns the last element of a path of any system.
func base(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

var (
	pythonFrame pattern = `^[\s|]*File "([^"]+)", line (\d+)`
	pythonEnd   pattern = `^(?:\S*\s?\|\s*)?([A-Za-z_][\w.]*)(:.*)?$`
)

// python reads the exception at the end of a traceback, and the last position that is not in a
// library.
func python(c *Cause, lines []string) bool {
	// In a group of exceptions, the lines begin with a column of "|".
	indent := len(lines[c.Line]) - len(strings.TrimLeft(lines[c.Line], " |+"))
	for k, line := range below(lines, c.Line, stackLines) {
		if m := pythonFrame.submatches(line); m != nil {
			switch {
			case strings.HasPrefix(m[1], "<frozen"):
			case c.Place != "" && strings.Contains(m[1], "/lib/python"):
			default:
				c.Place = base(m[1]) + ":" + m[2]
			}
			continue
		}
		if len(line) <= indent || line[indent] == ' ' || strings.TrimSpace(line) == "" {
			continue
		}
		if !pythonEnd.matches(line[indent:]) {
			return false
		}
		c.Text, c.Last = strings.TrimSpace(line[indent:]), k
		return true
	}
	return false
}

var jsonParse pattern = `^\s+at JSON\.parse `

// syntaxError adds the position, which stands before the error. An error in data that a program of
// JavaScript reads is not one of its source.
func syntaxError(c *Cause, lines []string) bool {
	if jsonParse.matches(lineAt(lines, c.Line+1)) {
		return false
	}
	for _, line := range above(lines, c.Line, 5) {
		if m := pythonFrame.submatches(line); m != nil {
			c.Place = base(m[1]) + ":" + m[2]
			return true
		}
	}
	// Node.js prints the position first.
	for _, line := range above(lines, c.Line, 6) {
		if m := nodePlace.submatches(line); m != nil {
			c.Place = base(m[1]) + ":" + m[2]
		}
	}
	return true
}

var (
	rustHeader pattern = `panicked at (\S+?:\d+):\d+:?$`
	rustOld    pattern = `panicked at '(.*)', (\S+?:\d+)`
	rustSides  pattern = `^\s+(left|right): `
	rustArrow  pattern = `^\s*--> (\S+?:\d+)(:\d+)?$`
)

// rustPanic reads the message in the line after the position.
func rustPanic(c *Cause, lines []string) bool {
	c.Text = strings.TrimSpace(lines[c.Line])
	if m := rustOld.submatches(c.Text); m != nil {
		c.Text, c.Place = m[1], m[2]
		return true
	}
	if m := rustHeader.submatches(c.Text); m != nil && c.Line+1 < len(lines) {
		c.Text, c.Place, c.Last = strings.TrimSpace(lines[c.Line+1]), m[1], c.Line+1
		for k := c.Line + 2; rustSides.matches(lineAt(lines, k)); k++ {
			c.Text += ", " + strings.Join(strings.Fields(lines[k]), " ")
			c.Last = k
		}
	}
	return true
}

// rustc adds the position of an error of the Rust compiler. Other programs begin lines in the same
// way, without a position.
func rustc(c *Cause, lines []string) bool {
	for k, line := range below(lines, c.Line, 5) {
		if m := rustArrow.submatches(line); m != nil {
			c.Place, c.Last = m[1], k
			return true
		}
	}
	return false
}

// eslint adds the file, which is the last line before that is not indented.
func eslint(c *Cause, lines []string) bool {
	c.Text = strings.Join(strings.Fields(c.Text), " ")
	for _, line := range above(lines, c.Line, stackLines) {
		if line != "" && line[0] != ' ' {
			c.Place = base(strings.TrimSpace(line))
			return true
		}
	}
	return false
}

// perlSyntax takes the line before, which has the first error only if there is just one; so it
// looks for the first of them.
func perlSyntax(c *Cause, lines []string) bool {
	for k := max(0, c.Line-20); k < c.Line; k++ {
		if strings.Contains(lines[k], " line ") {
			c.Text, c.Line = strings.TrimSpace(lines[k]), k
			return true
		}
	}
	return false
}

var (
	javaFrame pattern = `^\s+at .*\((\w+\.\w+:\d+)\)$`
	javaCause pattern = `^Caused by: (.+)$`
	// javaStack is any other line of a stack.
	javaStack   pattern = `^\s*(\.\.\.|at) `
	javaLibrary pattern = `at (java|jdk)\.`
)

// java adds the first position and the last cause of an exception.
func java(c *Cause, lines []string) bool {
	for k, line := range below(lines, c.Line, stackLines) {
		frame := javaFrame.submatches(line)
		cause := javaCause.submatches(line)
		switch {
		case frame != nil:
			if c.Place == "" && !javaLibrary.matches(line) {
				c.Place = frame[1]
			}
		case cause != nil:
			c.causedBy(cause[1], k)
		case !javaStack.matches(line):
			return true
		}
	}
	return true
}

// causedBy adds the error that caused this one, instead of one before it.
func (c *Cause) causedBy(text string, line int) {
	first, _, _ := strings.Cut(c.Text, ", caused by ")
	c.Text, c.Last = first+", caused by "+text, line
}

var dotnetFrame pattern = `^\s+at .* in (\S+):line (\d+)$`

func dotnet(c *Cause, lines []string) bool {
	if c.Text == "" || c.Text == strings.TrimSpace(lines[c.Line]) && strings.HasSuffix(c.Text, ":") {
		c.addFrom(lines, anyText)
	}
	if _, m := following(lines, c.Line, dotnetFrame); m != nil {
		c.Place = base(m[1]) + ":" + m[2]
	}
	return true
}

var what pattern = `^\s*what\(\):\s+(.*)$`

// cpp adds what an exception of C++ says.
func cpp(c *Cause, lines []string) bool {
	if k, m := following(lines, c.Line, what); k == c.Line+1 {
		c.add(m[1], k)
	}
	return true
}

var (
	nodePlace pattern = `^(?:file://)?(/\S+|[A-Z]:\\\S+):(\d+)$`
	nodeFrame pattern = `^\s+at (?:.*\()?(?:file://)?(/[^\s()]+|[A-Z]:\\[^\s()]+):(\d+):\d+\)?$`
	nodeAny   pattern = `^\s+at |^\s*(Require stack:|- /|code: ')`
)

var nodeCause pattern = `^\s+\[cause\]: (.+?)( \{)?$`

// node accepts an error of JavaScript if a stack follows it, and adds the first position in the
// user's own code and the last error that caused it.
func node(c *Cause, lines []string) bool {
	stack := false
	for _, line := range below(lines, c.Line, 8) {
		if nodeAny.matches(line) {
			stack = true
		}
		if m := nodeFrame.submatches(line); m != nil && !strings.Contains(m[1], "/node_modules/") {
			c.Place = base(m[1]) + ":" + m[2]
			break
		}
	}
	for k, line := range below(lines, c.Line, reportLines) {
		if !strings.HasPrefix(line, " ") {
			break
		}
		if m := nodeCause.submatches(line); m != nil {
			c.causedBy(m[1], k)
		}
	}
	return stack
}

// lineBefore takes the line before as the message.
func lineBefore(c *Cause, lines []string) bool {
	if c.Line == 0 {
		return false
	}
	c.Line--
	c.Text = strings.TrimSpace(lines[c.Line])
	return true
}

var sanitizerFrame pattern = `^\s+#\d+ .* /?([^\s/]+/)*([^\s/]+:\d+)(:\d+)?$`

var sanitizerLibrary pattern = `sanitizer|libc`

func sanitizer(c *Cause, lines []string) bool {
	for _, line := range below(lines, c.Line, 20) {
		if m := sanitizerFrame.submatches(line); m != nil && !sanitizerLibrary.matches(line) {
			c.Place = m[2]
			break
		}
	}
	return true
}

// usage accepts an error of the form "prog: error: …" as one of the arguments if the program
// printed its usage before.
func usage(c *Cause, lines []string) bool {
	for _, line := range above(lines, c.Line, 20) {
		if strings.HasPrefix(strings.ToLower(line), "usage:") {
			return true
		}
	}
	c.Kind, c.Text = Unknown, strings.TrimSpace(lines[c.Line])
	return true
}

// systemError accepts any line with the text of a system error.
func systemError(c *Cause, lines []string) bool {
	_, ok := topicOf(c.Text)
	return ok
}
