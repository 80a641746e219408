//go:build unix

package ssh

import (
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/ssh/internal/client"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

// benchHost is a real sshd with a connection to it.
func benchHost(b *testing.B) (h *host, c *sshtest.Client, state string) {
	b.Helper()
	testtool.Need(b, "sshd")
	state = b.TempDir()
	c = sshtest.NewClient(b)
	c.AddHost(b, "box", sshtest.Sshd(b, c, []string{"HOB_STATE_DIR=" + state}))
	back := New(WithConfigFile(c.ConfigFile))
	b.Cleanup(func() { back.Close() })
	if err := back.Connect(b.Context(), "box"); err != nil {
		b.Fatal(err)
	}
	return back.host("box"), c, state
}

func BenchmarkList500(b *testing.B) {
	h, _, state := benchHost(b)
	var ids []string
	for i := range 500 {
		id := fmt.Sprintf("job-%05d", i)
		dir := filepath.Join(state, "jobs", id)
		if err := os.MkdirAll(filepath.Join(dir, "claim"), 0o700); err != nil {
			b.Fatal(err)
		}
		files := map[string]string{"token": "t\n", "started": "1 1\n", "wrapper": "1 2 3 setsid\n", "pid": "2 3 4 setsid\n", "output.log": "x\n", "ready": ""}
		if i%5 != 0 { // one in five runs
			files["exit_code"] = "0  \n"
		}
		for name, text := range files {
			sshtest.Write(b, filepath.Join(dir, name), text)
		}
		ids = append(ids, id)
	}
	base := filepath.Join(state, "jobs")
	known := map[string]*recipe.Entry{}
	for i := 0; i < len(ids); i += 5 {
		known[ids[i]] = &recipe.Entry{Job: &recipe.Process{PID: os.Getpid(), Start: "3", Boot: "4"}, Sizes: map[string]int64{"output.log": 2}}
	}
	b.Run("first", func(b *testing.B) { benchList(b, h, base, ids, nil) })
	b.Run("again", func(b *testing.B) { benchList(b, h, base, ids, known) })
}

func benchList(b *testing.B, h *host, base string, ids []string, known map[string]*recipe.Entry) {
	b.Helper()
	for b.Loop() {
		a, err := h.ask(b.Context(), quick, recipe.ListAgain(base, ids, known, recipe.FewProofs), askOptions{})
		if err != nil {
			b.Fatal(err)
		}
		l := recipe.ParseListAgain(a.Out, known)
		if n := len(l.Jobs) + len(l.Doubtful); n != 500 {
			b.Fatalf("%d jobs", n)
		}
		b.ReportMetric(float64(len(a.Out)), "B/answer")
	}
}

func BenchmarkEcho(b *testing.B) {
	h, _, _ := benchHost(b)
	for b.Loop() {
		if _, err := h.ask(b.Context(), quick, "echo", askOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSpawn(b *testing.B) {
	h, _, _ := benchHost(b)
	for b.Loop() {
		j := recipe.Job{ID: "job-" + rand.Text()[:8], Token: rand.Text(), Owner: "m", Meta: []byte("{}\n"), Script: "true", Grace: time.Second}
		a, err := h.ask(b.Context(), slow, recipe.Spawn(j, rand.Text()), askOptions{})
		if err != nil || !recipe.ParseSpawn(a.Out).OK {
			b.Fatalf("%v %s", err, a.Out)
		}
	}
}

const bigLog = 64 << 20

func BenchmarkFetch(b *testing.B) {
	h, _, state := benchHost(b)
	file := filepath.Join(state, "big")
	if err := os.WriteFile(file, make([]byte, bigLog), 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(largeBlock)
	off := int64(0)
	for b.Loop() {
		a, err := h.ask(b.Context(), bulk, recipe.Fetch(file, recipe.Cover(off, largeBlock)), askOptions{})
		if err != nil || len(a.Out) != largeBlock {
			b.Fatalf("%v, %d bytes", err, len(a.Out))
		}
		off = (off + largeBlock) % bigLog
	}
}

// BenchmarkSSHCat is what BenchmarkFetch is to be held against.
func BenchmarkSSHCat(b *testing.B) {
	testtool.Need(b, "ssh")
	_, c, state := benchHost(b)
	file := filepath.Join(state, "big")
	if err := os.WriteFile(file, make([]byte, bigLog), 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(bigLog)
	for b.Loop() {
		if err := exec.Command("ssh", "-F", c.ConfigFile, "box", "cat "+file).Run(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkConnect(b *testing.B) {
	_, c, _ := benchHost(b)
	d := client.Dialer{ConfigFile: c.ConfigFile}
	for b.Loop() {
		t, err := d.Dial(b.Context(), "box", client.Prompts{})
		if err != nil {
			b.Fatal(err)
		}
		t.Close()
	}
}
