package client

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/hobjobs/hob/engine/ssh/internal/hostconf"
	"github.com/hobjobs/hob/internal/testtool"
)

// A key that is protected by much work takes long to decrypt. That is no time of the host.
func TestDecryptingAKeyIsNotCounted(t *testing.T) {
	t.Parallel()
	testtool.Need(t, "ssh-keygen")
	file := filepath.Join(t.TempDir(), "locked")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-a", "60", "-N", "sesame", "-f", file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if _, err := ssh.ParsePrivateKeyWithPassphrase(data, []byte("sesame")); err != nil {
		t.Fatal(err)
	}
	work := time.Since(began)

	ctx, cancel := Limit(t.Context(), time.Hour)
	defer cancel()
	l := limitOf(ctx)
	typed := []string{"wrong", "sesame"}
	p := Prompts{Passphrase: func(context.Context, string, string, bool) (string, error) {
		next := typed[0]
		typed = typed[1:]
		return next, nil
	}}
	key := newAuth(ctx, &Dialer{}, &hostconf.Config{}, asker{p.within(l), "box"}).fromFile(file, publicKey(file))
	l.set(time.Hour)
	if _, err := key.Sign(nil, []byte("text")); err != nil {
		t.Fatal(err)
	}
	left := l.set(time.Hour)
	// The key is decrypted twice.
	if counted := time.Hour - left; counted > work {
		t.Errorf("%v of the limit are gone, where one decryption takes %v", counted, work)
	}
}
