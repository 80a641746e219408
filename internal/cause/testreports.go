package cause

import "strings"

// The functions of this file complete a cause from the lines of its report, as those in reports.go.
// Their form is that of the test runners named by them.

// rspec adds what was expected, which is indented deeper than the line of the report.
func rspec(c *Cause, lines []string) bool {
	if k, _ := following(lines, c.Line, anyText); k >= 0 && indentOf(lines[k]) > indentOf(lines[c.Line]) {
		c.add(lines[k], k)
	}
	return true
}

var minitestName pattern = `^\S+#\S+`

// minitest reads the name of the test and the first line about the failure.
func minitest(c *Cause, lines []string) bool {
	if c.Line+2 >= len(lines) || !minitestName.matches(lines[c.Line+1]) {
		return false
	}
	c.Text = strings.TrimSuffix(strings.TrimSpace(lines[c.Line+1]), ":")
	c.add(lines[c.Line+2], c.Line+2)
	return true
}

var testUnitFacts pattern = `^<.*|^\w.*(Error|Exception)\b.*`

// testUnit adds what was expected, or the exception, of a test of Ruby's test-unit.
func testUnit(c *Cause, lines []string) bool {
	k, m := following(lines, c.Line, testUnitFacts)
	if k < 0 {
		return true
	}
	c.add(m[0], k)
	if more := lineAt(lines, k+1); strings.HasPrefix(more, "<") {
		c.Text += " " + strings.TrimSpace(more)
		c.Last = k + 1
	}
	return true
}

// exunitCode is the assertion or the exception of a test of Elixir.
var exunitCode pattern = `^\s+(?:code:\s+|\*\* )(.+)$`

// doctest adds the example, and the position before it.
func doctest(c *Cause, lines []string) bool {
	c.Text = strings.TrimSuffix(c.Text, ":")
	c.addFrom(lines, anyText)
	if m := pythonFrame.submatches(lineAt(lines, c.Line-1)); m != nil {
		c.Place = base(m[1]) + ":" + m[2]
	}
	return true
}

var (
	goTestLog  pattern = `^\s+(\S+\.go:\d+: .*)$`
	goTestEnd  pattern = `^\s*(--- |=== |FAIL|ok\s|PASS)`
	goTestName pattern = `^\s+(Test\S+|Fuzz\S+|Example\S*) \(` // the test that was running
	goPanic    pattern = `^panic: (.+?)( \[recovered.*\])?$`
)

// goTest adds what a test of Go logged, or the panic that ended it. A test whose subtests failed has
// no text of its own.
func goTest(c *Cause, lines []string) bool {
	for k, line := range below(lines, c.Line, reportLines) {
		if m := goTestLog.submatches(line); m != nil {
			c.add(m[1], k)
			return true
		}
		if m := goPanic.submatches(line); m != nil {
			c.add("panic: "+m[1], k)
			c.Place = goFrame(lines, k)
			return true
		}
		if goTestEnd.matches(line) {
			sub := strings.Contains(line, "--- FAIL: "+c.Text+"/")
			if !sub {
				break
			}
			return false
		}
	}
	// With -v the log of a test is before this line.
	for _, line := range above(lines, c.Line, reportLines) {
		if strings.HasPrefix(line, "=== RUN") {
			break
		}
		if m := goTestLog.submatches(line); m != nil {
			c.add(m[1], c.Line)
			break
		}
	}
	return true
}

var pytestDetail pattern = `^E\s+(\w*(?:Error|Exception).*|fixture .* not found)$`

// pytestError adds the error that kept a file of tests from being collected.
func pytestError(c *Cause, lines []string) bool {
	for k := max(0, c.Line-stackLines); k < c.Line; k++ {
		if m := pytestDetail.submatches(lines[k]); m != nil {
			c.add(m[1], c.Line)
			break
		}
	}
	return true
}

// unittest adds the exception of the test's traceback.
func unittest(c *Cause, lines []string) bool {
	if !strings.HasPrefix(lineAt(lines, c.Line+1), "-----") {
		return false
	}
	for k, line := range below(lines, c.Line+1, 4) {
		if strings.HasPrefix(line, "Traceback") {
			trace := Cause{Line: k}
			if python(&trace, lines) {
				c.add(trace.Text, trace.Last)
				c.Place = trace.Place
			}
			break
		}
	}
	return true
}

var (
	jestPlace pattern = `^\s+at (?:.*[\s(])?(\S+\.\w+:\d+):\d+\)?$`
	jestFacts pattern = `^\s+(Expected.*|Received.*|\w*Error.*|thrown: .*)$`
)

// jest adds the first line about the failure, and what was expected and received.
func jest(c *Cause, lines []string) bool {
	if c.Text == "Console" {
		return false // what the tests printed
	}
	if k, _ := following(lines, c.Line, anyText); k >= 0 {
		c.add(lines[k], k)
		for n, line := range below(lines, k, 4) {
			if m := jestFacts.submatches(line); m != nil {
				c.Text += ", " + strings.Join(strings.Fields(m[1]), " ")
				c.Last = n
			}
		}
	}
	c.Place = jestFrame(lines, c.Line)
	return true
}

// jestFrame returns the first position after line i that is not in a library.
func jestFrame(lines []string, i int) string {
	for _, line := range below(lines, i, reportLines) {
		if m := jestPlace.submatches(line); m != nil && !strings.Contains(m[1], "node_modules/") {
			return base(m[1])
		}
	}
	return ""
}

var mochaError pattern = `^\s+(\w*(?:Error|Exception)\b.*)$`

// mocha adds the error of the first test in the list of failures, which repeats the titles.
func mocha(c *Cause, lines []string) bool {
	k, m := following(lines, c.Line, mochaError)
	if k < 0 {
		return false
	}
	for n := c.Line + 1; n < k; n++ {
		if title := strings.TrimSuffix(strings.TrimSpace(lines[n]), ":"); title != "" {
			c.Text += " " + title
		}
	}
	c.add(m[1], k)
	c.Place = jestFrame(lines, k)
	return true
}

// rustTest adds the panic of a test.
func rustTest(c *Cause, lines []string) bool {
	for k, line := range below(lines, c.Line, 10) {
		if strings.Contains(line, "panicked at") {
			trace := Cause{Line: k, Text: line}
			rustPanic(&trace, lines)
			c.add(trace.Text, trace.Last)
			c.Place = trace.Place
			break
		}
	}
	return true
}

// tapDetail is the error of a failed test. The number of failed subtests is no error.
var tapDetail pattern = `^\s+(?:error: ['"]?([^|\s].*?)['"]?|(\S.* [!=]=+ .*))$`

var dotnetMessage pattern = `^\s*Error Message:`

func dotnetTest(c *Cause, lines []string) bool {
	if k, _ := following(lines, c.Line, dotnetMessage); k >= 0 && k+1 < len(lines) {
		c.add(lines[k+1], k+1)
	}
	return true
}
