package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/internal/testtool"
)

// TestInstalled runs the stories with the two programs as they are installed: with a
// hob-holder beside hob, which starts the jobs of a plain run -b itself.
func TestInstalled(t *testing.T) {
	both, _ := programs(t)
	runScripts(t, func(env *testscript.Env) error {
		env.Setenv("PATH", filepath.Dir(both)+string(os.PathListSeparator)+env.Getenv("PATH"))
		return setupScript(env)
	})
}

// programs builds hob and returns it twice: with hob-holder beside it, and alone.
func programs(t *testing.T) (both, alone string) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short")
	}
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", dir+"/", ".", "./cmd/hob-holder")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build.Args, err, out)
	}
	both, alone = filepath.Join(dir, "hob"), filepath.Join(dir, "alone", "hob")
	if err := errors.Join(os.Mkdir(filepath.Dir(alone), 0o700), os.Link(both, alone)); err != nil {
		t.Fatal(err)
	}
	return both, alone
}

// home is where one user has jobs and settings.
type home struct {
	dir string
	env []string
}

// newHome makes a home in which hob knows its settings: in which program has started a
// job already, and the next sweep is far.
func newHome(t *testing.T, settings string) *home {
	t.Helper()
	dir, err := os.MkdirTemp("", "hob") // sockets need a short path
	if err != nil {
		t.Fatal(err)
	}
	h := &home{dir: dir, env: []string{
		"HOME=" + dir, "HOB_STATE_DIR=" + filepath.Join(dir, "s"), "PATH=/usr/local/bin:/usr/bin:/bin", "XDG_RUNTIME_DIR=" + dir, "A=1", "SHELL=/bin/sh",
	}}
	if settings != "" {
		h.write(t, settings)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return h
}

func (h *home) config() string { return filepath.Join(h.dir, ".config", "hob", "config.toml") }

func (h *home) write(t *testing.T, settings string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(h.config()), 0o700), os.WriteFile(h.config(), []byte(settings), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// run runs program in the home with more variables, if they are given.
func (h *home) run(t *testing.T, program string, env []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = h.dir, append(h.env[:len(h.env):len(h.env)], env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// handed reports whether run -b of program ends without that having set itself up, and
// what it said.
func (h *home) handed(t *testing.T, program string, env []string, args ...string) (handed bool, stdout, stderr string) {
	t.Helper()
	stdout, trace, code := h.run(t, program, append(env, "GODEBUG=inittrace=1"), append([]string{"run"}, args...)...)
	if code != 0 {
		t.Fatalf("run %q: %d\n%s", args, code, trace)
	}
	said := regexp.MustCompile(`(?m)^init .*\n`).ReplaceAllString(trace, "")
	return !strings.Contains(trace, "github.com/spf13/cobra"), stdout, said
}

// settle starts jobs until one is handed over: the settings are known then.
func (h *home) settle(t *testing.T, program string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; {
		if handed, _, _ := h.handed(t, program, nil, "-b", "true"); handed {
			return
		}
		if time.Now().After(end) {
			t.Fatal("no job is started by its holder")
		}
	}
}

// read waits for the end of a job and returns its log and one of its records.
func (h *home) read(t *testing.T, program, id, record string) (log string, fields map[string]any) {
	t.Helper()
	if _, errs, code := h.run(t, program, nil, "wait", "--timeout", "1m", id); code == 124 || code == 125 {
		t.Fatalf("wait %s: %d %s", id, code, errs)
	}
	dir := filepath.Join(h.dir, "s", "jobs", id)
	text, err := os.ReadFile(filepath.Join(dir, record))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	text, err = os.ReadFile(filepath.Join(dir, "output.log"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text), fields
}

// what a job may see of where it runs, but for what differs from job to job.
const surroundings = `env | sort | grep -v HOB_JOB_ID
pwd; umask; ulimit -a; nice; tty 2>&1 | sed 's/[0-9]*$//'; stty size 2>&1; cat /proc/self/timerslack_ns
grep -E '^(Sig(Blk|Ign|Cgt)|NoNewPrivs|Uid|Gid|Groups)' /proc/self/status; ls /proc/$$/fd; cat /proc/$$/cgroup`

// A job is the same whoever starts it: its records and all that it can see.
func TestHandedOver(t *testing.T) {
	both, alone := programs(t)
	const settings = "[run]\nsize = \"91x17\"\ngrace = \"7s\"\ntimeout = \"50s\"\n[log]\nlimit = \"3MiB\"\n"
	for _, tt := range []struct {
		name, settings string
		args           []string
	}{
		{"without settings", "", []string{"-b", "--", "sh", "-c", surroundings}},
		{"with settings", settings, []string{"-b", "sh", "-c", surroundings}},
		{"a script", settings, []string{"-b", "-c", surroundings}},
		{"without a terminal", settings, []string{"--no-pty", "--background", "-n", "a b", "-c", surroundings}},
		{"words that are not text", "", []string{"-b", "--name", "\xffx", "printf", "%s", "a\nb\xff", ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHome(t, tt.settings)
			h.settle(t, both)
			handed, id, said := h.handed(t, both, nil, tt.args...)
			if !handed || said != "" {
				t.Fatalf("it was not handed over: %q %q", id, said)
			}
			other, _, _ := h.run(t, alone, []string{"GODEBUG=inittrace=1"}, append([]string{"run"}, tt.args...)...)
			log, meta := h.read(t, both, strings.TrimSpace(id), "meta.json")
			wantLog, want := h.read(t, both, strings.TrimSpace(other), "meta.json")
			for _, m := range []map[string]any{meta, want} {
				for _, own := range []string{"id", "token", "created_at"} {
					delete(m, own)
				}
			}
			if diff := cmp.Diff(want, meta); diff != "" {
				t.Errorf("meta.json (-by hob itself +by its holder):\n%s", diff)
			}
			if diff := cmp.Diff(wantLog, log); diff != "" {
				t.Errorf("what it sees (-started by hob itself +by its holder):\n%s", diff)
			}
		})
	}
}

// What would be said to whoever starts a job is said, and the job is started as ever.
func TestNotHandedOver(t *testing.T) {
	both, _ := programs(t)
	h := newHome(t, "[run]\ngrace = \"7s\"\n")
	h.settle(t, both)
	again := func(t *testing.T, why string, env []string, args ...string) (stdout, stderr string) {
		t.Helper()
		handed, stdout, stderr := h.handed(t, both, env, args...)
		if handed {
			t.Errorf("%s: it was handed over", why)
		}
		if id := strings.TrimSpace(stdout); len(args) > 0 {
			h.read(t, both, id, "meta.json")
		}
		return stdout, stderr
	}
	again(t, "a log of hob's own", []string{"HOB_LOG=" + filepath.Join(h.dir, "log")}, "-b", "true")
	again(t, "a place by its relative path", []string{"HOB_STATE_DIR=s"}, "-b", "true")
	t.Run("descriptors", func(t *testing.T) {
		testtool.Need(t, "bash")
		cmd := exec.Command("bash", "-c", both+` run -b cat <(echo lent)`)
		cmd.Env = h.env
		id, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if log, _ := h.read(t, both, strings.TrimSpace(string(id)), "meta.json"); log != "lent\r\n" {
			t.Errorf("%q", log)
		}
	})
	t.Run("a sweep is due", func(t *testing.T) {
		long := time.Now().Add(-2 * time.Hour)
		if err := os.Chtimes(filepath.Join(h.dir, "s", "jobs", ".sweep"), long, long); err != nil {
			t.Fatal(err)
		}
		again(t, "sweep", nil, "-b", "true")
	})
	t.Run("settings that are wrong", func(t *testing.T) {
		h.write(t, "[run]\ngrase = \"7s\"\n")
		for range 3 { // however often
			if _, said := again(t, "settings", nil, "-b", "true"); !strings.Contains(said, `did you mean "grace"?`) {
				t.Errorf("it says %q", said)
			}
		}
	})
	t.Run("settings that are right again", func(t *testing.T) {
		h.write(t, "[run]\ngrace = \"9s\"\n")
		h.settle(t, both)
		_, id, _ := h.handed(t, both, nil, "-b", "true")
		if _, meta := h.read(t, both, strings.TrimSpace(id), "meta.json"); meta["grace_ms"] != 9000.0 {
			t.Errorf("the grace time is %v", meta["grace_ms"])
		}
	})
	for _, tt := range []struct {
		args   []string
		code   int
		stderr string
	}{
		{[]string{"-b", "no-such-program"}, 127, "no-such-program"},
		{[]string{"-b", "/"}, 126, "/"},
		{[]string{"-b", "-n", "@x", "true"}, 2, "begins with @"},
	} {
		if _, said, code := h.run(t, both, nil, append([]string{"run"}, tt.args...)...); code != tt.code || !strings.Contains(said, tt.stderr) {
			t.Errorf("run %q: %d %q", tt.args, code, said)
		}
	}
}

// An id that cannot be printed is told with the error, and the job runs.
func TestHandedOverToAFullDisk(t *testing.T) {
	both, _ := programs(t)
	h := newHome(t, "")
	h.settle(t, both)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	cmd := exec.Command(both, "run", "-b", "true")
	var said bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.Stderr = h.env, full, &said
	err = cmd.Run()
	found := regexp.MustCompile(`there is a job (\S+) now`).FindStringSubmatch(strings.Join(strings.Fields(said.String()), " "))
	if err == nil || found == nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	h.read(t, both, found[1], "meta.json")
}

// made is a holder that makes a job's directory, when it is first called.
const made = `cat >/dev/null; mkdir "$JOBS/../once" || exit 3; mkdir "$JOBS/made-aaaaa"; touch "$JOBS/made-aaaaa/lock"
cat >"$JOBS/made-aaaaa/meta.json" <<EOF
{"version":1,"token":"t","id":"made-aaaaa","name":"made","command":["true"],"dir":"/","backend":"local","kind":"pty","size":{"cols":80,"rows":24},"stdin":"pty","held":true,"created_at":"2026-01-01T00:00:00Z","created_by":"cli","env_names":[],"timeout_ms":0,"grace_ms":5000,"log_limit":0,"backgrounded":true}
EOF
`

// A holder that dies while it starts a job, or cannot do it, or is of another hob: the
// job is started once, or lost, and that is said.
func TestHoldersThatDoNotStartTheJob(t *testing.T) {
	both, _ := programs(t)
	for _, tt := range []struct {
		name, holder string
		code         int
		said         string
	}{
		{"it dies at once", "exit 3", 0, ""},
		{"it reads and dies", "cat >/dev/null; exit 3", 0, ""},
		{"it knows no requests", `cat >/dev/null; echo '{"error":"read the configuration: no","unknown":true}' >&3`, 0, ""},
		{"it says nothing that is known", "cat >/dev/null; echo what >&3; echo else >&3", 0, ""},
		{"it dies after the job was made", made + `echo made-aaaaa >&0; kill -9 $$`, 0, ""},
		{"it dies after the job was held", made + `touch "$JOBS/made-aaaaa/output.log"; echo made-aaaaa >&0; kill -9 $$`, 125, "lost"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHome(t, "")
			h.settle(t, both)
			dir := filepath.Join(h.dir, "bin")
			jobs := filepath.Join(h.dir, "s", "jobs")
			script := fmt.Sprintf("#!/bin/sh\nJOBS=%s\n%s\n", jobs, tt.holder)
			copyOf, err := os.ReadFile(both)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "hob"), copyOf, 0o700), //nolint:gosec // a program
				os.WriteFile(filepath.Join(dir, "hob-holder"), []byte(script), 0o700)); err != nil { //nolint:gosec // a program
				t.Fatal(err)
			}
			before := len(jobsIn(t, jobs))
			id, said, code := h.run(t, filepath.Join(dir, "hob"), nil, "run", "-b", "true")
			if code != tt.code || !strings.Contains(said, tt.said) || (said == "") != (tt.said == "") {
				t.Errorf("%d %q %q, want %d and %q", code, id, said, tt.code, tt.said)
			}
			if now := len(jobsIn(t, jobs)); now != before+1 {
				t.Errorf("%d jobs, of which %d were there: one is wanted", now, before)
			}
			if tt.code == 0 {
				if _, st := h.read(t, both, strings.TrimSpace(id), "state.json"); st["end"].(map[string]any)["status"] != "exited" {
					t.Errorf("%v", st["end"])
				}
			}
		})
	}
}

func jobsIn(t *testing.T, dir string) (ids []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name()[0] != '.' {
			ids = append(ids, e.Name())
		}
	}
	return ids
}

