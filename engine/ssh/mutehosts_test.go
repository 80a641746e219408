//go:build unix

package ssh

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/client"
	"github.com/hobjobs/hob/engine/ssh/internal/conn"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

// muteAt returns the address of a server whose connections are passed to talk and then kept open without
// another byte. over is closed when the test is.
func muteAt(t *testing.T, talk func(c net.Conn, over <-chan struct{})) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	ended := make(chan struct{})
	t.Cleanup(func() {
		close(over)
		ln.Close()
		<-ended
	})
	go func() {
		defer close(ended)
		var open shell.Group
		defer open.Close()
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			open.Go(func() {
				defer c.Close()
				go func() {
					<-over
					c.Close()
				}()
				talk(c, over)
				<-over
			})
		}
	}()
	return ln.Addr().String()
}

// loggingIn is for muteAt: a login that succeeds. What the client then asks for is passed to session,
// which may be nil.
func loggingIn(key ssh.Signer, session func(ssh.NewChannel)) func(net.Conn, <-chan struct{}) {
	return func(c net.Conn, _ <-chan struct{}) {
		cfg := &ssh.ServerConfig{NoClientAuth: true}
		cfg.AddHostKey(key)
		_, chans, reqs, err := ssh.NewServerConn(c, cfg)
		if err != nil {
			return
		}
		go ssh.DiscardRequests(reqs) // ends with the connection
		for nc := range chans {
			if session != nil {
				session(nc)
			}
		}
	}
}

// Every one of these hosts accepts a connection, and would be waited for without an end if connecting
// were not limited up to the first answer.
func TestConnectTimeoutCoversEveryStep(t *testing.T) {
	t.Parallel()
	key := sshtest.NewKey(t)
	for name, c := range map[string]struct {
		talk func(c net.Conn, over <-chan struct{})
		want string
	}{
		"accepts": {func(net.Conn, <-chan struct{}) {}, "talk to 127.0.0.1:"},
		"banner":  {func(c net.Conn, _ <-chan struct{}) { c.Write([]byte("SSH-2.0-OpenSSH_9.2\r\n")) }, "talk to 127.0.0.1:"},
		"login": {func(c net.Conn, over <-chan struct{}) {
			cfg := &ssh.ServerConfig{PublicKeyCallback: func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) {
				<-over
				return nil, errors.New("the test is over")
			}}
			cfg.AddHostKey(key)
			ssh.NewServerConn(c, cfg)
		}, "log in as "},
		"no session": {loggingIn(key, nil), "logged in, but sh does not answer in time"},
		"no shell": {loggingIn(key, func(nc ssh.NewChannel) {
			if _, reqs, err := nc.Accept(); err == nil {
				go ssh.DiscardRequests(reqs)
			}
		}), "logged in, but sh does not answer in time"},
	} {
		for _, transport := range []string{"native", "openssh"} {
			t.Run(name+"/"+transport, func(t *testing.T) {
				t.Parallel()
				if transport == "openssh" {
					testtool.Need(t, "ssh")
				}
				cl := sshtest.NewClient(t)
				addr := muteAt(t, c.talk)
				cl.AddHost(t, "box", addr)
				cl.Know(t, "", addr, key.PublicKey())
				b := New(WithConfigFile(cl.ConfigFile), WithPrompts(everyPrompt()), withSettings(HostSettings{Transport: transport, ConnectTimeout: 3 * time.Second}))
				defer b.Close()
				err := b.Connect(t.Context(), "box")
				if !errors.Is(err, engine.ErrUnreachable) {
					t.Fatalf("error %v", err)
				}
				if transport == "native" && !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %q, want %q", err, c.want)
				}
				if he, ok := errors.AsType[*HostError](err); !ok || he.Attention || !strings.Contains(he.Hint, "connect_timeout") {
					t.Errorf("error %#v", err)
				}
			})
		}
	}
}

// everyPrompt is of a user who can be asked, and is not.
func everyPrompt() Prompts {
	no := errors.New("nothing was to be asked")
	return Prompts{
		Passphrase: func(context.Context, string, string, bool) (string, error) { return "", no },
		Password:   func(context.Context, string, string, bool) (string, error) { return "", no },
		Questions:  func(context.Context, string, Questions) ([]string, error) { return nil, no },
		HostKey:    func(context.Context, string, HostKey) (bool, error) { return false, no },
	}
}

// A caller waits for one attempt: neither for a second one, nor longer than its own deadline for hosts.
func TestWaitsForSilentHost(t *testing.T) {
	for name, c := range map[string]struct {
		call func(t *testing.T, h *host) error
		want time.Duration
	}{
		"a request": {func(t *testing.T, h *host) error {
			_, err := h.ask(t.Context(), quick, "hello", askOptions{asks: true})
			return err
		}, client.ConnectLimit},
		"a request while an attempt without prompts is under way": {func(t *testing.T, h *host) error {
			soon, cancel := context.WithTimeout(WithInteraction(t.Context(), false), time.Second)
			defer cancel()
			h.connect(soon, false)
			_, err := h.ask(t.Context(), slow, "hello", askOptions{asks: true})
			return err
		}, client.ConnectLimit},
		"requests with a deadline": {func(t *testing.T, h *host) (err error) {
			ctx := WithHostDeadline(t.Context(), time.Now().Add(5*time.Second))
			for range 3 {
				_, err = h.ask(ctx, bulk, "hello", askOptions{})
			}
			return errors.Join(err, ctx.Err())
		}, 5 * time.Second},
		"a look with a deadline": {func(t *testing.T, h *host) error {
			ctx := WithHostDeadline(t.Context(), time.Now().Add(5*time.Second))
			r := engine.Record{ID: "x", Dir: t.TempDir(), Job: engine.Job{Request: engine.Request{ID: "x", Host: "box"}, State: engine.State{Status: engine.Running}}}
			h.b.patience = time.Hour
			seen, err := h.b.Observe(ctx, []engine.Record{r})
			if o := seen["x"]; o.Link != engine.LinkUnreachable || o.LinkError != "box: no answer in time" {
				t.Errorf("the job is %+v", o)
			}
			return errors.Join(engine.ErrUnreachable, err)
		}, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			at(t, &place{silent: true}, func(t *testing.T, h *host) {
				began := time.Now()
				err := c.call(t, h)
				if took := time.Since(began); took != c.want || !errors.Is(err, engine.ErrUnreachable) || errors.Is(err, context.Canceled) {
					t.Errorf("%v after %s, want %s", err, took, c.want)
				}
			})
		})
	}
}

// A host that stops answering in the middle of a connection is not asked again for the same thing.
func TestUnansweredRequestIsNotRepeated(t *testing.T) {
	for _, l := range []conn.Class{quick, bulk, slow} {
		p := &place{}
		at(t, p, func(t *testing.T, h *host) {
			if err := h.hello(t.Context()); err != nil {
				t.Fatal(err)
			}
			p.links[0].late.Store(int64(time.Hour))
			began := time.Now()
			_, err := h.ask(t.Context(), l, "hello", askOptions{})
			if took := time.Since(began); took > max(askLimit, conn.OpenLimit) || !errors.Is(err, shell.ErrTimeout) || !errors.Is(err, engine.ErrUnreachable) {
				t.Errorf("class %d: %v after %s", l, err, took)
			}
		})
	}
}
