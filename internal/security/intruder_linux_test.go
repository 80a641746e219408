package security

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hobjobs/hob/internal/testtool"
	"github.com/hobjobs/hob/internal/testtool/stage"
)

// nobody is a user and a group that own nothing here.
const nobody = 65534

// intruder is a copy of this program where everybody can run it.
func intruder(t *testing.T, s *stage.Stage) func(args ...string) (possible bool, said string) {
	t.Helper()
	testtool.NeedRoot(t)
	dir, err := os.MkdirTemp("", "intruder")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "intruder")
	from, err := os.Open(s.Exe)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return func(args ...string) (bool, string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), path, args...)
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		out, err := cmd.CombinedOutput()
		if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
			t.Fatal(err)
		}
		return err == nil, strings.TrimSpace(string(out))
	}
}

// reachable lets every user walk to dir.
func reachable(t *testing.T, dir string) {
	t.Helper()
	for ; dir != "/" && dir != os.TempDir(); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func socketOf(t *testing.T, s *stage.Stage, id string) string {
	t.Helper()
	var st struct {
		Socket string `json:"socket"`
	}
	data, err := os.ReadFile(filepath.Join(dirOf(s, id), "state.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &st); err != nil || st.Socket == "" {
		t.Fatalf("no socket in %s: %v", data, err)
	}
	return st.Socket
}

func TestAnotherUserSeesNothing(t *testing.T) {
	s := play(t)
	try := intruder(t, s)
	id := s.Must(t, "run", "-b", "-c", "echo secret; exec sleep 1000")
	s.Must(t, "wait", "--for", "secret", id)
	reachable(t, filepath.Dir(s.State))
	reachable(t, s.Runtime)
	control := filepath.Join(s.Runtime, "everybody")
	if err := os.WriteFile(control, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if ok, said := try("read", control); !ok {
		t.Fatalf("the intruder cannot even walk there: %s", said)
	}
	for _, what := range [][]string{
		{"enter", s.State},
		{"enter", filepath.Join(s.State, "jobs")},
		{"read", filepath.Join(dirOf(s, id), "output.log")},
		{"read", filepath.Join(dirOf(s, id), "meta.json")},
		{"enter", filepath.Dir(socketOf(t, s, id))},
		{"connect", socketOf(t, s, id)},
	} {
		if ok, said := try(what...); ok || !strings.Contains(said, "permission denied") {
			t.Errorf("%v as another user: possible %v: %s", what, ok, said)
		}
	}
}

// TestTheHolderAsksWhoConnects opens the socket to everybody, as a careless user
// or a tool that restores modes might: the holder itself refuses then.
func TestTheHolderAsksWhoConnects(t *testing.T) {
	s := play(t)
	try := intruder(t, s)
	id := s.Must(t, "run", "-b", "-c", "echo up; exec sleep 1000")
	socket := socketOf(t, s, id)
	reachable(t, filepath.Dir(socket))
	if err := os.Chmod(socket, 0o666); err != nil {
		t.Fatal(err)
	}
	if ok, said := try("connect", socket); !ok {
		t.Fatalf("the kernel already refuses: %s", said)
	}
	if ok, said := try("stop", socket); ok {
		t.Errorf("the holder answered another user: %s", said)
	}
	if f := statusOf(t, s, id); f.Status != "running" {
		t.Errorf("status %s after another user's stop", f.Status)
	}
}

// TestStateRootOfAnotherUser covers a root that is another user's, and a link
// that another user made where the root is expected.
func TestStateRootOfAnotherUser(t *testing.T) {
	testtool.NeedRoot(t)
	s := play(t)
	if err := os.Mkdir(s.State, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(s.State, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	refused := func(why string) {
		t.Helper()
		for _, verb := range [][]string{{"list"}, {"run", "-b", "true"}} {
			if _, code, err := s.Ask(verb...); code != 1 || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), "HOB_STATE_DIR") {
				t.Errorf("hob %v: code %d, %v", verb, code, err)
			}
		}
	}
	refused("belongs to nobody")
	if entries, err := os.ReadDir(s.State); err != nil || len(entries) > 0 {
		t.Errorf("something was made there: %v, %v", entries, err)
	}

	own := filepath.Join(s.Dir, "own")
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(s.State); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(own, s.State); err != nil {
		t.Fatal(err)
	}
	s.Must(t, "list") // one's own link does no harm
	if err := os.Lchown(s.State, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	refused("belongs to nobody")
}
