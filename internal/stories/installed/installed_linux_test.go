package installed_test

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
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hobjobs/hob/internal/storytest"
	"github.com/hobjobs/hob/internal/testtool"
)

// built is the directory of the programs that the tests have built, or "" if they have built
// none.
var built string

// cleanup removes the built programs after all tests have run.
type cleanup struct{ m *testing.M }

func (c cleanup) Run() int {
	defer func() { _ = os.RemoveAll(built) }()
	return c.m.Run()
}

func TestMain(m *testing.M) { storytest.Main(cleanup{m}) }

// TestInstalled runs the stories with both programs installed: hob-holder is next to hob.
func TestInstalled(t *testing.T) {
	both, _ := programs(t)
	storytest.Run(t, testscript.Params{
		Dir: filepath.Join("..", "testdata", "script"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", filepath.Dir(both)+string(os.PathListSeparator)+env.Getenv("PATH"))
			return storytest.Setup(env)
		},
	})
}

// programs builds hob and returns two copies: both has hob-holder next to it, alone does not.
func programs(t *testing.T) (both, alone string) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short")
	}
	builtOnce.Do(func() { built, errBuilt = buildPrograms() })
	if errBuilt != nil {
		t.Fatal(errBuilt)
	}
	return filepath.Join(built, "hob"), filepath.Join(built, "alone", "hob")
}

var (
	builtOnce sync.Once
	errBuilt  error
)

func buildPrograms() (string, error) {
	dir, err := os.MkdirTemp("", "hob-programs")
	if err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-o", dir+"/", "github.com/hobjobs/hob", "github.com/hobjobs/hob/cmd/hob-holder")
	if out, err := build.CombinedOutput(); err != nil {
		return dir, fmt.Errorf("%v: %w\n%s", build.Args, err, out)
	}
	alone := filepath.Join(dir, "alone")
	return dir, errors.Join(os.Mkdir(alone, 0o700), os.Link(filepath.Join(dir, "hob"), filepath.Join(alone, "hob")))
}

// home is a user's home directory, with jobs and settings.
type home struct {
	dir string
	env []string
}

// newHome creates a home, with a config.toml if settings is not empty.
func newHome(t *testing.T, settings string) *home {
	t.Helper()
	dir := testtool.TempDir(t) // socket paths must be short
	h := &home{dir: dir, env: []string{
		"HOME=" + dir, "HOB_STATE_DIR=" + filepath.Join(dir, "s"), "PATH=/usr/local/bin:/usr/bin:/bin", "XDG_RUNTIME_DIR=" + dir, "A=1", "SHELL=/bin/sh",
	}}
	if settings != "" {
		h.write(t, settings)
	}
	return h
}

func (h *home) config() string { return filepath.Join(h.dir, ".config", "hob", "config.toml") }

