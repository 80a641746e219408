//go:build unix

package main_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hobjobs/hob/internal/testtool"
)

// usedByInstall lists the programs that install.sh calls, except the one that downloads.
var usedByInstall = []string{"chmod", "cp", "gzip", "mkdir", "mktemp", "mv", "rm", "sha256sum", "tar"}

// installation is a machine that install.sh runs on: a release, and the programs in the script's
// PATH.
type installation struct {
	release, bin, home string
	shell, env         []string
}

// newInstallation creates a machine with the given processor and programs, and a release with an
// archive for linux/amd64.
func newInstallation(t *testing.T, processor string, programs ...string) *installation {
	t.Helper()
	testtool.Need(t, append(programs, "dash")...)
	dir := t.TempDir()
	in := &installation{
		release: filepath.Join(dir, "release"), bin: filepath.Join(dir, "bin"), home: filepath.Join(dir, "home"),
		shell: []string{"dash"},
	}
	for _, d := range []string{in.release, in.bin, in.home} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, program := range programs {
		found, err := exec.LookPath(program)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(found, filepath.Join(in.bin, program)); err != nil {
			t.Fatal(err)
		}
	}
	in.script(t, "uname", fmt.Sprintf(`[ "$1" = -s ] && echo Linux || echo %s`, processor))
	in.publish(t, "1.2.3")
	return in
}

// script adds a program to the PATH.
func (in *installation) script(t *testing.T, name, text string) {
	t.Helper()
	testtool.WriteScript(t, filepath.Join(in.bin, name), text)
}

// publish adds the archive of a version to the release, with its checksum.
func (in *installation) publish(t *testing.T, version string) {
	t.Helper()
	dir := "hob_" + version + "_linux_amd64"
	archive := archiveOf(t, map[string]string{
		dir + "/hob":                    "#!/bin/sh\necho hob " + version + "\n",
		dir + "/hob-holder":             "#!/bin/sh\n",
		dir + "/hob-holder-linux-arm64": "#!/bin/sh\n",
		dir + "/README.md":              "# hob\n",
	})
	if err := os.WriteFile(filepath.Join(in.release, dir+".tar.gz"), archive, 0o600); err != nil {
		t.Fatal(err)
	}
	sums, err := os.OpenFile(filepath.Join(in.release, "SHA256SUMS"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer sums.Close()
	fmt.Fprintf(sums, "%064d  %s.tar.gz.sbom.json\n%x  %s.tar.gz\n", 0, dir, sha256.Sum256(archive), dir)
}

func archiveOf(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	compressed := gzip.NewWriter(&out)
	archive := tar.NewWriter(compressed)
	for name, text := range files {
		err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text))})
		if _, errWrite := archive.Write([]byte(text)); errors.Join(err, errWrite) != nil {
			t.Fatal(err, errWrite)
		}
	}
	if err := errors.Join(archive.Close(), compressed.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// serve serves the release on the loopback interface and lets the script use it.
func (in *installation) serve(t *testing.T) {
	t.Helper()
	server := httptest.NewServer(http.FileServer(http.Dir(in.release)))
	t.Cleanup(server.Close)
	in.env = append(in.env, "HOB_BASE_URL="+server.URL)
}

// run pipes the script to the shell, as in the README, and returns its output and whether it
// succeeded.
func (in *installation) run(t *testing.T, args ...string) (output string, ok bool) {
	t.Helper()
	script, err := os.ReadFile("install.sh")
	if err != nil {
		t.Fatal(err)
	}
	shell, err := exec.LookPath(in.shell[0])
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(shell, slices.Concat(in.shell[1:], []string{"-s", "--"}, args)...)
	cmd.Dir, cmd.Stdin = in.home, bytes.NewReader(script)
	cmd.Env = append([]string{"HOME=" + in.home, "PATH=" + in.bin, "TMPDIR=" + in.home}, in.env...)
	out, err := cmd.CombinedOutput()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		t.Fatal(err)
	}
	return string(out), err == nil
}

// check fails the test unless the script succeeds or fails as wanted, prints each of the texts,
// and leaves no temporary file.
func (in *installation) check(t *testing.T, want bool, args []string, texts ...string) {
	t.Helper()
	output, ok := in.run(t, args...)
	if ok != want {
		t.Errorf("install.sh %q succeeded: %v, want %v; it printed\n%s", args, ok, want, output)
	}
	for _, text := range texts {
		if !strings.Contains(output, text) {
			t.Errorf("install.sh %q does not print %q; it printed\n%s", args, text, output)
		}
	}
	left, err := filepath.Glob(filepath.Join(in.home, "tmp.*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %q %v", left, err)
	}
}

