//go:build linux

package vt

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// esctest2, the conformance tests of xterm (github.com/ThomasDickey/esctest2), is not part of
// this project. To run a checkout against the emulator and print a table of the results, pass
// its directory. Further arguments are passed to it. It requires Python 3.
//
//	go test ./internal/vt -run TestEsctest -v -args -esctest DIR [--include=DECSTBM …]
var esctestDir = flag.String("esctest", "", "where esctest2 was checked out")

func TestEsctest(t *testing.T) {
	if *esctestDir == "" {
		t.Skip("only with -esctest")
	}
	if err := runEsctest(*esctestDir, flag.Args()); err != nil {
		t.Fatal(err)
	}
}

func runEsctest(dir string, flags []string) error {
	out, err := os.CreateTemp("", "esctest*.log")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	args := append([]string{
		"esctest.py", "--expected-terminal=xterm", "--xterm-checksum=334", "--max-vt-level=4",
		"--xterm-reverse-wrap=383", "--timeout=2", "--no-print-logs", "--logfile=" + out.Name(),
	}, flags...)
	cmd := exec.Command("python3", args...)
	cmd.Dir = filepath.Join(dir, "esctest")
	cmd.Env = append(os.Environ(), "TERM=xterm-256color")
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 80, Rows: 25})
	if err != nil {
		return err
	}
	host(f)
	if err := cmd.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		return err
	}
	text, err := io.ReadAll(out)
	if err != nil {
		return err
	}
	report(os.Stdout, results(string(text)))
	return nil
}

// plainSums is XTCHECKSUM: checksums are positive sums of characters, without attributes,
// including blanks at the end of a row. The suite expects an xterm with this configuration.
const plainSums = "\x1b[7#y"

// fullReset is RIS, which resets XTCHECKSUM.
const fullReset = "\x1bc"

// host connects the tests to the emulator until they have ended.
func host(f *os.File) {
	defer f.Close()
	// The suite expects the default colors of xterm.
	facts := Facts{Foreground: RGB(0, 0, 0), Background: RGB(255, 255, 255)}
	term := New(80, 25, WithScrollback(1<<20), WithFacts(facts), WithReply(func(b []byte) { f.Write(b) }))
	term.Write([]byte(plainSums))
	buf := make([]byte, 4096)
	for {
		n, err := f.Read(buf)
		term.Write(bytes.ReplaceAll(buf[:n], []byte(fullReset), []byte(fullReset+plainSums)))
		if err != nil {
			return
		}
	}
}

// result is the result of one test.
type result struct {
	class, test string
	outcome     outcome
}

type outcome int

const (
	passed outcome = iota
	notRun         // fails in xterm, too, or requires another level or option
	failed
)

// esctestLine matches the start and the result of a test in the suite's log.
var esctestLine = regexp.MustCompile(`(?m)^(?:Run test: (\w+)\.(\w+)|(Passed)\.|(Fails as expected|Skipped because).*|\*\*\* TEST \S+ (FAILED):)$`)

// results parses the suite's log, in which the start of each test precedes its result.
func results(text string) []result {
	var list []result
	var now result
	for _, m := range esctestLine.FindAllStringSubmatch(text, -1) {
		switch {
		case m[1] != "":
			now = result{class: m[1], test: m[2]}
			continue
		case m[4] != "":
			now.outcome = notRun
		case m[5] != "":
			now.outcome = failed
		}
		list = append(list, now)
	}
	return list
}

// apart are the classes of optional features: margins, rectangles, queries of colors,
// operations on windows and titles.
var apart = regexp.MustCompile(`^(DECSLRM|DECLRMM|DECCRA|DECERA|DECFRA|DECSERA|DECRQCRA|DECCARA|DECRARA|DECSACE|DECIC|DECDC|DECBI|DECFI|ChangeColor|ChangeDynamicColor|ChangeSpecialColor|ResetColor|ResetSpecialColor|XtermWinops|SMTitle|RMTitle|SMTitleTests|DECSWL)`)

func report(w io.Writer, list []result) {
	type row struct{ passed, notRun, failed int }
	rows := map[string]*row{}
	count := func(name string, o outcome) {
		if rows[name] == nil {
			rows[name] = &row{}
		}
		switch o {
		case passed:
			rows[name].passed++
		case notRun:
			rows[name].notRun++
		default:
			rows[name].failed++
		}
	}
	var bad []string
	for _, r := range list {
		count(r.class, r.outcome)
		count("~all", r.outcome)
		if !apart.MatchString(r.class) {
			count("~core", r.outcome)
		}
		if r.outcome == failed {
			bad = append(bad, r.class+"."+r.test)
		}
	}
	names := make([]string, 0, len(rows))
	for n := range rows {
		names = append(names, n)
	}
	sort.Strings(names)
	fmt.Fprintln(w, "| class | tests passed | not run | failed | passed |\n|---|--:|--:|--:|--:|")
	for _, n := range names {
		r := rows[n]
		run := max(1, r.passed+r.failed)
		fmt.Fprintf(w, "| %s | %d | %d | %d | %.1f %% |\n", strings.TrimPrefix(n, "~"), r.passed, r.notRun, r.failed, 100*float64(r.passed)/float64(run))
	}
	sort.Strings(bad)
	fmt.Fprintln(w, "\nfailed:", strings.Join(bad, " "))
}
