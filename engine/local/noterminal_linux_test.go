package local_test

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/testtool"
)

// If no terminal can be allocated, a job runs without one, reports that in its log, and reads its
// input from a pipe.
func TestWithoutTerminal(t *testing.T) {
	t.Parallel()
	testtool.NeedMounts(t)
	const hidden = "mount --bind /dev/null /dev/ptmx"
	for _, kind := range []string{"pty", "tty"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			cmd := client(t, "one", "HOB_TEST_ROOT="+p.root.Path(), "HOB_TEST_KIND="+kind,
				"HOB_TEST_SCRIPT=test -t 1 || echo none; read x; echo got $x; exit 6")
			cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", `exec unshare -m sh -c '` + hidden + ` && exec "$0"' "$0"`, cmd.Path}
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			dir := strings.TrimSpace(string(out))
			s := started{run: p.openRun(t, dir), dir: dir, rec: engine.Record{ID: engine.ID(filepath.Base(dir))}}
			if err := s.run.Write(t.Context(), []byte("it\r")); err != nil {
				t.Fatal(err)
			}
			if exit := s.wait(t); exit.Status != engine.Exited || *exit.Code != 6 {
				t.Errorf("exit %+v", exit)
			}
			first, rest, _ := strings.Cut(s.output(t), "\n")
			if !strings.Contains(first, "no terminal: ") || rest != "none\ngot it\n" {
				t.Errorf("log %q, then %q", first, rest)
			}
			eng, err := engine.New(engine.WithStateDir(p.root.Path()), engine.WithBackend(local.New()))
			if err != nil {
				t.Fatal(err)
			}
			defer eng.Close()
			if j, err := eng.Handle(s.rec.ID).Facts(t.Context()); err != nil || j.Kind != engine.KindFile || j.Size != (engine.Size{}) {
				t.Errorf("kind %q, size %v, %v: of a job without a terminal", j.Kind, j.Size, err)
			}
		})
	}
}

// openRun opens a run of a job that another program started.
func (p *place) openRun(t testing.TB, dir string) engine.Run {
	t.Helper()
	run, err := p.b.Open(t.Context(), engine.Record{ID: engine.ID(filepath.Base(dir)), Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := contextWithTimeout()
		defer cancel()
		run.Stop(ctx, engine.StopOptions{Grace: engine.KillNow, By: "cleanup"})
	})
	return run
}

// terminals returns the descriptors of this process that refer to either end of a terminal.
func terminals(t *testing.T) []string {
	t.Helper()
	return descriptors(t, func(to string) bool { return strings.HasSuffix(to, "ptmx") || strings.HasPrefix(to, "/dev/pts/") })
}

// descriptors returns those of this process whose link target matches.
func descriptors(t *testing.T, meant func(to string) bool) []string {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc here")
	}
	var found []string
	for _, fd := range fds {
		if to, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && meant(to) {
			found = append(found, fd.Name())
		}
	}
	return found
}

// Input that was not ended explicitly is closed with the job.
func TestEndClosesInput(t *testing.T) {
	// Not parallel: it checks the descriptors of the process, which the garbage collector would
	// close eventually.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	pipe := func(to string) bool { return strings.HasPrefix(to, "pipe:") }
	before := descriptors(t, pipe)
	p := newPlace(t, local.InProcess())
	for range 3 {
		s := p.start(t, engine.Spec{Script: "exit 3", Stdin: true})
		s.wait(t)
		eventually(t, "the pipe is closed", func() bool {
			return !slices.ContainsFunc(descriptors(t, pipe), func(fd string) bool { return !slices.Contains(before, fd) })
		})
	}
}

// However a job ends, and also if it cannot start, its terminal is closed. The job is held in this
// program, which would run out of terminals otherwise.
func TestEndReleasesTerminal(t *testing.T) {
	// Not parallel: it checks the descriptors of the process.
	before := terminals(t)
	p := newPlace(t, local.InProcess())
	for name, spec := range map[string]engine.Spec{
		"exit":           {Script: "exit 3"},
		"killed":         {Script: "sleep 1000"},
		"not there":      {Command: []string{"/no/such/command"}},
		"no directory":   {Script: "true", Dir: "/no/such/directory"},
		"timeout":        {Script: "sleep 1000", Timeout: 10 * time.Millisecond},
		"input terminal": {Script: "read x", TTYStdin: true},
	} {
		t.Run(name, func(t *testing.T) {
			spec.PTY = !spec.TTYStdin
			s := p.start(t, spec)
			if name == "killed" || spec.TTYStdin {
				if _, err := s.run.Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow, By: "test"}); err != nil {
					t.Fatal(err)
				}
			}
			s.wait(t)
			eventually(t, "the holder has exited", func() bool { return !jobdir.Locked(s.dir) })
			eventually(t, "the terminal is closed", func() bool {
				return !slices.ContainsFunc(terminals(t), func(fd string) bool { return !slices.Contains(before, fd) })
			})
		})
	}
}
