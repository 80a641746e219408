//go:build unix

package recipe

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobjobs/hob/internal/proc"
)

func TestRecordsOfAHost(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		if got := ParseFiles([]byte(p.ask(Known(p.base)))); len(got) != 0 {
			t.Fatalf("before there is any job: %v", got)
		}
		j := p.job("echo hello")
		j.Owner, j.Meta = "m1", []byte(`{"version":1,"name":"a: b/c 'd' $e"}`)
		p.start(j)
		p.ended(j.ID)
		for name, file := range map[string]string{"half": "token", ".gone-x": "meta.json", "local": "meta.json", "odd name": "token"} {
			if err := os.MkdirAll(filepath.Join(p.base, name), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(p.base, name, file), []byte("x\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		known := ParseFiles([]byte(p.ask(Known(p.base))))
		if len(known) != 1 || known[j.ID]["token"] != j.Token {
			t.Fatalf("known are %v", known)
		}
		files := ParseFiles([]byte(p.ask(Records(p.base, []string{j.ID, "nothing"}))))
		if len(files) != 1 || files[j.ID]["owner"] != "m1" || files[j.ID]["meta.json"] != string(j.Meta) {
			t.Errorf("records are %v", files)
		}
	})
}

// What the client has made of its job stays where both have the same directory.
func TestExistingMetaIsKept(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		j := p.job("echo hello")
		dir := filepath.Join(p.base, j.ID)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		const own = `{"version":1,"host":"here"}` + "\n"
		if err := os.WriteFile(filepath.Join(dir, "meta.json"), []byte(own), 0o600); err != nil {
			t.Fatal(err)
		}
		p.start(j)
		p.ended(j.ID)
		if got := p.file(j.ID, "meta.json"); got != own {
			t.Errorf("meta.json became %q", got)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "meta.json.*")); len(left) > 0 {
			t.Errorf("left %v", left)
		}
	})
}

func TestRequestsAreRefusedOnAnotherMachine(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		j := p.job("read -r line; echo got $line")
		j.Stdin = true
		p.start(j)
		dir := filepath.Join(p.base, j.ID)
		file := func(name string) string { return filepath.Join(dir, name) }
		where := p.file(j.ID, "place")
		if f := strings.Fields(where); len(f) != 3 || f[2] != proc.PIDNamespace() {
			t.Errorf("it runs in %q", where)
		}
		write := func(name, text string) {
			if err := os.WriteFile(file(name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		ask := func() string { return strings.TrimSpace(p.ask(Here(dir, Feed(dir, []byte("hello\n"))))) }
		write("place", "- other pid:[1]\n")
		if got := ask(); got != Elsewhere {
			t.Errorf("on another machine: %s", got)
		}
		if got := p.ask(Discard(dir, j.Token)); !strings.Contains(got, "running") {
			t.Errorf("it is deleted there: %s", got)
		}
		f := strings.Fields(where)
		write("place", f[0]+" renamed "+f[2]+"\n")
		if got := ask(); !strings.HasSuffix(got, "ok") {
			t.Errorf("on a machine that was given another name: %s", got)
		}
		p.ended(j.ID)
		if got := p.file(j.ID, "output.log"); got != "got hello\n" {
			t.Errorf("it printed %q", got)
		}
	})
}