func (h *home) write(t *testing.T, settings string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(h.config()), 0o700), os.WriteFile(h.config(), []byte(settings), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// run runs program in the home. env is added to the environment.
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

// read waits for the end of a job and returns its log and the fields of one of its records.
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

// printEnvironment prints what a job can see of its environment, without values that differ from
// job to job.
const printEnvironment = `env | sort | grep -v HOB_JOB_ID
pwd; umask; ulimit -a; nice; tty 2>&1 | sed 's/[0-9]*$//'; stty size 2>&1; cat /proc/self/timerslack_ns
grep -E '^(Sig(Blk|Ign|Cgt)|NoNewPrivs|Uid|Gid|Groups)' /proc/self/status; ls /proc/$$/fd; cat /proc/$$/cgroup`

// A job must not notice which program holds it: its records and everything it can see are the
// same.
func TestHolderProgramsAreEquivalent(t *testing.T) {
	both, alone := programs(t)
	const settings = "[run]\nsize = \"91x17\"\ngrace = \"7s\"\ntimeout = \"50s\"\n[log]\nlimit = \"3MiB\"\n"
	for _, tt := range []struct {
		name, settings string
		args           []string
	}{
		{"without settings", "", []string{"-b", "--", "sh", "-c", printEnvironment}},
		{"with settings", settings, []string{"-b", "sh", "-c", printEnvironment}},
		{"a script", settings, []string{"-b", "-c", printEnvironment}},
		{"without a terminal", settings, []string{"--no-pty", "--background", "-n", "a b", "-c", printEnvironment}},
		{"arguments that are not UTF-8", "", []string{"-b", "--name", "\xffx", "printf", "%s", "a\nb\xff", ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHome(t, tt.settings)
			start := func(program string) (string, map[string]any) {
				t.Helper()
				id, stderr, code := h.run(t, program, nil, append([]string{"run"}, tt.args...)...)
				if code != 0 || stderr != "" {
					t.Fatalf("run: exit %d, %q", code, stderr)
				}
				log, meta := h.read(t, program, strings.TrimSpace(id), "meta.json")
				for _, own := range []string{"id", "token", "created_at"} {
					delete(meta, own)
				}
				return log, meta
			}
			wantLog, want := start(alone)
			log, meta := start(both)
			if diff := cmp.Diff(want, meta); diff != "" {
				t.Errorf("meta.json (-held by hob +held by hob-holder):\n%s", diff)
			}
			if diff := cmp.Diff(wantLog, log); diff != "" {
				t.Errorf("output (-held by hob +held by hob-holder):\n%s", diff)
			}
		})
	}
}

// If hob cannot print the id of the new job, the error contains it, and the job runs.
func TestBackgroundStartReportsIDOnWriteError(t *testing.T) {
	both, _ := programs(t)
	h := newHome(t, "")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	cmd := exec.Command(both, "run", "-b", "true")
	var stderr bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.Stderr = h.env, full, &stderr
	err = cmd.Run()
	found := regexp.MustCompile(`job (\S+) was started`).FindStringSubmatch(strings.Join(strings.Fields(stderr.String()), " "))
	if err == nil || found == nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	h.read(t, both, found[1], "meta.json")
}

// If hob-holder exits before it holds the job, or has another version, hob itself becomes the
// holder. If it dies later, the job is lost. The job is never started twice.
func TestFailedHolderIsReplacedOrLost(t *testing.T) {
	both, _ := programs(t)
	for _, tt := range []struct {
		name, holder string
		code         int
		stderr       string
	}{
		{"exits at once", "exit 3", 0, ""},
		{"reads, then exits", "cat >/dev/null; exit 3", 0, ""},
		{"another version", `cat >/dev/null; echo '{"error":"read the configuration: no","unknown":true}' >&3`, 0, ""},
		{"unknown answer", "cat >/dev/null; echo what >&3; echo else >&3", 0, ""},
		{"dies while holding the job", `cat >/dev/null; touch "$JOBS/$1/output.log"; kill -9 $$`, 125, "lost"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHome(t, "")
			dir := filepath.Join(h.dir, "bin")
			jobs := filepath.Join(h.dir, "s", "jobs")
			script := fmt.Sprintf("#!/bin/sh\nJOBS=%s\n%s\n", jobs, tt.holder)
			copyOf, err := os.ReadFile(both)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(os.Mkdir(dir, 0o700), testtool.WriteProgram(filepath.Join(dir, "hob"), string(copyOf)),
				testtool.WriteProgram(filepath.Join(dir, "hob-holder"), script)); err != nil {
				t.Fatal(err)
			}
			id, stderr, code := h.run(t, filepath.Join(dir, "hob"), nil, "run", "-b", "true")
			if code != tt.code || !strings.Contains(stderr, tt.stderr) || (stderr == "") != (tt.stderr == "") {
				t.Errorf("%d %q %q, want %d and %q", code, id, stderr, tt.code, tt.stderr)
			}
			if ids := jobsIn(t, jobs); len(ids) != 1 {
				t.Errorf("jobs %q, want one", ids)
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
