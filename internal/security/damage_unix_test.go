//go:build unix

package security

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

// A file is put at a path of a job directory. Nil leaves the path free.
type file func(path string) error

func text(content string) file {
	return func(path string) error { return os.WriteFile(path, []byte(content), 0o600) }
}

func pipe(path string) error      { return syscall.Mkfifo(path, 0o600) }
func directory(path string) error { return os.Mkdir(path, 0o700) }

// link leads to content that would be valid at the path itself.
func link(content string) file {
	return func(path string) error {
		target := filepath.Join(filepath.Dir(path), "elsewhere")
		return errors.Join(os.WriteFile(target, []byte(content), 0o600), os.Symlink(target, path))
	}
}

// jobFiles are the files of a job directory, by name.
type jobFiles map[string]file

func (f jobFiles) with(name string, by file) jobFiles {
	f = maps.Clone(f)
	f[name] = by
	return f
}

func (f jobFiles) create(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if f[name] == nil {
			continue
		}
		if err := f[name](filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// The records of a job with a terminal that has exited with 3, whose holder is gone.
const (
	wholeMeta = `{"version":1,"token":"c09a","id":"job","name":"job","command":["sh","-c","echo hi; exit 3"],"dir":"/",
		"backend":"local","kind":"pty","stdin":"pty","size":{"cols":80,"rows":24},"grace_ms":5000,"log_limit":1073741824,
		"env_names":["TOKEN"],"backgrounded":true,"held":true,"labels":{"a":"b"},"timeout_ms":60000,"port":8080,
		"restart":"on-failure","created_at":"2026-11-20T09:51:55Z","created_by":"cli"}`
	wholeEnd = `{"at":"2026-11-20T09:51:56Z","ran_ms":4,"boot_ms":4776535,"status":"exited","code":3,"reason":"exit",
		"user_ms":1,"system_ms":1,"max_rss":4096,"oom_kills":1,"survivors":[{"pid":1,"command":"init","start":"0"}]}`
	wholeLog    = "hi\r\nlast line\r\n"
	wholeEvents = `{"at":"2026-11-20T09:51:55Z","kind":"started"}` + "\n" + `{"at":"2026-11-20T09:51:56Z","kind":"exited","offset":4}` + "\n"
	wholeScreen = `{"size":{"cols":80,"rows":24},"offset":15}` + "\nhi\r\nlast line\r\n"
)

// wholeState returns a state.json of this machine and boot, with an end or without.
func wholeState(end string) string {
	state := fmt.Sprintf(`{"version":1,"machine":%q,"boot_id":%q,"pid_ns":%q,"holder":{"pid":999999,"start":"1"},
		"job":{"pid":999998,"start":"2"},"session":999999,"socket":"/nonexistent","protocol":1,
		"started_at":"2026-11-20T09:51:55Z","started_up_ms":4776531,"backgrounded":true,"size":{"cols":80,"rows":24},
		"title":"t","progress":{"state":"normal","percent":50},"cwd":"/","deadline":"2026-11-20T10:51:55Z",
		"dropped":4,"hole":{"start":4,"end":8},"hole_lines":1,"runs":{"count":1,"last":{"status":"exited","code":1,"reason":"exit"}}`,
		proc.MachineID(), proc.BootID(), proc.PIDNamespace())
	if end != "" {
		state += `,"end":` + end
	}
	return state + "}"
}

func wholeJob() jobFiles {
	return jobFiles{
		jobdir.MetaFile: text(wholeMeta), jobdir.StateFile: text(wholeState(wholeEnd)), jobdir.ExitCodeFile: text("3\n"),
		jobdir.OutputFile: text(wholeLog), jobdir.EventsFile: text(wholeEvents), jobdir.LockFile: text(""),
		"screen": text(wholeScreen),
	}
}

// kinds are what may be found in place of a file with the given content.
func kinds(content string) map[string]file {
	return map[string]file{
		"missing": nil, "empty": text(""), "cut": text(content[:len(content)/2]), "not its format": text("\x00\xff}{"),
		"pipe": pipe, "link": link(content), "directory": directory,
	}
}

// known is the expected end: -1 is no code.
type known struct {
	status engine.Status
	code   int
}

var lost = known{engine.Lost, -1}

type damage struct {
	files jobFiles
	want  *known // nil: any end that is not invented
	held  bool   // a process has the lock
}

// damages returns the job directories of the test, by group and description.
func damages() map[string]map[string]damage {
	return map[string]map[string]damage{
		"forms of an end":      ends(),
		"fields of meta.json":  fields(jobdir.MetaFile, wholeMeta),
		"fields of state.json": fields(jobdir.StateFile, wholeState(wholeEnd)),
		"fields of the end":    endFields(),
		"other files":          otherFiles(),
		"held by a process":    held(),
	}
}

func otherFiles() map[string]damage {
	all := map[string]damage{}
	for name, content := range map[string]string{
		jobdir.OutputFile: wholeLog, jobdir.EventsFile: wholeEvents, "screen": wholeScreen, jobdir.LockFile: "x",
		jobdir.TimesFile: wholeLog, "seen": "x", "cursors": "x", "waits": "x", "background": "x",
	} {
		for kind, by := range kinds(content) {
			all[name+" is "+kind] = damage{files: wholeJob().with(name, by), want: &known{engine.Exited, 3}}
		}
	}
	for kind, by := range kinds(wholeMeta) {
		all["meta.json is "+kind] = damage{files: wholeJob().with(jobdir.MetaFile, by), want: &lost}
	}
	delete(all, "meta.json is missing") // such a directory is not a job yet
	only := jobFiles{jobdir.MetaFile: text(wholeMeta)}
	all["only meta.json"] = damage{files: only, want: &lost}
	all["only exit_code"] = damage{files: only.with(jobdir.ExitCodeFile, text("3\n")), want: &known{engine.Exited, 3}}
	all["only exit_code, 0"] = damage{files: only.with(jobdir.ExitCodeFile, text("0\n")), want: &known{engine.Exited, 0}}
	return all
}

// held returns jobs without an end whose lock is taken.
func held() map[string]damage {
	all := map[string]damage{}
	shown := []string{"started_at", "started_up_ms", "deadline", "size", "progress", "runs", "hole", "title"}
	for field, changed := range changes(wholeState("")) {
		name, _, _ := strings.Cut(strings.ReplaceAll(field, ",", " "), " ")
		if !slices.Contains(shown, name) { // each of these jobs keeps a goroutine of every client busy
			continue
		}
		files := wholeJob().with(jobdir.StateFile, text(changed)).with(jobdir.ExitCodeFile, nil)
		all[field] = damage{files: files, held: true}
	}
	for kind, by := range kinds(wholeState("")) {
		files := wholeJob().with(jobdir.StateFile, by).with(jobdir.ExitCodeFile, nil)
		all["state.json is "+kind] = damage{files: files, held: true}
	}
	return all
}

// ends combines each form of state.json with each form of exit_code.
func ends() map[string]damage {
	states := map[string]file{
		"ended": text(wholeState(wholeEnd)), "without an end": text(wholeState("")), "an empty object": text("{}"), "null": text("null"),
	}
	maps.Copy(states, kinds(wholeState(wholeEnd)))
	codes := map[string]file{
		"3": text("3\n"), "3 without a line end": text("3"), "256": text("256\n"), "-1": text("-1\n"), "a word": text("three\n"),
		"two lines": text("3\n3\n"), "NUL bytes": text("\x00\x00"), "4294967296": text("4294967296\n"), "a kilobyte": text(strings.Repeat(" ", 1000) + "3\n"),
	}
	maps.Copy(codes, kinds("37\n"))
	all := map[string]damage{}
	for state, st := range states {
		for code, c := range codes {
			want := lost
			if state == "ended" || code == "3" {
				want = known{engine.Exited, 3}
			}
			files := wholeJob().with(jobdir.StateFile, st).with(jobdir.ExitCodeFile, c)
			all["state.json is "+state+", exit_code is "+code] = damage{files: files, want: &want}
		}
	}
	return all
}

// fields returns records in which one field is missing or has another value of its type.
func fields(name, whole string) map[string]damage {
	all := map[string]damage{}
	for field, changed := range changes(whole) {
		all[field] = damage{files: wholeJob().with(name, text(changed))}
	}
	return all
}

func endFields() map[string]damage {
	all := map[string]damage{}
	add := func(name, end string, want *known) {
		files := wholeJob().with(jobdir.StateFile, text(wholeState(end))).with(jobdir.ExitCodeFile, nil)
		all[name] = damage{files: files, want: want}
	}
	for field, changed := range changes(wholeEnd) {
		add(field, changed, nil)
	}
	add("none", `{}`, &lost)
	add("only a time", `{"at":"2026-11-20T09:51:56Z"}`, &lost)
	add("only a code", `{"code":3}`, &known{engine.Exited, 3})
	for _, status := range []engine.Status{engine.Exited, engine.Killed, engine.Failed} {
		add("only the status "+string(status), encode(map[string]any{"status": status}), &known{status, -1})
		add(string(status)+", 0, an unknown reason", encode(map[string]any{"status": status, "code": 0, "reason": "new"}), &known{status, 0})
		add(string(status)+" with 256", encode(map[string]any{"status": status, "code": 256}), &known{status, -1})
	}
	add("only the status running", `{"status":"running"}`, &lost)
	add("lost with 0", `{"status":"lost","code":0}`, &lost)
	add("an unknown status with 256", `{"status":"evaporated","code":256}`, &lost)
	return all
}

// changes returns an object once for each field without it, and with other values of its type.
func changes(object string) map[string]string {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(object), &fields); err != nil {
		panic(err)
	}
	others := map[byte][]string{
		'"': {`""`, `"` + `\u001b]0;x\u0007` + strings.Repeat("x", 5000) + `"`, `"0000-01-01T00:00:00Z"`, `"9999-12-31T23:59:59Z"`},
		'{': {`{}`, `null`, `{"cols":-1,"rows":-1,"start":-5,"end":-2,"percent":-70}`, `{"cols":2000000000,"rows":2000000000,"start":9,"end":9000000000000000000,"percent":2000000000}`},
		'[': {`[]`, `null`}, 't': {"false", "null"}, 'f': {"true", "null"},
	}
	numbers := []string{"null", "0", "-1", "-9223372036854775808", "9223372036854775807"}
	all := map[string]string{}
	for name, value := range fields {
		values, ok := others[value[0]]
		if !ok {
			values = numbers
		}
		rest := maps.Clone(fields)
		delete(rest, name)
		all[name+" is missing"] = encode(rest)
		for i, v := range values {
			rest[name] = json.RawMessage(v)
			all[fmt.Sprintf("%s, value %d", name, i)] = encode(rest)
		}
	}
	return all
}

func encode(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// Whatever is damaged in a job's directory: each program that reads it answers, says nothing about
// the job that its files do not say, and shows the other jobs.
func TestDamagedRecords(t *testing.T) {
	for group, cases := range damages() {
		t.Run(group, func(t *testing.T) {
			if testing.Short() && group != "forms of an end" {
				t.Skip("it takes long: a thousand reads of each client")
			}
			t.Parallel()
			s := newStage(t)
			healthy := runJob(t, s, "healthy")
			names := slices.Sorted(maps.Keys(cases))
			ids := make(map[string]engine.ID, len(cases)) // by description
			for i, name := range names {
				ids[name] = engine.ID(fmt.Sprintf("bad-%05d", i))
				cases[name].create(t, dirOf(s, string(ids[name])))
			}
			r := newReaders(t, s.State)
			jobs := r.list(t)
			if _, ok := jobs[engine.ID(healthy)]; !ok {
				t.Error("the healthy job is not listed")
			}
			for _, name := range names {
				t.Run(name, func(t *testing.T) {
					j, ok := jobs[ids[name]]
					if !ok {
						t.Fatal("not listed")
					}
					if !cases[name].held {
						j = r.settled(t, j)
						jobs[j.ID] = j
					}
					cases[name].check(t, j, dirOf(s, string(j.ID)))
					r.read(t, j)
					r.pane.show(t, j.ID)
				})
			}
			again := r.list(t)
			for _, name := range names {
				now := again[ids[name]]
				if !cases[name].held {
					now = r.settled(t, now)
				}
				if was, now := outcomeOf(jobs[ids[name]]), outcomeOf(now); was != now {
					t.Errorf("%s: %v, at a second look %v", name, was, now)
				}
			}
			r.commands(t, s, jobs)
		})
	}
}

// create creates the job's directory. A lock is held until the end of the test.
func (d damage) create(t *testing.T, dir string) {
	t.Helper()
	if err := d.files.create(dir); err != nil {
		t.Fatal(err)
	}
	if !d.held {
		return
	}
	lock, err := jobdir.Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Close() })
}

