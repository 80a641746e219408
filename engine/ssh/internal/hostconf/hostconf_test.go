package hostconf

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/internal/testtool"
)

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// both resolves host with the ssh program and without it.
func both(t *testing.T, file, host string) map[string]*Config {
	t.Helper()
	testtool.Need(t, "ssh")
	got := map[string]*Config{}
	for name, r := range map[string]Resolver{"ssh -G": {File: file}, "files": {File: file, SSH: "none"}} {
		c, err := r.Resolve(t.Context(), host)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got[name] = c
	}
	return got
}

func TestReaderAgreesWithSSH(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "more", "Host inner\n  HostName inner.example\n  Port 2201\n")
	file := write(t, dir, "config", `
Include `+dir+`/more
Host "quoted" plain
  HostName %h.example
  User=deploy
  Port 2222
  IdentityFile ~/.ssh/work_%r
  IdentitiesOnly yes
  StrictHostKeyChecking accept-new
  ConnectTimeout 7
  ServerAliveInterval 9
Host jumper
  ProxyJump a@one:2200,two
Host piped
  ProxyCommand nc %h %p
Match host matched
  User frommatch
Match all
  UserKnownHostsFile `+dir+`/kh
  ServerAliveCountMax 5
`)
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]func(*Config) string{
		"quoted": func(c *Config) string {
			if c.IdentityFiles[0] != filepath.Join(home, ".ssh", "work_deploy") || !c.IdentitiesOnly || c.StrictKeys != "accept-new" ||
				c.Timeout != 7*time.Second || c.Alive != 9*time.Second || c.AliveMax != 5 || c.KnownHosts[0] != filepath.Join(dir, "kh") {
				return "details"
			}
			return c.User + "@" + c.Address()
		},
		"plain":              func(c *Config) string { return c.User + "@" + c.Address() },
		"inner":              func(c *Config) string { return c.Address() },
		"me@inner":           func(c *Config) string { return c.User + "@" + c.Address() },
		"ssh://me@inner:333": func(c *Config) string { return c.User + "@" + c.Address() },
		"jumper":             func(c *Config) string { return strings.Join(c.ProxyJump, ";") },
		"piped":              func(c *Config) string { return c.ProxyCommand },
		"matched":            func(c *Config) string { return c.User },
	}
	want := map[string]string{
		"quoted": "deploy@quoted.example:2222", "plain": "deploy@plain.example:2222", "inner": "inner.example:2201",
		"me@inner": "me@inner.example:2201", "ssh://me@inner:333": "me@inner.example:333",
		"jumper": "a@one:2200;two", "piped": "nc piped 22", "matched": "frommatch",
	}
	for host, show := range cases {
		for way, c := range both(t, file, host) {
			if got := show(c); got != want[host] {
				t.Errorf("%s by %s: %q, want %q (%+v)", host, way, got, want[host], c)
			}
		}
	}
}

// A URL takes precedence over the configuration, also for an address with colons in it, which ssh
// does not accept as a URL.
func TestURLs(t *testing.T) {
	file := write(t, t.TempDir(), "config", "Host inner\n  HostName inner.example\n  Port 2201\n  User deploy\n")
	for dest, want := range map[string]string{
		"ssh://ann@[::1]:2222":  "ann ::1 2222",
		"ssh://ann@[fe80::1]":   "ann fe80::1 22",
		"ssh://ann@inner:2222/": "ann inner.example 2222",
		"ssh://inner":           "deploy inner.example 2201",
	} {
		for way, c := range both(t, file, dest) {
			if got := c.User + " " + c.HostName + " " + c.Port; got != want {
				t.Errorf("%s by %s: %s, want %s", dest, way, got, want)
			}
		}
	}
}

// The parser would misread these, or refuse the whole file.
func TestMatchBlocksThatCannotBeEvaluated(t *testing.T) {
	file := write(t, t.TempDir(), "config", `
Match host a user bob
  Port 1
Match final all
  Port 2
Match exec "true"
  Port 3
Match !host b
  Port 4
Host b
  Port 5
`)
	for host, want := range map[string]string{"a": "22", "bob": "22", "user": "22", "b": "5"} {
		c, err := Resolver{File: file, SSH: "none"}.Resolve(t.Context(), host)
		if err != nil {
			t.Fatal(err)
		}
		if c.Port != want || len(c.Warnings) != 4 {
			t.Errorf("%s: port %s, want %s; warnings %q", host, c.Port, want, c.Warnings)
		}
	}
}

func TestStrangeNamesAreRefused(t *testing.T) {
	for _, host := range []string{"", "-oProxyCommand=x", "a b", "a\nb"} {
		if c, err := (Resolver{SSH: "none"}).Resolve(t.Context(), host); err == nil {
			t.Errorf("%q: %+v", host, c)
		}
	}
}

func TestHosts(t *testing.T) {
	file := write(t, t.TempDir(), "config", "Host web1 web2 *.internal !bad\nHost db # the big one\nHost *\n")
	if diff := cmp.Diff([]string{"db", "web1", "web2"}, Hosts(file)); diff != "" {
		t.Error(diff)
	}
}

// What is matched by name is a host to connect to, whatever else must hold for it.
func TestHostsOfMatchBlocks(t *testing.T) {
	file := write(t, t.TempDir(), "config", "Match originalhost strict exec \"true\"\n  User x\nMatch user u host one,two*,!no\nMatch !host other\nMatch host\n")
	if diff := cmp.Diff([]string{"one", "strict"}, Hosts(file)); diff != "" {
		t.Error(diff)
	}
}

// A pattern of Include may also name what is no file, or not for us to read.
func TestIncludeSkipsWhatIsNotAFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "d", "more"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "d"), "some", "Host inner\n  Port 2201\n")
	if err := os.Symlink(filepath.Join(dir, "gone"), filepath.Join(dir, "d", "dangling")); err != nil {
		t.Fatal(err)
	}
	file := write(t, dir, "config", "Include "+dir+"/d/*\nHost after\n  Port 7\n")
	if diff := cmp.Diff([]string{"after", "inner"}, Hosts(file)); diff != "" {
		t.Error(diff)
	}
	for host, want := range map[string]string{"inner": "2201", "after": "7"} {
		for way, c := range both(t, file, host) {
			if c.Port != want {
				t.Errorf("%s by %s: port %s, want %s", host, way, c.Port, want)
			}
		}
	}
}

func TestTokens(t *testing.T) {
	p := place{home: "/home/me", user: "me", name: "box.example", env: func(string) string { return "/run/x" }}
	c := &Config{Alias: "web", HostName: "web.example", Port: "2", User: "dep"}
	tk := tokens{place: p, c: c}
	for in, want := range map[string]string{
		"~/.ssh/%r@%h:%p": "/home/me/.ssh/dep@web.example:2", "%d/x%%": "/home/me/x%", "${XDG}/%L-%n": "/run/x/box-web", "rel": "/home/me/.ssh/rel",
		"/%Z": "/%Z",
	} {
		if got := tk.file(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
