package enginetest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
)

// outputs returns the cases about a job's input and output.
func outputs() []suiteCase {
	return []suiteCase{
		{"log has both streams in order, to the last byte", func(s *suite) {
			j := s.sh("echo one; echo two >&2; printf three")
			s.wait(j.ID)
			s.printed(j.ID, "one\ntwo\nthree")
			if got := s.get(j.ID); got.Output != 13 {
				s.Errorf("Output = %d", got.Output)
			}
		}},
		{"split streams are separate", func(s *suite) {
			s.need(s.caps.Split, "separate streams")
			j := s.sh("echo one; echo two >&2", func(spec *engine.Spec) { spec.Split = true })
			s.wait(j.ID)
			out, errs := s.output(j.ID, engine.StreamStdout), s.output(j.ID, engine.StreamStderr)
			if out != "one\n" || errs != "two\n" {
				s.Errorf("stdout %q, stderr %q", out, errs)
			}
			got := s.get(j.ID)
			separate := got.StdoutPath != "" && got.StderrPath != ""
			if got.OutputPath != "" || !separate || got.Output != 8 {
				s.Errorf("job = %+v", got)
			}
		}},
		{"output can be read by offset while it grows", func(s *suite) {
			s.need(s.caps.Stdin, "input")
			j := s.sh("echo first; read line; echo got $line; read line", func(spec *engine.Spec) { spec.Stdin = true })
			s.until(j.ID, func(out string) bool { return out == "first\n" })
			buf := make([]byte, 3)
			n, size, err := ReadStream(s.ctx(), s.e.Handle(j.ID), engine.StreamOutput, buf, 2)
			if err != nil || string(buf[:n]) != "rst" || size != 6 {
				s.Errorf("read %q, size %d, err %v", buf[:n], size, err)
			}
			if n, _, err := ReadStream(s.ctx(), s.e.Handle(j.ID), engine.StreamOutput, buf, 6); n != 0 || err != nil {
				s.Errorf("at the end: %d bytes, err %v", n, err)
			}
			s.done(s.e.Handle(j.ID).Write(s.ctx(), []byte("it\n")))
			s.until(j.ID, func(out string) bool { return out == "first\ngot it\n" })
			s.done(s.e.Handle(j.ID).CloseInput(s.ctx()))
			s.wait(j.ID)
		}},
		{"job without input reads end of file", func(s *suite) {
			j := s.sh("cat; echo done")
			s.exits(j.ID, 0)
			s.printed(j.ID, "done\n")
		}},
		{"write fails without input and after the end", func(s *suite) {
			j := s.sh("sleep 300")
			if err := s.e.Handle(j.ID).Write(s.ctx(), []byte("x")); !errors.Is(err, engine.ErrNoInput) {
				s.Errorf("running: %v", err)
			}
			s.kill(j.ID)
			if err := s.e.Handle(j.ID).Write(s.ctx(), []byte("x")); !errors.Is(err, engine.ErrNotRunning) {
				s.Errorf("ended: %v", err)
			}
		}},
		{"environment and directory are passed, values are not stored", func(s *suite) {
			dir := "/"
			if s.cfg.here() {
				var err error
				if dir, err = filepath.EvalSymlinks(s.TempDir()); err != nil {
					s.Fatal(err)
				}
			}
			value := "it's \"quoted\" $HOME \\ and\ntwo lines"
			j := s.sh(`printf '%s|%s|' "$SECRET" "$HOB_JOB_ID"; pwd`, func(spec *engine.Spec) {
				spec.Env, spec.Dir = map[string]string{"SECRET": value}, dir
			})
			s.wait(j.ID)
			want := fmt.Sprintf("%s|%s|%s\n", value, j.ID, dir)
			s.printed(j.ID, want)
			err := filepath.WalkDir(s.root, func(path string, d os.DirEntry, err error) error {
				if err != nil || !d.Type().IsRegular() {
					return nil //nolint:nilerr // a record may be replaced at this moment
				}
				if strings.HasSuffix(path, ".log") || strings.HasSuffix(path, "meta.json") {
					return nil // the job prints the value, and its script has it
				}
				data, err := os.ReadFile(path)
				if err == nil && strings.Contains(string(data), "quoted") {
					s.Errorf("%s contains the value of a variable", path)
				}
				return nil
			})
			if err != nil {
				s.Error(err)
			}
		}},
		{"a free port is in the record and in the variable PORT", func(s *suite) {
			s.need(s.cfg.here(), "port of this machine")
			auto := func(spec *engine.Spec) { spec.Port = engine.AutoPort }
			j := s.sh("echo $PORT; sleep 300", auto)
			s.until(j.ID, func(out string) bool { return out == strconv.Itoa(j.Port)+"\n" })
			if beside := s.sh("sleep 300", auto); j.Port <= 0 || beside.Port <= 0 || beside.Port == j.Port {
				s.Errorf("two jobs have the ports %d and %d", j.Port, beside.Port)
			}
		}},
		{"special characters in arguments are passed unchanged", func(s *suite) {
			words := []string{"", "a b", "it's", `"$HOME"`, "`id`", "\\", "line\nbreak", "*", "-n", "é ✓"}
			j := s.sh("", func(spec *engine.Spec) {
				spec.Script, spec.Command = "", append([]string{"printf", "<%s>"}, words...)
			})
			s.wait(j.ID)
			want := "<" + strings.Join(words, "><") + ">"
			s.printed(j.ID, want)
		}},
		{"ten thousand lines are complete", func(s *suite) {
			j := s.sh("i=0; while [ $i -lt 10000 ]; do echo line $i; i=$((i+1)); done")
			s.wait(j.ID)
			out := s.output(j.ID, engine.StreamOutput)
			if n := strings.Count(out, "\n"); n != 10000 || !strings.HasSuffix(out, "line 9999\n") {
				s.Errorf("%d lines", n)
			}
		}},
		{"at the smallest limit each stream keeps its first and last bytes", func(s *suite) {
			s.need(s.caps.Split && s.caps.Stdin && s.caps.LogLimit, "limit of separate streams")
			j := s.sh(`flood() { echo first; head -c 2400000 /dev/zero | tr '\0' x; echo; }
flood; flood >&2; read line; echo last; echo last >&2`, func(spec *engine.Spec) {
				spec.Split, spec.Stdin, spec.LogLimit = true, true, 2<<20
			})
			for _, stream := range []engine.Stream{engine.StreamStdout, engine.StreamStderr} {
				s.hole(j.ID, stream)
			}
			s.done(s.e.Handle(j.ID).Write(s.ctx(), []byte("\n")))
			s.wait(j.ID)
			dropped := int64(0)
			for _, stream := range []engine.Stream{engine.StreamStdout, engine.StreamStderr} {
				hole := s.hole(j.ID, stream)
				dropped += hole.End - hole.Start
				out := s.output(j.ID, stream)
				if !strings.HasPrefix(out, "first\nx") || !strings.HasSuffix(out, "x\nlast\n") {
					s.Errorf("%s: the first or the last of %d bytes are missing", stream, len(out))
				}
				if hole.End >= 2400000 || out[hole.End] != 'x' {
					s.Errorf("%s: of %d bytes, %v were dropped", stream, len(out), hole)
				}
			}
			if got := s.get(j.ID); got.Dropped != dropped {
				s.Errorf("Dropped = %d, want %d", got.Dropped, dropped)
			}
		}},
		{"poll returns new output once for each client", func(s *suite) {
			s.need(s.caps.Stdin, "input")
			j := s.sh("echo one; read x; echo two", func(spec *engine.Spec) { spec.Stdin = true })
			a := s.poll(j.ID, "a")
			if string(a.Output) != "one\n" {
				s.Errorf("first %q", a.Output)
			}
			again, err := s.e.Handle(j.ID).Poll(s.ctx(), engine.PollOptions{Client: "a"})
			s.done(err)
			if len(again.Output) != 0 || again.Job.Status != engine.Running {
				s.Errorf("nothing new: %q, %s", again.Output, again.Job.Status)
			}
			s.done(s.e.Handle(j.ID).Write(s.ctx(), []byte("\n")))
			if next := s.poll(j.ID, "a"); string(next.Output) != "two\n" {
				s.Errorf("second %q", next.Output)
			}
			s.wait(j.ID)
			if b := s.poll(j.ID, "b"); string(b.Output) != "one\ntwo\n" || b.Job.Status != engine.Exited {
				s.Errorf("another client: %q, %s", b.Output, b.Job.Status)
			}
			if end := s.poll(j.ID, "a"); len(end.Output) != 0 || end.Job.Status != engine.Exited {
				s.Errorf("after the end: %q, %s", end.Output, end.Job.Status)
			}
		}},
		{"resource usage is measured", func(s *suite) {
			s.need(s.cfg.here() && runtime.GOOS == "linux", "measurable processes")
			j := s.sh("sleep 300 & echo ready; sleep 300")
			s.until(j.ID, func(out string) bool { return out == "ready\n" })
			jobs, err := s.e.List(s.ctx(), engine.Filter{IDs: []engine.ID{j.ID}})
			if err != nil || len(jobs) != 1 {
				s.Fatal(jobs, err)
			}
			if all := s.e.MeasureAll(jobs); !measured(all[0]) {
				s.Errorf("list: %+v", all)
			}
			if jobs[0].RSS != 0 {
				s.Error("the list of the caller was changed")
			}
		}},
		{"terminal can be resized", func(s *suite) {
			s.terminal()
			s.need(s.caps.Resize, "resizable terminal")
			// On a host stty sets the rows and then the columns; each sends a SIGWINCH.
			j := s.sh(`trap 'h=$(stty size); echo "$h"; [ "$h" != "20 90" ] || exit' WINCH; test -t 0 && test -t 1 && stty size; while :; do sleep 0.05; done`, func(spec *engine.Spec) {
				spec.PTY, spec.Size = true, engine.Size{Cols: 100, Rows: 30}
			})
			s.until(j.ID, func(out string) bool { return strings.Contains(out, "30 100\r\n") })
			s.done(s.e.Handle(j.ID).Resize(s.ctx(), engine.Size{Cols: 90, Rows: 20}))
			s.until(j.ID, func(out string) bool { return strings.Contains(out, "20 90\r\n") })
			s.wait(j.ID)
			if got := s.get(j.ID); got.Size != (engine.Size{Cols: 90, Rows: 20}) || got.Kind != engine.KindPTY {
				s.Errorf("job = %+v", got)
			}
		}},
		{"a terminal that its client has closed ends", func(s *suite) {
			s.terminal()
			j := s.sh("echo ready; exec sleep 600", withTerminal)
			term, err := s.e.Handle(j.ID).Terminal(s.ctx(), engine.TerminalOptions{Size: engine.Size{Cols: 80, Rows: 24}})
			s.done(err)
			_, err = term.Next(s.ctx())
			s.done(err)
			s.done(term.Close())
			ctx := s.ctx()
			for err == nil {
				_, err = term.Next(ctx)
			}
			if ctx.Err() != nil {
				s.Errorf("it did not end: %v", err)
			}
		}},
		{"typed input reaches a terminal", func(s *suite) {
			s.terminal()
			j := s.sh(`read line; echo "got $line"; read line; echo end`, func(spec *engine.Spec) { spec.PTY = true })
			s.done(s.e.Handle(j.ID).Write(s.ctx(), []byte("hi\r")))
			s.until(j.ID, func(out string) bool { return strings.Contains(out, "got hi") })
			s.done(s.e.Handle(j.ID).CloseInput(s.ctx()))
			s.exits(j.ID, 0)
		}},
	}
}

func (s *suite) poll(id engine.ID, client string) engine.Poll {
	s.Helper()
	p, err := s.e.Handle(id).Poll(s.ctx(), engine.PollOptions{Client: client, Wait: Patience})
	if err != nil {
		s.Fatalf("poll: %v", err)
	}
	return p
}

// hole waits until the limit has dropped bytes of a stream, and returns their range.
func (s *suite) hole(id engine.ID, stream engine.Stream) engine.Range {
	s.Helper()
	ctx := s.ctx()
	log, err := s.e.Handle(id).Log(ctx, stream)
	if err != nil {
		s.Fatal(err)
	}
	defer log.Close()
	for {
		holes, err := log.Holes(ctx)
		if err != nil {
			s.Fatalf("no bytes of %s were dropped: %v", stream, err)
		}
		if len(holes) > 0 {
			return holes[0]
		}
		if s.get(id).NoLimit {
			s.Skip("the file system cannot free bytes inside a file")
		}
		<-time.After(20 * time.Millisecond)
	}
}

// measured reports whether j has what is measured of a running job.
func measured(j engine.Job) bool { return j.RSS > 0 && j.CPU != nil && j.Ports != nil }
