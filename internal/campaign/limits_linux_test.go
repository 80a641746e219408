package campaign

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobjobs/hob/internal/testtool/stage"
)

// TestFewDescriptors starts jobs from a hob with a very low limit of open descriptors, which has
// inherited one above that limit; its holder has the same limit. Either the job runs and ends as it
// should, or an exit code and a message report that it does not; no job remains as running or
// starting.
func TestFewDescriptors(t *testing.T) {
	w := newWorld(t)
	ran, refused := 0, 0
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for limit := 3; limit <= 24; limit++ {
		cmd := w.Command("run", "--json", "-n", fmt.Sprint("limit-", limit), "-c", "exit 7")
		under := &exec.Cmd{
			Path: "/bin/sh", Dir: cmd.Dir, Env: cmd.Env, ExtraFiles: []*os.File{20: null}, // 23 in the child
			Args: append([]string{"sh", "-c", fmt.Sprintf(`ulimit -n %d; exec "$0" "$@"`, limit), cmd.Path}, cmd.Args[1:]...),
		}
		out, err := under.CombinedOutput()
		exit, ended := errors.AsType[*exec.ExitError](err)
		if !ended || !exit.Exited() {
			t.Errorf("%d descriptors: %v: %s", limit, err, out)
			continue
		}
		switch {
		case exit.ExitCode() == 7:
			ran++
		case len(strings.TrimSpace(string(out))) == 0:
			t.Errorf("%d descriptors: code %d and not a word", limit, exit.ExitCode())
		default:
			refused++
		}
	}
	if ran == 0 || refused == 0 {
		t.Errorf("%d ran and %d were refused: the limits prove nothing", ran, refused)
	}
	if err := stage.Eventually("nothing is left running", func() bool { return len(w.processes()) == 0 }); err != nil {
		t.Error(err)
	}
	jobs, err := w.list()
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs {
		if !j.finished() {
			t.Errorf("left behind: %v", j)
		}
		if j.Status == "exited" && (j.Code == nil || *j.Code != 7) {
			t.Errorf("an end that was not: %v", j)
		}
	}
}

// TestRecordsOfTheFuture reads what a later hob may write: fields and a version that this one does
// not support.
func TestRecordsOfTheFuture(t *testing.T) {
	w := newWorld(t)
	id := strings.TrimSpace(w.Must(t, "run", "-b", "-n", "later", "-c", "echo words; exit 3"))
	if _, code, _ := w.Ask("wait", id); code != 3 {
		t.Fatalf("code %d", code)
	}
	if err := stage.Eventually("the holder is gone", func() bool { return len(w.processes()) == 0 }); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"meta.json", "state.json"} {
		path := filepath.Join(w.State, "jobs", id, name)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(data, &fields); err != nil {
			t.Fatal(err)
		}
		fields["version"] = 99
		fields["invented_later"] = map[string]any{"deep": []int{1, 2}}
		if data, err = json.Marshal(fields); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(w.State, "index")); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	j, ok, err := w.find("later")
	if err != nil || !ok {
		t.Fatalf("find: %v, %v", ok, err)
	}
	if j.Status != "exited" || j.Code == nil || *j.Code != 3 {
		t.Errorf("%v", j)
	}
	if out := w.Must(t, "log", id); out != "words" {
		t.Errorf("log %q", out)
	}
}
