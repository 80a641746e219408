package engine_test

import (
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine"
)

// It is not known in which order the lines of separate streams arrived. An error of one stream is the
// cause although the other has something else; of two whose order would decide, neither is named.
func TestExplainSeparateStreams(t *testing.T) {
	const (
		diskFull    = "tar: archive.tar: Cannot write: No space left on device\n"
		refused     = "curl: (7) Failed to connect to db port 5432 after 0 ms: Connection refused\n"
		unknownHost = "curl: (6) Could not resolve host: db\n"
		exception   = "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\nValueError: x\n"
		progress    = "step 1 of 2\nstep 2 of 2\n"
	)
	for name, c := range map[string]struct {
		stdout, stderr string
		cause          string
		names          string // in the summary
	}{
		"error in stderr":                  {progress, diskFull, "disk_full", "No space left"},
		"error in stdout":                  {diskFull, progress, "disk_full", "No space left"},
		"error in stdout only":             {diskFull, "", "disk_full", "No space left"},
		"the same error in both":           {diskFull, diskFull, "disk_full", "No space left"},
		"two errors":                       {refused, unknownHost, "", "does not show why"},
		"two errors, the other way":        {unknownHost, refused, "", "does not show why"},
		"one of two counts in any order":   {diskFull, refused, "disk_full", "No space left"},
		"two exceptions":                   {exception, strings.Replace(exception, "ValueError: x", "KeyError: y", 1), "", "does not show why"},
		"exception, and success in stdout": {"listening on :3000\n", exception, "uncaught_exception", "ValueError: x"},
		"test that failed, and its wrapper": {
			"--- FAIL: TestX (0.00s)\n    x_test.go:3: got 1\nFAIL\n", "make: *** [Makefile:2: test] Error 1\n",
			"test_failed", "TestX",
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, f := withFake(t)
			id := start(t, e, engine.Spec{Split: true}).ID
			job := f.Job(id)
			job.PrintTo(engine.StreamStdout, c.stdout)
			job.PrintTo(engine.StreamStderr, c.stderr)
			code := 2
			job.End(engine.Exit{Status: engine.Exited, Reason: engine.ReasonExit, Code: &code})
			x, err := e.Handle(id).Explain(t.Context(), true)
			if err != nil {
				t.Fatal(err)
			}
			if x.Cause != c.cause || !strings.Contains(x.Summary, c.names) {
				t.Errorf("%q: %q, want %q and %q", x.Cause, x.Summary, c.cause, c.names)
			}
		})
	}
}
