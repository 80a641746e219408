//go:build unix

package sshtest

import (
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/hobjobs/hob/internal/testtool"
)

const startLimit = time.Minute

// SetEnv is the line of an sshd's configuration that gives its commands the home directory home
// and the environment variables env. With a home of its own, a session does not read the account's
// ~/.bashrc, which bash does in every command over SSH and which may take a second.
func SetEnv(home string, env ...string) string {
	line := fmt.Sprintf("SetEnv %q", "HOME="+home) // sshd uses only the first such line
	for _, kv := range env {
		line += fmt.Sprintf(" %q", kv)
	}
	return line
}

// Sshd starts the OpenSSH server on a port of this machine for the client c and returns its
// address. env has environment variables for its commands, extra has lines of its configuration.
func Sshd(t testing.TB, c *Client, env []string, extra ...string) string {
	t.Helper()
	testtool.Need(t, "sshd")
	path, err := exec.LookPath("sshd")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	hostKey := filepath.Join(dir, "host")
	public := KeyFile(t, hostKey, "")
	authorized := filepath.Join(dir, "authorized_keys")
	Write(t, authorized, string(ssh.MarshalAuthorizedKey(c.Public)))
	addr := testtool.FreeAddr(t)
	_, port, _ := net.SplitHostPort(addr)
	lines := append([]string{}, extra...)
	lines = append(lines, "Port "+port, "ListenAddress 127.0.0.1", "HostKey "+hostKey, "AuthorizedKeysFile "+authorized,
		"UsePAM no", "StrictModes no", "PidFile none", "PermitRootLogin yes", "PasswordAuthentication no", "KbdInteractiveAuthentication no")
	lines = append(lines, SetEnv(t.TempDir(), env...))
	config := filepath.Join(dir, "sshd_config")
	Write(t, config, strings.Join(lines, "\n")+"\n")
	// sshd requires this directory for privilege separation.
	if os.Geteuid() == 0 {
		os.MkdirAll("/run/sshd", 0o755)
	}
	background(t, addr, exec.Command(path, "-D", "-e", "-f", config))
	c.Know(t, "", addr, public)
	return addr
}

// DropbearServer starts dropbear for the client c and returns its address.
func DropbearServer(t testing.TB, c *Client, env []string) string {
	t.Helper()
	testtool.Need(t, "dropbear")
	path, err := exec.LookPath("dropbear")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	hostKey := filepath.Join(dir, "host")
	public := dropbearKey(t, hostKey)
	// dropbear reads authorized keys only from the account's home directory, so a directory of the
	// test is mounted there.
	u, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 {
		t.Skip("needs root, to mount a home directory: dropbear reads ~/.ssh/authorized_keys of the account")
	}
	home := testtool.TempDir(t) // to which processes on the host may still write after the test
	if err := os.Mkdir(filepath.Join(home, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	Write(t, filepath.Join(home, ".ssh", "authorized_keys"), string(ssh.MarshalAuthorizedKey(c.Public)))
	addr := testtool.FreeAddr(t)
	cmd := exec.Command("unshare", "-m", "sh", "-c", dropbearMounts, "sh", home, u.HomeDir,
		path, "-F", "-E", "-r", hostKey, "-p", addr, "-P", filepath.Join(dir, "pid"))
	cmd.Env = append(os.Environ(), env...)
	background(t, addr, cmd)
	c.Know(t, "", addr, public)
	return addr
}

// dropbearMounts gives dropbear $1 as the home directory $2. dropbear reads all timers of the kernel for its random
// numbers whenever it starts, which takes more processor time than everything else that it does in a test.
const dropbearMounts = `
set -e
mount --bind "$1" "$2"
shift 2
if [ -e /proc/timer_list ]; then
	mount --bind /dev/null /proc/timer_list
fi
exec "$@"
`

// dropbearKey writes a new private key to a file, in dropbear's format.
func dropbearKey(t testing.TB, file string) ssh.PublicKey {
	t.Helper()
	pub, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	public, err := ssh.NewPublicKey(pub)
	if err != nil {
		t.Fatal(err)
	}
	Write(t, file, string(ssh.Marshal(struct {
		Type string
		Key  []byte
	}{public.Type(), key})))
	return public
}

// background runs a server until the test ends and waits for it to listen.
func background(t testing.TB, addr string, cmd *exec.Cmd) {
	t.Helper()
	log, err := os.CreateTemp(t.TempDir(), "log")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { // ends with the server
		cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-ended
	})
	for end := time.Now().Add(startLimit); ; {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
			return
		}
		select {
		case <-ended:
		case <-time.After(20 * time.Millisecond):
			if time.Now().Before(end) {
				continue
			}
		}
		output, _ := os.ReadFile(log.Name())
		t.Fatal(fmt.Errorf("%s does not listen: %w\n%s", cmd.Path, err, output))
	}
}