// A job that nobody waits for gets its socket later, or when somebody asks for it.
func TestASocketThatIsAskedFor(t *testing.T) {
	both, _ := programs(t)
	h := newHome(t, "")
	h.settle(t, both)
	for range 5 {
		_, id, _ := h.handed(t, both, nil, "-b", "sleep", "60")
		if _, errs, code := h.run(t, both, nil, "kill", "--grace", "0s", strings.TrimSpace(id)); code != 0 {
			t.Errorf("kill: %d %s", code, errs)
		}
		if _, st := h.read(t, both, strings.TrimSpace(id), "state.json"); st["end"].(map[string]any)["status"] != "killed" {
			t.Errorf("%v", st["end"])
		}
	}
}

// The job has the timer slack of who starts it, whatever its holder has.
func TestTimerSlack(t *testing.T) {
	testtool.Need(t, "python3")
	both, alone := programs(t)
	h := newHome(t, "")
	h.settle(t, both)
	was, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err != nil || was == 0 {
		t.Skip("no timer slack here: ", err)
	}
	for _, program := range []string{both, alone} {
		for _, args := range [][]string{{"-b"}, {"-b", "--no-pty"}, {"-b", "--timeout", "9s"}} {
			id, _, _ := h.run(t, "python3", nil, append([]string{"-c",
				"import ctypes,os,sys\nctypes.CDLL(None).prctl(29,123456,0,0,0)\nos.execv(sys.argv[1],sys.argv[1:])", program, "run"},
				append(args, "sh", "-c", "cat /proc/self/timerslack_ns")...)...)
			if log, _ := h.read(t, both, strings.TrimSpace(id), "meta.json"); strings.TrimSpace(log) != "123456" {
				t.Errorf("%q: %q", args, log)
			}
		}
	}
}
