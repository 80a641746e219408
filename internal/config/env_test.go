package config

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestEnvironment(t *testing.T) {
	const file = "[agent]\nyield_ms = 1000\n"
	for _, tt := range []struct {
		name   string
		env    []string
		yield  time.Duration
		origin string
		warn   string // part of the only warning
	}{
		{"file alone", nil, time.Second, "config.toml:2", ""},
		{"variable over file", []string{"HOB_YIELD_MS=2000"}, 2 * time.Second, "$HOB_YIELD_MS", ""},
		{"second name where the first is unset", []string{"PI_BASH_YIELD_MS=3000"}, 3 * time.Second, "$PI_BASH_YIELD_MS", ""},
		{"first name wins", []string{"PI_BASH_YIELD_MS=3000", "HOB_YIELD_MS=2000"}, 2 * time.Second, "$HOB_YIELD_MS", ""},
		{"empty is unset", []string{"HOB_YIELD_MS=", "PI_BASH_YIELD_MS=3000"}, 3 * time.Second, "$PI_BASH_YIELD_MS", ""},
		{"zero is a value", []string{"HOB_YIELD_MS=0"}, 0, "$HOB_YIELD_MS", ""},
		{"bad value is named", []string{"HOB_YIELD_MS=soon"}, time.Second, "config.toml:2", `HOB_YIELD_MS: "soon" is not a whole number; using agent.yield_ms = 1000`},
		{"bad value does not let the second name in", []string{"HOB_YIELD_MS=9", "PI_BASH_YIELD_MS=3000"}, time.Second, "config.toml:2", "HOB_YIELD_MS: 9 is not between"},
		{"too large", []string{"HOB_YIELD_MS=120001"}, time.Second, "config.toml:2", "120001 is not between 10 and 120000"},
		{"hexadecimal", []string{"HOB_YIELD_MS=0x100"}, time.Second, "config.toml:2", "is not a whole number"},
		{"with a unit", []string{"HOB_YIELD_MS=2000ms"}, time.Second, "config.toml:2", "is not a whole number"},
		{"no integer at all", []string{"HOB_YIELD_MS=99999999999999999999"}, time.Second, "config.toml:2", "is not a whole number"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := load(t, file, tt.env...)
			if c.Agent.Yield != tt.yield {
				t.Errorf("yield is %v, want %v", c.Agent.Yield, tt.yield)
			}
			if o := find(c.settings, "agent.yield_ms").origin; o != tt.origin {
				t.Errorf("origin is %q, want %q", o, tt.origin)
			}
			switch {
			case tt.warn == "" && len(c.Warnings) > 0:
				t.Errorf("warnings: %v", c.Warnings)
			case tt.warn != "" && (len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0].Error(), tt.warn)):
				t.Errorf("warnings: %v, want one with %q", c.Warnings, tt.warn)
			}
			if err := problemsOf(c); err != nil {
				t.Errorf("a variable became a problem of the file: %v", err)
			}
		})
	}
}

func TestAllVariablesAreRead(t *testing.T) {
	for env, want := range map[string]string{
		"HOB_YIELD_MS=11": "agent.yield_ms", "HOB_TIMEOUT_SEC=11": "agent.timeout_sec",
		"HOB_JOB_TTL_MS=60011": "agent.ttl_ms", "HOB_MAX_OUTPUT_CHARS=1011": "agent.max_output_chars",
		"PI_BASH_YIELD_MS=11": "agent.yield_ms", "PI_BASH_JOB_TTL_MS=60011": "agent.ttl_ms",
		"PI_BASH_MAX_OUTPUT_CHARS=1011": "agent.max_output_chars",
	} {
		name, value, _ := strings.Cut(env, "=")
		c := LoadFrom("", environ(env))
		if got := find(c.settings, want); got.toTOML() != value || got.origin != "$"+name {
			t.Errorf("%s: %s is %s from %s", env, want, got.toTOML(), got.origin)
		}
	}
}

