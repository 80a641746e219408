package security

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hobjobs/hob/internal/testtool"
	"github.com/hobjobs/hob/internal/testtool/stage"
)

// otherUser is a user and a group without any files in the tests.
const otherUser = 65534

// intruder copies this program to a directory that is accessible to all users, and returns a function
// that runs it as another user.
func intruder(t *testing.T, s *stage.Stage) func(args ...string) (possible bool, output string) {
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
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: otherUser, Gid: otherUser}}
		out, err := cmd.CombinedOutput()
		if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
			t.Fatal(err)
		}
		return err == nil, strings.TrimSpace(string(out))
	}
}

// reachable makes dir accessible to all users.
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

func TestOtherUserHasNoAccess(t *testing.T) {
	s := newStage(t)
	try := intruder(t, s)
	id := s.Must(t, "run", "-b", "-c", "echo secret; exec sleep 1000")
	s.Must(t, "wait", "--for", "secret", id)
	reachable(t, filepath.Dir(s.State))
	reachable(t, s.Runtime)
	control := filepath.Join(s.Runtime, "accessible")
	if err := os.WriteFile(control, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if ok, output := try("read", control); !ok {
		t.Fatalf("the other user cannot read an accessible file: %s", output)
	}
	for _, what := range [][]string{
		{"enter", s.State},
		{"enter", filepath.Join(s.State, "jobs")},
		{"read", filepath.Join(dirOf(s, id), "output.log")},
		{"read", filepath.Join(dirOf(s, id), "meta.json")},
		{"enter", filepath.Dir(socketOf(t, s, id))},
		{"connect", socketOf(t, s, id)},
	} {
		if ok, output := try(what...); ok || !strings.Contains(output, "permission denied") {
			t.Errorf("%v as another user succeeded: %v: %s", what, ok, output)
		}
	}
}

// TestHolderChecksUserOfConnection makes the socket accessible to all users, as a careless user or a
// tool might. The holder itself must refuse other users.
func TestHolderChecksUserOfConnection(t *testing.T) {
	s := newStage(t)
	try := intruder(t, s)
	id := s.Must(t, "run", "-b", "-c", "echo up; exec sleep 1000")
	socket := socketOf(t, s, id)
	reachable(t, filepath.Dir(socket))
	if err := os.Chmod(socket, 0o666); err != nil {
		t.Fatal(err)
	}
	if ok, output := try("connect", socket); !ok {
		t.Fatalf("the kernel refused the connection: %s", output)
	}
	if ok, output := try("stop", socket); ok {
		t.Errorf("the holder answered another user: %s", output)
	}
	if f := statusOf(t, s, id); f.Status != "running" {
		t.Errorf("status %s after another user's stop", f.Status)
	}
}

// TestStateDirOfOtherUser covers a state directory of another user, and a symbolic link of another user at
// its path.
func TestStateDirOfOtherUser(t *testing.T) {
	testtool.NeedRoot(t)
	s := newStage(t)
	if err := os.Mkdir(s.State, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(s.State, otherUser, otherUser); err != nil {
		t.Fatal(err)
	}
	refused := func(why string) {
		t.Helper()
		for _, command := range [][]string{{"list"}, {"run", "-b", "true"}} {
			if _, code, err := s.Ask(command...); code != 1 || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), "HOB_STATE_DIR") {
				t.Errorf("hob %v: code %d, %v", command, code, err)
			}
		}
	}
	refused("belongs to nobody")
	if entries, err := os.ReadDir(s.State); err != nil || len(entries) > 0 {
		t.Errorf("files were created there: %v, %v", entries, err)
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
	s.Must(t, "list") // the user's own link is allowed
	if err := os.Lchown(s.State, otherUser, otherUser); err != nil {
		t.Fatal(err)
	}
	refused("belongs to nobody")
}

// TestStateDirThroughLinkOfOtherUser covers a link of another user that is not the last element.
func TestStateDirThroughLinkOfOtherUser(t *testing.T) {
	testtool.NeedRoot(t)
	s := newStage(t)
	own, link := filepath.Join(s.Dir, "own"), filepath.Join(s.Dir, "l")
	if err := errors.Join(os.Mkdir(own, 0o700), os.Symlink(own, link)); err != nil {
		t.Fatal(err)
	}
	s.State = filepath.Join(link, "hob")
	s.Must(t, "run", "true") // the user's own link is allowed
	for name, path := range map[string]string{"existing": s.State, "new": filepath.Join(link, "new", "hob")} {
		if err := os.Lchown(link, otherUser, otherUser); err != nil {
			t.Fatal(err)
		}
		s.State = path
		for _, command := range [][]string{{"list"}, {"run", "true"}} {
			_, code, err := s.Ask(command...)
			if code != 1 || !strings.Contains(err.Error(), link+" belongs to nobody, not to root") || !strings.Contains(err.Error(), "HOB_STATE_DIR") {
				t.Errorf("%s: hob %v: code %d, %v", name, command, code, err)
			}
		}
	}
}

// TestRuntimeDirOfOtherUser covers root with the XDG_RUNTIME_DIR of another user, as after su or
// sudo -E: that user could replace the socket.
func TestRuntimeDirOfOtherUser(t *testing.T) {
	testtool.NeedRoot(t)
	s := newStage(t)
	if err := os.Chown(s.Runtime, otherUser, otherUser); err != nil {
		t.Fatal(err)
	}
	id := s.Must(t, "run", "-b", "-c", "read x; echo got $x")
	if socket := socketOf(t, s, id); !strings.HasPrefix(socket, s.State) && !strings.HasPrefix(socket, "/tmp/hob-0") {
		t.Errorf("socket at %s", socket)
	}
	if entries, err := os.ReadDir(s.Runtime); err != nil || len(entries) > 0 {
		t.Errorf("files were created there: %v, %v", entries, err)
	}
	s.Must(t, "write", "--enter", id, "secret")
	s.Must(t, "wait", "--for", "got secret", id)
}

// TestFalseHolder replaces a holder's socket by that of another user, who is not to learn what root
// types.
func TestFalseHolder(t *testing.T) {
	s := newStage(t)
	try := intruder(t, s)
	id := s.Must(t, "run", "-b", "--pty", "-c", "read x; echo got $x")
	socket := socketOf(t, s, id)
	hello := greetingOf(t, socket)

	// What the user of a runtime directory can do.
	dir := filepath.Dir(socket)
	if err := errors.Join(os.Rename(dir, dir+"-moved"), os.Mkdir(dir, 0o755), os.Chown(dir, otherUser, otherUser)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(socket+".hello", hello, 0o644); err != nil {
		t.Fatal(err)
	}
	reachable(t, filepath.Dir(dir))
	received := make(chan string, 1)
	go func() {
		_, output := try("hold", socket)
		received <- output
	}()
	if err := stage.Eventually("socket of the other user", func() bool {
		fi, err := os.Lstat(socket)
		return err == nil && fi.Mode().Perm() == 0o777
	}); err != nil {
		t.Fatal(err)
	}

	s.Must(t, "write", "--enter", id, "secret") // the holder binds another socket
	if got := <-received; got != "" {
		t.Errorf("the other user received %q", got)
	}
	if now := socketOf(t, s, id); now == socket {
		t.Error("the holder has the same socket")
	}
	s.Must(t, "wait", "--for", "got secret", id)
}

// greetingOf returns the first frame that a holder sends.
func greetingOf(t *testing.T, socket string) []byte {
	t.Helper()
	c, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	head := make([]byte, 5)
	if _, err := io.ReadFull(c, head); err != nil {
		t.Fatal(err)
	}
	frame := append(head, make([]byte, binary.BigEndian.Uint32(head[1:]))...)
	if _, err := io.ReadFull(c, frame[len(head):]); err != nil {
		t.Fatal(err)
	}
	return frame
}