// installed returns the version of hob in ~/.local/bin, or "" if there is none.
func (in *installation) installed(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(in.home, ".local", "bin")
	for _, program := range []string{"hob", "hob-holder", "hob-holder-linux-arm64"} {
		info, err := os.Stat(filepath.Join(dir, program))
		if err != nil {
			return ""
		}
		if info.Mode() != 0o755 {
			t.Errorf("%s has mode %v", program, info.Mode())
		}
	}
	out, err := exec.Command(filepath.Join(dir, "hob")).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func TestInstallScriptDownloads(t *testing.T) {
	for _, tool := range []string{"curl", "wget"} {
		t.Run(tool, func(t *testing.T) {
			in := newInstallation(t, "x86_64", append(usedByInstall, tool)...)
			in.serve(t)
			in.check(t, true, nil, "Installed hob_1.2.3_linux_amd64 in "+in.home+"/.local/bin\n", `export PATH="`+in.home+`/.local/bin:$PATH"`)
			if got := in.installed(t); got != "hob 1.2.3" {
				t.Errorf("installed: %q", got)
			}
		})
	}
}

// On Alpine and on routers, busybox provides all programs.
func TestInstallScriptWithBusyboxOnly(t *testing.T) {
	in := newInstallation(t, "amd64", "busybox")
	in.shell = []string{"busybox", "sh"}
	for _, applet := range append(usedByInstall, "wget") {
		if err := os.Symlink("busybox", filepath.Join(in.bin, applet)); err != nil {
			t.Fatal(err)
		}
	}
	in.serve(t)
	in.check(t, true, nil, "Installed hob_1.2.3_linux_amd64")
	if got := in.installed(t); got != "hob 1.2.3" {
		t.Errorf("installed: %q", got)
	}
}

func TestInstallScriptFromDirectory(t *testing.T) {
	in := newInstallation(t, "x86_64", usedByInstall...)
	in.publish(t, "1.3.0")
	in.env = []string{"HOB_BASE_URL=" + in.release}
	in.check(t, true, []string{"1.3.0"})
	if got := in.installed(t); got != "hob 1.3.0" {
		t.Errorf("installed: %q", got)
	}
	in.check(t, true, []string{"v1.2.3"})
	if got := in.installed(t); got != "hob 1.2.3" {
		t.Errorf("installed over 1.3.0: %q", got)
	}
	in.check(t, false, []string{"9.9.9"}, "no archive of hob 9.9.9 for linux/amd64")
}

func TestInstallScriptRejectsWrongChecksum(t *testing.T) {
	in := newInstallation(t, "x86_64", append(usedByInstall, "curl")...)
	in.serve(t)
	in.check(t, true, nil)
	if err := os.Remove(filepath.Join(in.release, "SHA256SUMS")); err != nil {
		t.Fatal(err)
	}
	in.publish(t, "2.0.0")
	name := filepath.Join(in.release, "hob_2.0.0_linux_amd64.tar.gz")
	if err := os.WriteFile(name, archiveOf(t, map[string]string{"hob_2.0.0_linux_amd64/hob": "#!/bin/sh\necho evil\n"}), 0o600); err != nil {
		t.Fatal(err)
	}
	in.check(t, false, nil, "wrong checksum for hob_2.0.0_linux_amd64.tar.gz", "nothing was installed")
	if got := in.installed(t); got != "hob 1.2.3" {
		t.Errorf("installed: %q, want the version from before", got)
	}
}

func TestInstallScriptErrors(t *testing.T) {
	everything := append([]string{"curl"}, usedByInstall...)
	for _, tt := range []struct {
		name, processor string
		programs        []string
		change          func(t *testing.T, in *installation)
		args            []string
		want            string
	}{
		{name: "unknown architecture", processor: "s390x", programs: everything, want: "no release for the architecture s390x"},
		{
			name: "unknown system", processor: "x86_64", programs: everything, want: "no release for the operating system Plan9",
			change: func(t *testing.T, in *installation) { in.script(t, "uname", "echo Plan9") },
		},
		{name: "architecture missing from the release", processor: "aarch64", programs: everything, want: "no archive of hob for linux/arm64"},
		{name: "no download program", processor: "x86_64", programs: usedByInstall, want: "install curl or wget"},
		{name: "too many arguments", processor: "x86_64", programs: everything, args: []string{"1", "2"}, want: "usage: install.sh [VERSION]"},
		{
			name: "no such release", processor: "x86_64", programs: everything, want: "cannot download",
			change: func(t *testing.T, in *installation) {
				if err := os.Remove(filepath.Join(in.release, "SHA256SUMS")); err != nil {
					t.Fatal(err)
				}
			},
		},
		{
			name: "archive path outside the release", processor: "x86_64", programs: everything, want: "no archive of hob for linux/amd64",
			change: func(t *testing.T, in *installation) {
				sums := fmt.Appendf(nil, "%064d  hob_/../../x_linux_amd64.tar.gz\n", 0)
				if err := os.WriteFile(filepath.Join(in.release, "SHA256SUMS"), sums, 0o600); err != nil {
					t.Fatal(err)
				}
			},
		},
		{
			name: "no checksum program", processor: "x86_64", programs: everything, want: "install sha256sum or shasum",
			change: func(t *testing.T, in *installation) {
				if err := os.Remove(filepath.Join(in.bin, "sha256sum")); err != nil {
					t.Fatal(err)
				}
			},
		},
		{
			name: "file in place of the directory", processor: "x86_64", programs: everything, want: "cannot create",
			change: func(t *testing.T, in *installation) {
				if err := os.WriteFile(filepath.Join(in.home, ".local"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := newInstallation(t, tt.processor, tt.programs...)
			in.serve(t)
			if tt.change != nil {
				tt.change(t, in)
			}
			in.check(t, false, tt.args, "install.sh: ", tt.want)
			if got := in.installed(t); got != "" {
				t.Errorf("installed: %q", got)
			}
		})
	}
}

func TestInstallScriptWithoutPermission(t *testing.T) {
	in := newInstallation(t, "x86_64", append(usedByInstall, "curl")...)
	in.serve(t)
	prefix := filepath.Join(in.home, "prefix")
	if err := os.MkdirAll(filepath.Join(prefix, "bin"), 0o555); err != nil {
		t.Fatal(err)
	}
	in.env = append(in.env, "PREFIX="+prefix)
	if os.Geteuid() == 0 { // root can write anywhere
		testtool.Need(t, "setpriv")
		in.shell = []string{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/bin/sh"}
		in.env = append(in.env, "TMPDIR=/tmp")
		for dir := in.home; dir != os.TempDir(); dir = filepath.Dir(dir) {
			if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // another user runs the script there
				t.Fatal(err)
			}
		}
	}
	in.check(t, false, nil, "cannot write to "+prefix+"/bin; set PREFIX")
	if left, err := os.ReadDir(filepath.Join(prefix, "bin")); err != nil || len(left) > 0 {
		t.Errorf("%v %v", left, err)
	}
}

func TestInstallScriptChecksPath(t *testing.T) {
	in := newInstallation(t, "x86_64", usedByInstall...)
	in.env = []string{"HOB_BASE_URL=" + in.release, "PREFIX=" + filepath.Dir(in.bin)}
	output, ok := in.run(t)
	if !ok || strings.Contains(output, "export PATH") || strings.Contains(output, "Another hob") {
		t.Errorf("into a directory of the PATH: %v\n%s", ok, output)
	}
	prefix := filepath.Join(in.home, "other")
	in.env = []string{"HOB_BASE_URL=" + in.release, "PREFIX=" + prefix, "PATH=" + in.bin + ":" + prefix + "/bin"}
	in.check(t, true, nil, "Another hob comes first in your PATH: "+in.bin+"/hob\n")
}

// Without HOB_BASE_URL the script downloads from the project's releases.
func TestInstallScriptReleaseURLs(t *testing.T) {
	in := newInstallation(t, "x86_64", usedByInstall...)
	in.script(t, "curl", `for last; do :; done; echo "$last"; exit 1`)
	const releases = "https://github.com/hobjobs/hob/releases/"
	in.check(t, false, nil, releases+"latest/download/SHA256SUMS\n")
	in.check(t, false, []string{"1.2.3"}, releases+"download/v1.2.3/SHA256SUMS\n")
	in.check(t, false, []string{"v1.2.3"}, releases+"download/v1.2.3/SHA256SUMS\n")
}

func TestInstallScriptIsPortable(t *testing.T) {
	testtool.Need(t, "shellcheck")
	if out, err := exec.Command("shellcheck", "--shell=sh", "install.sh").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