func TestNoColor(t *testing.T) {
	c := load(t, "[theme]\nname = \"dark\"\nrunning = \"red\"", "NO_COLOR=1")
	theme := c.BuildTheme(true)
	if theme.Name != "none" || theme.Palette.Running.FG != nil {
		t.Errorf("theme %q, running %+v", theme.Name, theme.Palette.Running)
	}
	if c := load(t, "", "NO_COLOR="); c.Theme.Name != "terminal" {
		t.Errorf("an empty NO_COLOR gives %q", c.Theme.Name)
	}
}

func TestDefaultPath(t *testing.T) {
	home := t.TempDir()
	for name, tt := range map[string]struct {
		env  []string
		want string
	}{
		"home":                 {[]string{"HOME=" + home}, filepath.Join(home, ".config", "hob", "config.toml")},
		"XDG":                  {[]string{"HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, "x")}, filepath.Join(home, "x", "hob", "config.toml")},
		"relative XDG ignored": {[]string{"HOME=" + home, "XDG_CONFIG_HOME=x"}, filepath.Join(home, ".config", "hob", "config.toml")},
		"named":                {[]string{"HOME=" + home, "XDG_CONFIG_HOME=" + home, "HOB_CONFIG=my.toml"}, "my.toml"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := DefaultPath(environ(tt.env...)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestMissingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	if c := LoadFrom(path, environ()); c.Found || problemsOf(c) != nil {
		t.Errorf("found %v, %v", c.Found, problemsOf(c))
	}
	c := LoadFrom(path, environ("HOB_CONFIG="+path))
	if err := problemsOf(c); err == nil || !strings.Contains(err.Error(), "HOB_CONFIG") {
		t.Errorf("a file that HOB_CONFIG names and that is not there: %v", err)
	}
}

func TestUnreadableFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "config.toml")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	c := LoadFrom(dir, environ())
	if len(c.Problems) != 1 || c.Problems[0].Line != 0 || !strings.HasPrefix(c.Problems[0].Error(), dir+": cannot read settings: ") {
		t.Errorf("problems: %v", c.Problems)
	}
	if c.Run.Grace != 5*time.Second {
		t.Errorf("the defaults do not hold: %+v", c.Run)
	}
}

// A file that another user can change has commands that hob would run.
func TestFileThatOthersMayChange(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes of files are those of Unix")
	}
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := errors.Join(os.WriteFile(path, []byte("[run]\ngrace = '9s'\n"), 0o600), os.Chmod(path, 0o646)); err != nil {
		t.Fatal(err)
	}
	c := LoadFrom(path, environ())
	if len(c.Problems) != 1 || !strings.Contains(c.Problems[0].Error(), path+" can be changed by other users") || c.Run.Grace != 5*time.Second {
		t.Errorf("grace %v, problems: %v", c.Run.Grace, c.Problems)
	}
}

// No document may cause a panic, and the printed settings of every document must be valid.
func FuzzLoad(f *testing.F) {
	for _, name := range []string{"testdata/full.toml", "testdata/broken.toml"} {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("keys = {a.b.c = 1, stop = ['x']}\n[hosts.\"a\\u0000b\"]\n[[theme]]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := fromBytes(data)
		var out strings.Builder
		if err := c.WriteTOML(&out); err != nil {
			t.Fatal(err)
		}
		if again := fromBytes([]byte(out.String())); problemsOf(again) != nil {
			t.Errorf("%q\nprints as\n%s\nwhich has problems: %v", data, out.String(), problemsOf(again))
		}
	})
}

func fromBytes(data []byte) *Config {
	c := LoadFrom("", environ())
	c.Path = "config.toml"
	newReader(c, data).read()
	return c
}

func BenchmarkLoadWithoutFile(b *testing.B) {
	path := filepath.Join(b.TempDir(), "config.toml")
	for b.Loop() {
		LoadFrom(path, environ())
	}
}
