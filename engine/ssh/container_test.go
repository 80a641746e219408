//go:build unix

package ssh

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/enginetest"
	"github.com/hobjobs/hob/engine/ssh/internal/client"
	"github.com/hobjobs/hob/internal/testtool"
)

// Containers are entered by a stand-in for docker, which checks how it is called
// and gives a sh with the surroundings that a container would have.
func TestJobsInAContainer(t *testing.T) {
	dir := t.TempDir()
	home, up := filepath.Join(dir, "home"), filepath.Join(dir, "up")
	for _, d := range []string{home, up} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	testtool.WriteScript(t, filepath.Join(dir, "docker"), fmt.Sprintf(`[ "$*" = "exec -i -- web sh" ] || { echo "called as $*" >&2; exit 64; }
[ -d '%s' ] || { echo "Error: No such container: web" >&2; exit 1; }
exec env -i PATH="$PATH" HOME='%s' sh`, up, home))
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	const host = "docker:web"
	b := New(WithPatience(patient))
	e, err := engine.New(engine.WithStateDir(t.TempDir()), engine.WithClient("test"), engine.WithBackend(b))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var steps []Step
	if !b.Check(t.Context(), host, func(s Step) { steps = append(steps, s) }) {
		t.Fatalf("steps %+v", steps)
	}
	j, err := e.Start(t.Context(), engine.Spec{Host: host, Script: `echo "$HOME"; read -r line; echo "got $line"; sleep 300`, Stdin: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Handle(j.ID).Write(t.Context(), []byte("hello\n")); err != nil {
		t.Fatal(err)
	}
	want, buf := home+"\ngot hello\n", make([]byte, 4096)
	for n := 0; n < len(want); {
		if n, _, err = enginetest.ReadStream(t.Context(), e.Handle(j.ID), engine.StreamOutput, buf, 0); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(want, string(buf[:n])) {
			t.Fatalf("output %q, want %q", buf[:n], want)
		}
	}
	// It is the container's, not this machine's.
	if j.OutputPath != filepath.Join(home, ".local/state/hob/jobs", string(j.ID), "output.log") {
		t.Errorf("the output is in %s", j.OutputPath)
	}
	if err := os.Remove(up); err != nil {
		t.Fatal(err)
	}
	other := New()
	defer other.Close()
	err = other.Connect(t.Context(), host)
	if he, ok := errors.AsType[*HostError](err); !ok || he.Attention || !strings.Contains(err.Error(), "No such container") {
		t.Errorf("while it is stopped: %v", err)
	}
	// A client that was connected to it detects the loss on its next request.
	b.host(host).conn.Shut()
	if got, err := e.Handle(j.ID).Facts(t.Context()); err != nil || got.Link != engine.LinkUnreachable || got.Status != engine.Running {
		t.Errorf("while it is stopped: %s, %s, %v", got.Status, got.Link, err)
	}
	if err := os.Mkdir(up, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Handle(j.ID).Stop(t.Context(), engine.StopOptions{Grace: -1}); err != nil {
		t.Error(err)
	}
}

func TestNamesOfContainers(t *testing.T) {
	for host, want := range map[string]string{
		"docker:web":         "docker exec -i -- web sh",
		"podman:web_1.x":     "podman exec -i -- web_1.x sh",
		"kubectl:pod":        "kubectl exec -i pod -- sh",
		"kubectl:ns/pod":     "kubectl exec -i -n ns pod -- sh",
		"kubectl:ns/pod/app": "kubectl exec -i -n ns -c app pod -- sh",
		"docker:-v":          "", "docker:": "", "docker:a b": "", "docker:a/b": "", "kubectl:a/-b": "", "kubectl:a/b/c/d": "", "podman:$(x)": "",
	} {
		c, ok, err := client.Enter(host)
		if !ok || (err == nil) != (want != "") || err == nil && c.String() != want {
			t.Errorf("%s: %v, %v, want %q", host, c, err, want)
		}
	}
	for _, host := range []string{"web", "me@web", "ssh://web:22", "::1", "dockers:web"} {
		if _, ok, _ := client.Enter(host); ok {
			t.Errorf("%s is taken for a container", host)
		}
	}
}