func outcomeOf(j engine.Job) known {
	code := -1
	if exit, ended := j.Ended(); ended && exit.Code != nil {
		code = *exit.Code
	}
	return known{j.Status, code}
}

// check checks that nothing is invented about the job.
func (d damage) check(t *testing.T, j engine.Job, dir string) {
	t.Helper()
	got := outcomeOf(j)
	if d.want != nil && got != *d.want {
		t.Errorf("%v, want %v", got, *d.want)
	}
	exit, ended := j.Ended()
	unknown := j.Link == engine.LinkElsewhere || j.Link == engine.LinkUnreachable
	switch {
	case ended && d.held:
		t.Errorf("%s although a process holds it", j.Status)
	case !ended && !d.held && !unknown:
		t.Errorf("%s although no process holds it", j.Status)
	case ended && (j.Ending() == "" || exit.Status != j.Status):
		t.Errorf("%s: the end is %q, %s", j.Status, j.Ending(), exit.Status)
	}
	if exit.Code == nil {
		return
	}
	inFile, _ := jobdir.ReadExitCode(dir)
	st, _ := jobdir.ReadState(dir)
	recorded := inFile == got.code || st.Exit.Code != nil && *st.Exit.Code == got.code
	possible := got.code >= 0 && got.code <= 255
	if j.Status == engine.Lost || !possible || !recorded {
		t.Errorf("%s with code %d", j.Status, got.code)
	}
}
